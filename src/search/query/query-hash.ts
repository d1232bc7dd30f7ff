import { hash } from 'node:crypto'
import { canonicalJson } from '../../json/canonical.ts'
import type { FilterNode } from './filter.ts'

/** The hash that a cursor holds of what it is tied to. */
export function cursorHash(text: string): string {
  return digest(text)
}

/** Looked for before anything is replaced: it is rare, and a replacement costs as much where it finds nothing. */
const WIDE_SPACE = /\s\s|[^\S ]/

/**
 * The hash of the normalised query and filters: case, Unicode form and spacing do not matter, nor in which order the
 * conditions of a filter stand.
 */
export function hashQuery(query: string, filter: FilterNode | undefined): string {
  const folded = query.normalize('NFKC').toLowerCase()
  const words = (WIDE_SPACE.test(folded) ? folded.replace(/\s+/g, ' ') : folded).trim()
  return digest(
    filter === undefined ? words : `${words}\n${canonicalJson(filter, { areSets: true })}`,
  )
}

function digest(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 16)
}
