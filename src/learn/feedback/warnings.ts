import { momentWarnings } from '../../doubtful-moment.ts'
import { nearestName } from '../../nearest-name.ts'
import { Feedback, FeedbackItem, FeedbackMetadata } from '../../schema/feedback.ts'
import { shownName, TOLD_MAX } from '../../word.ts'
import { bodyOf, unreadFields, unreadFieldsAt } from '../wire/unread-fields.ts'
import { ACTIONS } from './actions.ts'
import { isLate, namesHit, type SentEntry } from './feedback-entries.ts'
import type { Gains } from './gains.ts'
import type { Told } from './match.ts'

/** What `metadata` holds. */
const WITHIN = ['userAction', 'engagementType', 'resultId', 'timestamp', 'queryHash']
/** What `metadata.customMetadata` holds, as far as it is read. */
const FURTHER_WITHIN = ['position', 'dwellTime']
/** What clients call these two of `metadata`, which keeps every name. */
const MEANT: Readonly<Record<string, 'userAction' | 'resultId'>> = {
  action: 'userAction',
  event: 'userAction',
  eventType: 'userAction',
  documentId: 'resultId',
  docId: 'resultId',
  hitId: 'resultId',
  id: 'resultId',
}

/** Names of an entry of which more is said than that they are not read. */
const MISPLACED = new Set([...WITHIN, ...FURTHER_WITHIN, ...Object.keys(MEANT)])
const { customMetadata: FURTHER } = FeedbackMetadata.properties
const BODY = bodyOf('feedback', Feedback, { session: 'sessionId' })
const ENTRY = bodyOf('an entry', FeedbackItem, {
  ...Object.fromEntries(
    Object.keys(FURTHER.properties).map((name) => [name, `metadata.customMetadata.${name}`]),
  ),
  score: 'rating',
  value: 'rating',
})

interface Circumstances {
  gains: Gains
  /** Its session is known, and lasts. */
  isLive: boolean
  /** Searches are recorded. */
  learning: boolean
  nowMs: number
}

/** What was taken, and teaches less than its sender may think. */
export function feedbackWarnings(
  sent: Feedback,
  told: readonly Told[],
  { gains, isLive, learning, nowMs }: Circumstances,
): { warnings?: string[] } {
  const warnings = [
    ...unreadFields(sent, BODY),
    ...(isLive ? unknownSearches(told, learning) : [NO_SESSION]),
    ...late(told, nowMs),
    ...unshown(told),
    ...others(told),
    ...singleStars(sent),
    ...brief(told),
  ]
  for (const [at, entry] of sent.feedback.entries()) {
    const path = `feedback[${at}]`
    warnings.push(...misnamed(entry, path))
    warnings.push(...unreadFieldsAt(path, unplaced(entry), ENTRY))
    warnings.push(...momentWarnings(entry.metadata?.timestamp, `${path}.metadata.timestamp`))
    warnings.push(...misplaced(entry, path, 'metadata', WITHIN))
    warnings.push(...misplaced(entry, path, 'metadata.customMetadata', FURTHER_WITHIN))
    warnings.push(
      ...misplaced(entry.metadata ?? {}, `${path}.metadata`, 'customMetadata', FURTHER_WITHIN),
    )
    const { action, rating } = (told[at] as Told).entry
    if (!ACTIONS.has(action) && gains.of({ action, rating }) === undefined)
      warnings.push(unknownAction(action, path))
    if (warnings.length >= TOLD_MAX) break
  }
  warnings.push(...hitless(told, gains))
  return warnings.length === 0 ? {} : { warnings: warnings.slice(0, TOLD_MAX) }
}

const NO_SESSION =
  'sessionId: there is no such session, or it is over, so that nothing is learned from this feedback; POST /cortex/sessions begins one.'

/** One sentence for all entries of a kind: a client that makes this mistake sends nothing else. */
function ofAll(
  told: readonly Told[],
  isMeant: (each: Told) => boolean,
  say: (at: number, many: string) => string,
): string[] {
  const count = told.filter(isMeant).length
  if (count === 0) return []
  const many = count === 1 ? '' : ` (the first of ${count} such entries)`
  return [say(told.findIndex(isMeant), many)]
}

function unknownSearches(told: readonly Told[], learning: boolean): string[] {
  return ofAll(
    told,
    ({ isMatched }) => !isMatched,
    (at, many) =>
      !learning
        ? `LEARNING is off: searches are not recorded, and feedback[${at}]${many} is kept and teaches nothing.`
        : `feedback[${at}].queryId names no search that is known${many}: nothing is learned from it; send the queryId of a search's searchContext.`,
  )
}

/** What lies so far back is no news of a search that is still asked. */
function late(told: readonly Told[], nowMs: number): string[] {
  return ofAll(
    told,
    ({ isMatched, entry }) => isMatched && isLate(entry.timeMs, nowMs),
    (at, many) =>
      `feedback[${at}].metadata.timestamp lies more than 30 days back${many}: it is kept, and teaches nothing.`,
  )
}

function unknownAction(action: string, path: string): string {
  const near = nearestName(shownName(action), ACTIONS.keys())
  const meant = near === undefined ? '' : `; "${near}" is one`
  return `${path} names no action that is known: it is kept, and teaches nothing${meant}.`
}

/** What a whole search was worth is kept, and no order can follow from it. */
function hitless(told: readonly Told[], gains: Gains): string[] {
  const isHitless = ({ isMatched, entry }: Told) =>
    isMatched && !namesHit(entry) && (gains.of(entry) ?? 0) > 0
  return [
    ...ofAll(
      told,
      (each) => each.isUnshown && isHitless(each),
      (at, many) =>
        `feedback[${at}].queryId names a search that showed no hit${many}: it is kept, counts as no click and teaches the ranking nothing.`,
    ),
    ...ofAll(
      told,
      (each) => !each.isUnshown && isHitless(each),
      (at, many) =>
        `feedback[${at}] names no hit${many}: the ranking learns nothing from it; send metadata.resultId, or metadata.customMetadata.position.`,
    ),
  ]
}

/** Before what single entries say: a client whose ids or positions are others sends nothing else. */
function unshown(told: readonly Told[]): string[] {
  return ofAll(
    told,
    ({ isUnshown, entry }) => isUnshown && namesHit(entry),
    (at, many) => {
      const { resultId } = (told[at] as Told).entry
      const place =
        resultId === undefined ? 'metadata.customMetadata.position' : 'metadata.resultId'
      return `feedback[${at}].${place} names none of the hits that its search showed${many}: it is kept, counts as no click and teaches the ranking nothing; send the id or the position of a hit of the search that queryId names.`
    },
  )
}

/** Tells a client that begins a session for each page, or mixes up two. */
function others(told: readonly Told[]): string[] {
  return ofAll(
    told,
    ({ isOthers }) => isOthers,
    (at, many) =>
      `feedback[${at}].queryId names a search of somebody else${many}: it teaches the click memory what this session thinks of the hit, and counts in no test, rate, trigger or training; send it with the sessionId of its search, or another one of the same userId.`,
  )
}

/** Beside stars, 1 was probably meant as the least of them: it is read as the best of the other scale. */
function singleStars({ feedback }: Feedback): string[] {
  const starred = feedback.findIndex(({ rating }) => rating > 1)
  const ones = starred < 0 ? [] : feedback.filter(({ rating }) => rating === 1)
  const [first] = ones
  if (first === undefined) return []
  const many = ones.length === 1 ? '' : ` (the first of ${ones.length} such entries)`
  return [
    `feedback[${feedback.indexOf(first)}].rating is 1${many}, which is the best of 0 to 1, and feedback[${starred}].rating is one of 5 stars: if 1 is a star, too, send 0.2.`,
  ]
}

/** Nobody reads for so few milliseconds: seconds were probably meant, and count as a hit that was left at once. */
const BRIEF_MS_MAX = 1000

function brief(told: readonly Told[]): string[] {
  return ofAll(
    told,
    ({ entry: { dwellMs = 0 } }) => dwellMs > 0 && dwellMs < BRIEF_MS_MAX,
    (at, many) =>
      `feedback[${at}].metadata.customMetadata.dwellTime is less than a second${many}, for it is read in milliseconds: send 45000 for 45 seconds.`,
  )
}

function unplaced(entry: SentEntry): object {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !MISPLACED.has(name)))
}

/** What is read is not sent, but something that others call so. */
function misnamed(entry: SentEntry, path: string): string[] {
  const { metadata = {} } = entry
  const warnings: string[] = []
  const look = (held: object, at: string) => {
    for (const name of Object.keys(held)) {
      const meant = Object.hasOwn(MEANT, name) ? MEANT[name] : undefined
      if (meant !== undefined && metadata[meant] === undefined)
        warnings.push(`${at}.${name} is not read; ${path}.metadata.${meant} is.`)
    }
  }
  look(entry, path)
  look(metadata, `${path}.metadata`)
  return warnings
}

function misplaced(held: object, path: string, inside: string, names: readonly string[]): string[] {
  const found = names.filter((name) => Object.hasOwn(held, name))
  return found.map(
    (name) => `${path}.${name} is not read; it belongs in ${path}.${inside}.${name}.`,
  )
}
