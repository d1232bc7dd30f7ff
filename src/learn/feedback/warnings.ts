import { ACTIONS } from './actions.ts'
import type { SentEntry } from './feedback-entries.ts'
import type { Gains } from './gains.ts'
import type { Told } from './match.ts'

/** Most warnings of one answer: a client makes the same mistake in each entry. */
const WARNINGS_MAX = 8
/** What `metadata` holds. */
const WITHIN = ['userAction', 'engagementType', 'resultId', 'timestamp', 'queryHash']
/** What `metadata.customMetadata` holds, as far as it is read. */
const FURTHER_WITHIN = ['position', 'dwellTime']

/** What was taken, and teaches less than its sender may think. */
export function feedbackWarnings(
  sent: readonly SentEntry[],
  told: readonly Told[],
  gains: Gains,
): { warnings?: string[] } {
  const warnings = [...unshown(told), ...others(told)]
  for (const [at, entry] of sent.entries()) {
    const path = `feedback[${at}]`
    warnings.push(...misplaced(entry, path, 'metadata', WITHIN))
    warnings.push(...misplaced(entry, path, 'metadata.customMetadata', FURTHER_WITHIN))
    warnings.push(
      ...misplaced(entry.metadata ?? {}, `${path}.metadata`, 'customMetadata', FURTHER_WITHIN),
    )
    const { action, rating } = (told[at] as Told).entry
    if (!ACTIONS.has(action) && gains.of({ action, rating }) === undefined)
      warnings.push(`${path} names no action that is known: it is kept, and teaches nothing.`)
    if (warnings.length >= WARNINGS_MAX) break
  }
  return warnings.length === 0 ? {} : { warnings: warnings.slice(0, WARNINGS_MAX) }
}

/** One for all of them, before the others: a client whose ids or positions are others sends nothing else. */
function unshown(told: readonly Told[]): string[] {
  const count = told.filter(({ isUnshown }) => isUnshown).length
  if (count === 0) return []
  const at = told.findIndex(({ isUnshown }) => isUnshown)
  const { resultId } = (told[at] as Told).entry
  const place = resultId === undefined ? 'metadata.customMetadata.position' : 'metadata.resultId'
  const many = count === 1 ? '' : ` (the first of ${count} such entries)`
  return [
    `feedback[${at}].${place} names none of the hits that its search showed${many}: it is kept, counts as no click and teaches the ranking nothing; send the id or the position of a hit of the search that queryId names.`,
  ]
}

/** One for all of them: a client that begins a session for each page, or mixes up two, sends nothing else. */
function others(told: readonly Told[]): string[] {
  const count = told.filter(({ isOthers }) => isOthers).length
  if (count === 0) return []
  const at = told.findIndex(({ isOthers }) => isOthers)
  const many = count === 1 ? '' : ` (the first of ${count} such entries)`
  return [
    `feedback[${at}].queryId names a search of somebody else${many}: it teaches the click memory what this session thinks of the hit, and counts in no test, rate, trigger or training; send it with the sessionId of its search, or another one of the same userId.`,
  ]
}

function misplaced(held: object, path: string, inside: string, names: readonly string[]): string[] {
  const found = names.filter((name) => Object.hasOwn(held, name))
  return found.map(
    (name) => `${path}.${name} is not read; it belongs in ${path}.${inside}.${name}.`,
  )
}
