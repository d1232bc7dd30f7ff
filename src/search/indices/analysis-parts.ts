import { invalid } from '../../errors.ts'
import { partsOf } from '../../synonym-rule.ts'
import { ENGLISH_STOP_WORDS, lowerWord, wordOf } from '../../word.ts'
import { LANGUAGES, languageOf, STOP_WORD_LANGUAGES } from './languages.ts'
import type { SentAnalysis } from './sent-analysis.ts'

/** One step of an analyzer, as the Rust core reads it. */
export interface AnalysisFilter {
  type: string
  [option: string]: unknown
}

/** What cuts a text into words, as the Rust core reads it. */
export type AnalysisTokenizer = string | { type: string; min?: number; max?: number }

export interface Analyzer {
  tokenizer: AnalysisTokenizer
  filters: AnalysisFilter[]
}

export type Shape = Record<string, unknown>

const TOKENIZERS = ['standard', 'whitespace', 'keyword', 'letter', 'ngram', 'edge_ngram']

/** The tokenizer that an analyzer at `path` names: one of the index's own, or a built-in one. */
export function readTokenizer(
  name: string,
  { path: root, analysis }: SentAnalysis,
  path: string,
): AnalysisTokenizer {
  const own = asShape(analysis.tokenizer, `${root}.tokenizer`)
  if (Object.hasOwn(own, name)) {
    const place = `${root}.tokenizer.${name}`
    const definition = asShape(own[name], place)
    const type = lowerWord(definition.type)
    if (!TOKENIZERS.includes(type)) throw unknown('type', `${place}.type`, TOKENIZERS)
    return {
      type,
      ...readLength('min', definition.min_gram, `${place}.min_gram`),
      ...readLength('max', definition.max_gram, `${place}.max_gram`),
    }
  }
  const builtIn = lowerWord(name)
  if (!TOKENIZERS.includes(builtIn))
    throw unknown('tokenizer', path, [...TOKENIZERS, ...Object.keys(own)])
  return builtIn
}

/** Longest gram that the core makes. */
const GRAM_MAX = 64
/** Longest word that a filter may let pass. */
const WORD_MAX = 1_000_000
/** Longest word where nothing is said: longer ones are noise (base64, URLs) and only swell the dictionary. */
export const WORD_LENGTH = 64

/** A number of characters under `key`; a text of digits, as search engines take it, too. */
function readLength(
  key: 'min' | 'max',
  sent: unknown,
  path: string,
  most = GRAM_MAX,
): Record<string, number> {
  if (sent === undefined) return {}
  const length = typeof sent === 'string' ? Number(sent) : sent
  if (!Number.isInteger(length) || Number(length) < 1 || Number(length) > most)
    throw invalid(path, `must be a whole number from 1 to ${most}`)
  return { [key]: Number(length) }
}

/** What an index says of a filter of its own, or nothing of a built-in one. */
interface SentFilter {
  definition: Shape
  /** Where it stands, or where a built-in one is named. */
  place: string
}

/** The filters that are known, each with what the core is told of it. */
const FILTERS: Record<string, (sent: SentFilter) => AnalysisFilter> = {
  lowercase: () => ({ type: 'lowercase' }),
  asciifolding: () => ({ type: 'asciifolding' }),
  stop: ({ definition, place }) =>
    stopFilter(definition.stopwords ?? '_english_', `${place}.stopwords`),
  stemmer: stemmerFilter,
  snowball: stemmerFilter,
  porter_stem: () => ({ type: 'stemmer', language: 'english' }),
  synonym: ({ definition, place }) => synonymFilter(definition.synonyms, place),
  synonym_graph: ({ definition, place }) => synonymFilter(definition.synonyms, place),
  length: ({ definition, place }) => lengthFilter(definition, place),
}

/** The filter that an analyzer at `path` names: one of the index's own, or a built-in one. */
export function readFilter(
  name: string,
  { path: root, analysis }: SentAnalysis,
  path: string,
): AnalysisFilter {
  const filters = `${root}.filter`
  const own = asShape(analysis.filter, filters)
  const isOwn = Object.hasOwn(own, name)
  const place = isOwn ? `${filters}.${name}` : path
  const definition = isOwn ? asShape(own[name], place) : {}
  const type = lowerWord(definition.type ?? name)
  const known = Object.keys(FILTERS)
  const read = Object.hasOwn(FILTERS, type) ? FILTERS[type] : undefined
  if (read === undefined)
    throw isOwn
      ? unknown('type', `${place}.type`, known)
      : unknown('filter', path, [...known, ...Object.keys(own)])
  if (!isOwn && type.startsWith('synonym'))
    throw invalid(path, `names ${name}, which has no rules; ${ownRules(filters)}`)
  return read({ definition, place })
}

function stemmerFilter({ definition, place }: SentFilter): AnalysisFilter {
  const language = languageOf(lowerWord(definition.language ?? definition.name ?? 'english'))
  if (language === undefined) throw unknown('stemmer', `${place}.language`, LANGUAGES)
  return { type: 'stemmer', language }
}

function ownRules(filters: string): string {
  return `define a filter of your own under ${filters}, with synonyms`
}

/** Lets words of `min` to `max` characters pass. Earlier versions took any `min`, and made nothing of it. */
function lengthFilter({ min, max }: Shape, path: string): AnalysisFilter {
  const least = lengthOf(min ?? 0)
  return {
    type: 'length',
    ...(Number.isInteger(least) && least > 0 ? { min: least } : {}),
    ...readLength('max', max ?? WORD_LENGTH, `${path}.max`, WORD_MAX),
  }
}

/** The stop words that were sent at `path`: a list of them, or the name of one. */
export function stopFilter(words: unknown, path: string): AnalysisFilter {
  if (Array.isArray(words)) return { type: 'stop', words: words.map((word) => wordOf(word)) }
  const name = lowerWord(words).replaceAll('_', '')
  if (name === 'none') return { type: 'stop', words: [] }
  if (name === 'english' || name === 'en') return { type: 'stop', words: ENGLISH_STOP_WORDS }
  const language = languageOf(name)
  if (language !== undefined) return { type: 'stop', language }
  const known = ['none', ...STOP_WORD_LANGUAGES].map((name) => `_${name}_`)
  throw unknown('stop word list', path, known)
}

/** Rules as lists of equal words, or lines `a, b` and `a => b`. */
export function synonymFilter(rules: unknown, path: string): AnalysisFilter {
  if (!Array.isArray(rules)) throw invalid(`${path}.synonyms`, 'must be a list of rules')
  const lists = rules.map((rule) =>
    Array.isArray(rule) ? rule.map((word) => wordOf(word)) : partsOf(wordOf(rule)),
  )
  return { type: 'synonym', rules: lists }
}

/** What was sent as a number of characters; NaN for an object or a list, which may have no text to read one from. */
export function lengthOf(sent: unknown): number {
  return Number(wordOf(sent) || Number.NaN)
}

/** What was sent where an object belongs; none is one that says nothing. */
export function asShape(value: unknown, path: string): Shape {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Shape
  throw invalid(path, 'must be an object')
}

/** UNKNOWN_ANALYZER about a name, which lists those that are known. */
export function unknown(what: string, path: string, known: readonly string[]): Error {
  return invalid(
    path,
    `names an unknown ${what}; known are ${known.join(', ')}`,
    'UNKNOWN_ANALYZER',
  )
}
