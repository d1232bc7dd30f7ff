import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import type { ExperimentStatus } from '../../schema/statuses.ts'
import { move } from '../states.ts'
import { defaultEndOf } from './draft.ts'
import { isFallbackInForce } from './running.ts'

export interface Change {
  to: ExperimentStatus
  /** Only from there; any state by default. */
  from?: ExperimentStatus
  reason?: { text: string; figures?: Record<string, unknown> }
}

const ENDS: ReadonlySet<ExperimentStatus> = new Set([
  'COMPLETED',
  'STOPPED',
  'FAILED',
  'ROLLED_BACK',
])

export function hasEnded({ status }: ExperimentRecord): boolean {
  return ENDS.has(status)
}

const HAS_FALLBACK = ' Its fallbackConfig applies now; deactivate ends that.'

/** Tests and experiments have state machines of their own. */
export function moveOf(
  record: ExperimentRecord,
  to: ExperimentStatus,
  nowMs: number,
): 'moved' | 'unchanged' {
  const { kind, status } = record
  const advice = isFallbackInForce(record, nowMs) ? HAS_FALLBACK : ''
  if (kind === 'experiment') return move('experiment', status, to, advice)
  if (status === 'ROLLED_BACK' || to === 'ROLLED_BACK')
    throw new Error('A test is stopped, not rolled back.')
  return move('test', status, to)
}

/** The record in its new state. */
export function movedTo(
  record: ExperimentRecord,
  { to, reason }: Change,
  nowMs: number,
): ExperimentRecord {
  const moved: ExperimentRecord = { ...record, status: to, held: false }
  if (reason !== undefined) moved.reason = reason
  if (hasEnded(moved)) moved.endedMs = nowMs
  if (to !== 'ACTIVE') return moved
  moved.stepSinceMs = nowMs
  if (record.status !== 'DRAFT') return moved
  // Started by hand before its time: that is its start.
  moved.startMs = Math.min(record.startMs, nowMs)
  if (record.held) moved.startMs = nowMs
  if (record.endByDefault) moved.endMs = defaultEndOf(moved.startMs)
  return moved
}

/** What the history calls it. */
export function eventWordOf({ status }: ExperimentRecord, to: ExperimentStatus): string {
  if (to !== 'ACTIVE') return to
  return status === 'DRAFT' ? 'STARTED' : 'RESUMED'
}
