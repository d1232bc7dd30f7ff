import { invalid } from '../../errors.ts'
import { ATTEMPTS_MAX, type SignalRecord, type SignalStep } from '../../schema/signal.ts'
import type { SignalStatus } from '../../schema/statuses.ts'
import { move } from '../states.ts'
import { readStatus, readType } from './signal-words.ts'

type Sent = Omit<SignalStep, 'signalId'>

const STEPS_MAX = 1000
const METADATA_BYTES_MAX = 64 << 10
const DEFAULT_TYPE = 'SEARCH'

/**
 * The signal after a step; `known` itself when the step says nothing new of one that is over. Throws
 * VALIDATION_FAILED for an unknown status, INVALID_TRANSITION.
 */
export function takeStep(known: SignalRecord | undefined, sent: Sent, nowMs: number): SignalRecord {
  const from = known?.status ?? 'PENDING'
  const to = sent.status === undefined ? from : readStatus(sent.status)
  const moved = move('signal', from, to) === 'moved'
  if (known !== undefined && !moved && isOver(from) && sent.status !== undefined) return known
  const type = sent.type === undefined ? undefined : readType(sent.type)
  return {
    type: type || known?.type || DEFAULT_TYPE,
    status: to,
    attemptCount: countAttempts(known, moved ? to : undefined, sent.metadata?.attemptCount),
    createdMs: known?.createdMs ?? nowMs,
    updatedMs: nowMs,
    ...(known?.sequence === undefined ? {} : { sequence: known.sequence }),
    ...(known?.isCountedOnce === undefined ? {} : { isCountedOnce: known.isCountedOnce }),
    metadata: joinMetadata(known?.metadata, sent.metadata),
  }
}

function isOver(status: SignalStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'IGNORED'
}

/**
 * Each start of processing is an attempt, and so is an end without one. A step that says itself how many there were has
 * counted its own; only what failed and is processed again is one more in any case. Never fewer than before, nor more than
 * can be told.
 */
function countAttempts(
  known: SignalRecord | undefined,
  movedTo: SignalStatus | undefined,
  sent: number | undefined,
): number {
  const before = known?.attemptCount ?? 0
  const starts = movedTo === 'PROCESSING'
  const isRetry = starts && known?.status === 'FAILED'
  const endsUnstarted = (movedTo === 'COMPLETED' || movedTo === 'FAILED') && before === 0
  const counts = sent === undefined ? starts || endsUnstarted : isRetry
  return Math.min(Math.max(before + (counts ? 1 : 0), sent ?? 0), ATTEMPTS_MAX)
}

/** Later values over earlier ones, objects one level deep; steps are added up. */
function joinMetadata(
  before: SignalRecord['metadata'] = {},
  sent: SignalRecord['metadata'] = {},
): SignalRecord['metadata'] {
  const { processingSteps: stepsBefore = [], ...known } = before
  const { processingSteps: stepsSent = [], attemptCount, ...fresh } = sent
  const joined: Record<string, unknown> = { ...known, ...fresh }
  for (const name of ['performance', 'context'] as const)
    if (known[name] !== undefined && fresh[name] !== undefined)
      joined[name] = { ...known[name], ...fresh[name] }
  // Clients often send their whole list again.
  const seen = new Set(stepsBefore.map((step) => JSON.stringify(step)))
  const steps = [...stepsBefore, ...stepsSent.filter((step) => !seen.has(JSON.stringify(step)))]
  if (steps.length > 0) joined.processingSteps = steps.slice(-STEPS_MAX)
  // A step that adds nothing always finds room: the signal can still be ended.
  if (
    Object.keys(sent).length > 0 &&
    Buffer.byteLength(JSON.stringify(joined)) > METADATA_BYTES_MAX
  )
    throw invalid(
      'metadata',
      `must be at most ${METADATA_BYTES_MAX} bytes of JSON together with what came before`,
    )
  return joined
}
