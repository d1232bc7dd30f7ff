import { invalid } from '../../errors.ts'
import { SIGNAL_TYPES } from '../../schema/signal-types.ts'
import { SIGNAL_STATUSES, type SignalStatus } from '../../schema/statuses.ts'

/** Words that others use for the same. */
const SYNONYMS: Record<SignalStatus, string> = {
  PENDING: 'QUEUED NEW CREATED RECEIVED WAITING SCHEDULED',
  PROCESSING: 'RUNNING STARTED IN_PROGRESS INPROGRESS ACTIVE RETRY RETRYING',
  COMPLETED: 'SUCCESS SUCCEEDED SUCCESSFUL DONE OK COMPLETE FINISHED PROCESSED',
  FAILED: 'ERROR ERRORED FAILURE FAIL TIMEOUT TIMED_OUT',
  IGNORED: 'IGNORE SKIPPED SKIP DROPPED CANCELLED CANCELED',
}
const WORDS = new Map<string, SignalStatus>(
  SIGNAL_STATUSES.flatMap((status) =>
    [status, ...SYNONYMS[status].split(' ')].map((word) => [word, status] as const),
  ),
)

/** Throws VALIDATION_FAILED with the words that are known. */
export function readStatus(text: string): SignalStatus {
  const status = WORDS.get(bare(text))
  if (status !== undefined) return status
  throw invalid('status', `must be one of ${SIGNAL_STATUSES.join(', ')}, or a usual synonym`)
}

const TYPES: ReadonlySet<string> = new Set(SIGNAL_TYPES)

/** An open vocabulary: the known words in one spelling, others as they are sent. Throws VALIDATION_FAILED where there is none. */
export function readType(text: string): string {
  const known = bare(text)
  if (TYPES.has(known)) return known
  const own = text.trim()
  if (own === '') throw invalid('type', 'must not be empty')
  return own
}

/** By which types are compared: however they are joined, in any case. */
export function typeKey(type: string): string {
  if (TYPES.has(type)) return type
  const known = bare(type)
  return TYPES.has(known) ? known : spell(type)
}

/** The type of signal that a feedback entry's action makes, reckoned anew whenever the entry is read: also of earlier ones. */
export function typeOfAction(action: string): string {
  const type = action.toUpperCase()
  if (type === 'PURCHASE') return 'CONVERSION'
  return ['CLICK', 'CONVERSION', 'VIEW', 'IMPRESSION'].includes(type) ? type : 'FEEDBACK'
}

/** Whether a number stands anywhere in what a client tells of performance: then it is a signal. */
export function hasFigures(performance: unknown): boolean {
  if (typeof performance !== 'object' || performance === null)
    return typeof performance === 'number'
  if (Array.isArray(performance)) return performance.some(hasFigures)
  // Not by a list of what it holds: there may be hundreds of thousands of such objects.
  for (const name in performance)
    if (hasFigures((performance as Record<string, unknown>)[name])) return true
  return false
}

/** Without the prefix that enumerations of other services give their words: `SIGNAL_STATUS_FAILED`. */
function bare(text: string): string {
  return spell(text).replace(/^(?:SIGNAL_)?(?:STATUS|TYPE)_/, '')
}

function spell(text: string): string {
  return text
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_')
}
