import { invalid } from '../../errors.ts'
import type { ExperimentKind } from '../../schema/experiment-record.ts'

export const TESTS = 'GET /cortex/ab-test lists them'
export const EXPERIMENTS = 'GET /nous/ab-testing/experiments lists them'

/** The kind's …_NOT_FOUND about the place where the id was sent. */
export function unknownExperiment(kind: ExperimentKind, path = 'id'): Error {
  return kind === 'test'
    ? invalid(path, `is not the id of a test; ${TESTS}`, 'TEST_NOT_FOUND')
    : invalid(path, `is not the id of an experiment; ${EXPERIMENTS}`, 'EXPERIMENT_NOT_FOUND')
}
