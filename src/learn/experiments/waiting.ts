import { variableOf } from '../../config.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import { isoTime } from '../wire/moment.ts'

/** Whether its start has come. One that is read so has no room yet among those that are active. */
export function isDueToStart({ status, held, startMs }: ExperimentRecord, nowMs: number): boolean {
  return status === 'DRAFT' && !held && startMs <= nowMs
}

/** Why one that is due has not started, to be read behind whatever names it. */
export function waitingText({ startMs }: ExperimentRecord): string {
  const setting = variableOf('experimentsActiveMax')
  return `was to start at ${isoTime(startMs)}, and waits until fewer tests and experiments are active (${setting})`
}
