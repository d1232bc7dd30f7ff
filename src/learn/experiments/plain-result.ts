import { invalid } from '../../errors.ts'
import type { ExperimentKind } from '../../schema/experiment-record.ts'
import type { ExperimentResult } from '../../schema/experiment-result.ts'

/** A result with one name for each thing. */
export interface PlainResult {
  experimentId: string | undefined
  experimentName: string | undefined
  /** Where its name is looked for, and where else: a test and an experiment may have the same one. */
  kinds: readonly [ExperimentKind, ExperimentKind]
  variantId: string | undefined
  unit: string | undefined
  sessionId: string | undefined
  metrics: Record<string, number>
}

/**
 * Reads what clients may say in two ways: a test is an experiment, a user is a unit, and one value needs no map. Throws
 * VALIDATION_FAILED where both are said and differ, and where no value is.
 */
export function plainResult(sent: ExperimentResult): PlainResult {
  return {
    experimentId: oneOf(sent, 'experimentId', 'testId'),
    experimentName: oneOf(sent, 'experimentName', 'testName'),
    kinds: sent.experimentName === undefined ? ['test', 'experiment'] : ['experiment', 'test'],
    variantId: sent.variantId,
    unit: oneOf(sent, 'unit', 'userId'),
    sessionId: sent.sessionId,
    metrics: valuesOf(sent),
  }
}

type Name = 'experimentId' | 'experimentName' | 'testId' | 'testName' | 'unit' | 'userId'

function oneOf(sent: ExperimentResult, name: Name, other: Name): string | undefined {
  const [first, second] = [sent[name], sent[other]]
  if (first !== undefined && second !== undefined && first !== second)
    throw invalid(other, `is not the ${name} that was sent; send one of them`)
  return first ?? second
}

function valuesOf({ metrics, metric, value }: ExperimentResult): Record<string, number> {
  if (metric === undefined && value === undefined) {
    if (metrics === undefined) throw invalid('metrics', 'is required, or metric and value')
    return metrics
  }
  if (metric === undefined) throw invalid('metric', 'is required beside value')
  if (value === undefined) throw invalid('value', 'is required beside metric')
  if (metrics !== undefined && Object.hasOwn(metrics, metric))
    throw invalid('metric', 'is among metrics, too; send it once')
  return { ...metrics, [metric]: value }
}
