import { hash } from 'node:crypto'
import { canonicalJson } from '../../json/canonical.ts'
import type { FilterNode } from './filter.ts'

/** The hash that a cursor holds of what it is tied to. */
export function cursorHash(text: string): string {
  return digest(text)
}

/** Looked for before anything is replaced: it is rare, and a replacement costs as much where it finds nothing. */
const WIDE_SPACE = /\s\s|[^\S ]/

/** Signs that end a sentence or a part of one, as NFKC leaves them: no word has them at its end. */
const ENDS = new Set('.?!,;:。、؟،؛۔।॥·')
/** Signs that open one. */
const OPENS = new Set('¿¡')
/**
 * A query with one of these keeps its signs: behind a quote, which makes a phrase, they are a part by themselves, and
 * double marks of exclamation can be emoji.
 */
const MEANT = /["＂“”„‟«»‼⁉]/

/** A query without the signs of a sentence around it; all of it if it has nothing else. */
function wordsWithin(query: string): string {
  let end = query.length
  while (end > 0 && isSign(query[end - 1], ENDS)) end -= 1
  let start = 0
  while (start < end && isSign(query[start], OPENS)) start += 1
  return start === end ? query : query.slice(start, end)
}

function isSign(letter = '', signs: ReadonlySet<string>): boolean {
  return letter === ' ' || signs.has(letter)
}

/**
 * The hash of the normalised query and filters: case, Unicode form, spacing and the signs of a sentence do not matter, nor
 * in which order the conditions of a filter stand.
 */
export function hashQuery(query: string, filter: FilterNode | undefined): string {
  const folded = query.normalize('NFKC').toLowerCase()
  const words = (WIDE_SPACE.test(folded) ? folded.replace(/\s+/g, ' ') : folded).trim()
  const asked = MEANT.test(query) ? words : wordsWithin(words)
  return digest(
    filter === undefined ? asked : `${asked}\n${canonicalJson(filter, { areSets: true })}`,
  )
}

function digest(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 16)
}
