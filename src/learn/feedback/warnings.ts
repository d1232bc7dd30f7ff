import { ACTIONS } from './actions.ts'
import type { ReadEntry, SentEntry } from './feedback-entries.ts'
import type { Gains } from './gains.ts'

/** Of one answer: a client makes the same mistake in each entry. */
const WARNINGS_MAX = 8
/** What `metadata` holds. */
const WITHIN = ['userAction', 'engagementType', 'resultId', 'timestamp', 'queryHash']
/** What `metadata.customMetadata` holds, as far as it is read. */
const FURTHER_WITHIN = ['position', 'dwellTime']

/** What was taken, and teaches less than its sender may think. */
export function warningsOf(
  sent: readonly SentEntry[],
  read: readonly ReadEntry[],
  gains: Gains,
): { warnings?: string[] } {
  const warnings: string[] = []
  for (const [at, entry] of sent.entries()) {
    const path = `feedback[${at}]`
    warnings.push(...misplaced(entry, path, 'metadata', WITHIN))
    warnings.push(...misplaced(entry, path, 'metadata.customMetadata', FURTHER_WITHIN))
    warnings.push(
      ...misplaced(entry.metadata ?? {}, `${path}.metadata`, 'customMetadata', FURTHER_WITHIN),
    )
    const { action, rating } = read[at] as ReadEntry
    if (!ACTIONS.has(action) && gains.of({ action, rating }) === undefined)
      warnings.push(`${path} names no action that is known: it is kept, and teaches nothing.`)
    if (warnings.length >= WARNINGS_MAX) break
  }
  return warnings.length === 0 ? {} : { warnings: warnings.slice(0, WARNINGS_MAX) }
}

function misplaced(held: object, path: string, inside: string, names: readonly string[]): string[] {
  const found = names.filter((name) => Object.hasOwn(held, name))
  return found.map(
    (name) => `${path}.${name} is not read; it belongs in ${path}.${inside}.${name}.`,
  )
}
