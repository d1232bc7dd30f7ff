import { nearestName } from '../../nearest-name.ts'
import { asObject } from '../../object.ts'
import { lowerWord, shownName, wordOf } from '../../word.ts'

type Shape = Record<string, unknown>

/** What is read of an analyzer that is put together, and of one that goes by the name of a type. */
const CUSTOM = ['type', 'tokenizer', 'filter', 'filters', 'char_filter']
const BUILT_IN = ['type', 'stopwords', 'char_filter']

/** What is read of a tokenizer and of a filter, by their types; of the others the type alone. */
const TOKENIZERS: Readonly<Record<string, readonly string[]>> = {
  ngram: ['min_gram', 'max_gram'],
  edge_ngram: ['min_gram', 'max_gram'],
}
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  stop: ['stopwords'],
  synonym: ['synonyms'],
  synonym_graph: ['synonyms'],
  length: ['min', 'max'],
  stemmer: ['language', 'name'],
  snowball: ['language', 'name'],
}

/** What says no more than what is done anyway, so that nobody need be told. */
const DONE: Readonly<Record<string, (value: unknown) => boolean>> = {
  // Pieces are cut from words, which are of letters and digits.
  token_chars: (value) => [value].flat().map(wordOf).sort().join() === 'digit,letter',
  expand: isTrue,
  remove_trailing: isTrue,
  ignore_case: isFalse,
  lenient: isFalse,
  preserve_original: isFalse,
}

/** What is said of analyzers, tokenizers and filters in an `analysis`, which stands at `at`, and not read: warnings. */
export function* unreadParts(at: string, analysis: Shape): Iterable<string> {
  yield* inParts(`${at}.analyzer`, analysis.analyzer, ({ type }) =>
    lowerWord(type ?? 'custom') === 'custom' ? CUSTOM : BUILT_IN,
  )
  yield* inParts(`${at}.tokenizer`, analysis.tokenizer, (part) => keysOf(TOKENIZERS, part))
  yield* inParts(`${at}.filter`, analysis.filter, (part, name) => keysOf(FILTERS, part, name))
}

type KeysOf = (part: Shape, name: string) => readonly string[]

function* inParts(at: string, parts: unknown, keys: KeysOf): Iterable<string> {
  for (const [name, sent] of Object.entries(asObject(parts) ?? {})) {
    const part = asObject(sent) ?? {}
    const known = keys(part, name)
    for (const [key, value] of Object.entries(part))
      if (!known.includes(key) && DONE[key]?.(value) !== true)
        yield `${at}.${name}.${key}: recorded, not honoured${nearest(key, known)}.`
  }
}

function nearest(key: string, known: readonly string[]): string {
  // That one is recorded, too, and told by itself.
  const honoured = known.filter((each) => each !== 'char_filter')
  const meant = nearestName(shownName(key), honoured)
  return meant === undefined ? '' : `; "${meant}" is`
}

/** A filter without a type has the one that its name says. */
function keysOf(
  table: Readonly<Record<string, readonly string[]>>,
  { type }: Shape,
  name = '',
): readonly string[] {
  const own = lowerWord(type ?? name)
  return ['type', ...(Object.hasOwn(table, own) ? (table[own] ?? []) : [])]
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}

function isFalse(value: unknown): boolean {
  return value === false || value === 'false'
}
