import { invalid, type ServiceError } from '../../errors.ts'
import { BATCH_GRAMS } from '../engine/batch.ts'
import type { GramField } from '../indices/grams.ts'
import { valuesAt } from './source.ts'

/** Ngrams that one document may have, in all of its fields together. Each is a word of the index, with its places. */
export const DOCUMENT_GRAMS_MAX = 4_000_000

/** Splits writes into groups, in their order, that may be indexed together; mostly there is one group. */
export function groupsByGrams<Write>(
  writes: Write[],
  gramsOf: (write: Write) => number,
  most = BATCH_GRAMS,
): Write[][] {
  const groups: Write[][] = []
  let grams = 0
  for (const write of writes) {
    const own = gramsOf(write)
    const last = groups.at(-1)
    if (last === undefined || (grams > 0 && grams + own > most)) {
      groups.push([write])
      grams = own
    } else {
      last.push(write)
      grams += own
    }
  }
  return groups
}

/**
 * What is wrong with a document that would be cut into more pieces than one may have, or undefined. Twenty lengths of a
 * megabyte without a blank are twenty million words, which take minutes and gigabytes.
 */
export function gramsProblem(
  source: Record<string, unknown>,
  fields: readonly GramField[],
  most = DOCUMENT_GRAMS_MAX,
): ServiceError | undefined {
  const texts = textsOf(source, fields)
  // Nearly all are short, and not looked through.
  if (atMost(texts) <= most) return undefined
  let left = most
  for (const { text, field } of texts) {
    left -= countGrams(text, field, left)
    if (left < 0) return invalid(`document.${field.source}`, tooMany(field, most))
  }
  return undefined
}

/** Ngrams that a document has at most, from the lengths of its texts alone. */
export function gramsAtMost(source: Record<string, unknown>, fields: readonly GramField[]): number {
  return fields.length === 0 ? 0 : atMost(textsOf(source, fields))
}

interface GramText {
  text: string
  field: GramField
}

function textsOf(source: Record<string, unknown>, fields: readonly GramField[]): GramText[] {
  return fields.flatMap((field) =>
    valuesAt(source, field.source)
      .filter((value) => typeof value === 'string')
      .map((text) => ({ text, field })),
  )
}

function atMost(texts: readonly GramText[]): number {
  return texts.reduce((sum, { text, field }) => sum + text.length * lengthsOf(field), 0)
}

function tooMany({ shortest, longest }: GramField, most: number): string {
  return `is cut into too many ngrams of ${shortest} to ${longest} characters: a document may have ${most} in all; shorten it, split it into several documents, or use an index with fewer lengths between min_gram and max_gram`
}

/** Most ngrams that texts of so many characters together may have, whatever field they are in. */
export function mostGrams(letters: number, fields: readonly GramField[]): number {
  return fields.reduce((sum, field) => sum + letters * lengthsOf(field), 0)
}

function lengthsOf({ shortest, longest }: GramField): number {
  return longest - shortest + 1
}

/** Pieces of all words of a text; counting ends beyond `enough`. */
export function countGrams(text: string, field: GramField, enough = Number.MAX_VALUE): number {
  let count = 0
  let letters = 0
  for (let at = 0; at < text.length && count <= enough; at++) {
    const code = text.charCodeAt(at)
    const isLetter = !isBetween(code)
    // The second half of a pair is no character of its own.
    if (isLetter && !isAlone(code)) letters += code >= 0xdc00 && code <= 0xdfff ? 0 : 1
    else {
      count += piecesOf(letters, field) + (isLetter ? piecesOf(1, field) : 0)
      letters = 0
    }
  }
  return count + piecesOf(letters, field)
}

/** Pieces of one word. */
function piecesOf(letters: number, { shortest, longest, isEdge }: GramField): number {
  const last = Math.min(longest, letters)
  if (last < shortest) return 0
  const lengths = last - shortest + 1
  // An ngram of each length begins at each character, except at the last ones, where it would run over the end.
  return isEdge ? lengths : lengths * (letters + 1) - ((shortest + last) * lengths) / 2
}

/** What ends a word, near enough: of signs beyond ASCII, those that texts are full of. */
function isBetween(code: number): boolean {
  if (code < 0x80)
    return !(
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x30 && code <= 0x39)
    )
  return (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f)
}

/** Chinese characters and hiragana, each a word. */
function isAlone(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x309f) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff)
  )
}
