import { invalid } from '../../errors.ts'
import { ENGLISH_STOP_WORDS, wordOf } from '../../word.ts'
import { isNoLanguage, LANGUAGES, languageOf, stemmerOf } from './languages.ts'

/** One step of an analyzer, as the Rust core reads it. */
export interface AnalysisFilter {
  type: string
  [option: string]: unknown
}

export interface Analyzer {
  tokenizer: string | { type: string; min?: number; max?: number }
  filters: AnalysisFilter[]
}

type Shape = Record<string, unknown>

const TOKENIZERS = ['standard', 'whitespace', 'keyword', 'letter', 'ngram', 'edge_ngram']
const LOWERCASE: AnalysisFilter = { type: 'lowercase' }
const FOLD: AnalysisFilter = { type: 'asciifolding' }
/** Longer words are noise (base64, URLs) and only swell the dictionary. */
const LENGTH: AnalysisFilter = { type: 'length', max: 64 }

/** The analyzers that need no definition, by name. */
function builtInAnalyzer(name: string): Analyzer | undefined {
  if (name === 'standard') return { tokenizer: 'standard', filters: [LOWERCASE, FOLD, LENGTH] }
  if (name === 'simple') return { tokenizer: 'letter', filters: [LOWERCASE, LENGTH] }
  if (name === 'whitespace') return { tokenizer: 'whitespace', filters: [] }
  if (name === 'keyword') return { tokenizer: 'keyword', filters: [] }
  if (name === 'stop')
    return { tokenizer: 'letter', filters: [LOWERCASE, stopFilter('_english_', 'stop')] }
  if (LANGUAGES.includes(name)) return languageAnalyzer(name, {})
  return undefined
}

const NO_WORDS = 'must be a list, or name one like "_english_": without a language, true means none'

/** Analysis of words in one language, or in none: lower case, folded, without stop words, stemmed. */
function languageAnalyzer(language: string | undefined, analysis: Shape): Analyzer {
  const filters: AnalysisFilter[] = [LOWERCASE]
  if (analysis.asciiFolding !== false) filters.push(FOLD)
  filters.push(LENGTH)
  const named = analysis.stopWords ?? analysis.stop_words ?? analysis.stopwords
  const sent = named ?? language !== undefined
  if (sent === true && language === undefined)
    throw invalid('settings.analysis.stopWords', NO_WORDS)
  const listed = sent === true ? `_${language}_` : sent
  const stemmer = stemmerOf(analysis.stemming, language)
  if (Array.isArray(analysis.synonyms))
    filters.push(synonymFilter(analysis.synonyms, 'settings.analysis'))
  if (stemmer !== undefined) filters.push({ type: 'stemmer', language: stemmer })
  const analyzer = { tokenizer: 'standard', filters }
  if (listed === false) return analyzer
  return withStopWords(analyzer, stopFilter(listed, 'settings.analysis.stopWords'))
}

/**
 * The same with these stop words, in place of its own if it has any. A word is compared as it is written but for its
 * case: before it is folded, where the list has letters that folding changes, and before it is stemmed.
 */
function withStopWords({ tokenizer, filters }: Analyzer, stop: AnalysisFilter): Analyzer {
  const rest = filters.filter(({ type }) => type !== 'stop')
  const isLower = rest.some(({ type }) => type === 'lowercase')
  const words = Array.isArray(stop.words) ? { words: stop.words.map(isLower ? lower : wordOf) } : {}
  const early = rest.findIndex(({ type }) => type === 'asciifolding')
  const late = rest.findIndex(({ type }) => type === 'synonym' || type === 'stemmer')
  const at = early >= 0 && !isAscii(stop) ? early : late
  rest.splice(at < 0 ? rest.length : at, 0, { ...stop, ...words })
  return { tokenizer, filters: rest }
}

function lower(word: unknown): string {
  return wordOf(word).toLowerCase()
}

/** Whether folding changes none of a list's words. English is the one language of which that is known. */
function isAscii({ words }: AnalysisFilter): boolean {
  return Array.isArray(words) && words.every((word) => /^[\x20-\x7e]*$/.test(wordOf(word)))
}

/**
 * Reads `settings.analysis` (language, stop words, synonyms, folding, and named analyzers in the
 * `analyzer`/`tokenizer`/`filter` shape) into the analyzers that the core builds. `default` is always there.
 * Throws UNKNOWN_ANALYZER naming what it does not know and listing what it does.
 */
export function readAnalyzers(analysis: Shape): Record<string, Analyzer> {
  const language = readLanguage(analysis)
  const analyzers: Record<string, Analyzer> = {
    default: languageAnalyzer(language, analysis),
  }
  for (const [name, definition] of Object.entries(asShape(analysis.analyzer, 'analyzer')))
    analyzers[name] = readAnalyzer(asShape(definition, `analyzer.${name}`), analysis, name)
  return analyzers
}

/** The analyzer called `name`: one of the index's own, or a built-in one (then added to `analyzers`). */
export function findAnalyzer(
  name: string,
  analyzers: Record<string, Analyzer>,
  path: string,
): string {
  if (Object.hasOwn(analyzers, name)) return name
  const builtIn = builtInAnalyzer(name)
  if (builtIn === undefined) throw unknown('analyzer', path, knownAnalyzers(analyzers))
  analyzers[name] = builtIn
  return name
}

function knownAnalyzers(analyzers: Record<string, Analyzer>): string[] {
  return [
    ...new Set([
      ...Object.keys(analyzers),
      'standard',
      'simple',
      'whitespace',
      'keyword',
      'stop',
      ...LANGUAGES,
    ]),
  ]
}

function readLanguage(analysis: Shape): string | undefined {
  const word = lower(analysis.language ?? stemmerOf(analysis.stemming, undefined) ?? 'english')
  if (isNoLanguage(word)) return undefined
  const language = languageOf(word)
  if (language === undefined)
    throw unknown('language', 'settings.analysis.language', ['none', ...LANGUAGES])
  return language
}

function readAnalyzer(definition: Shape, analysis: Shape, name: string): Analyzer {
  const path = `settings.analysis.analyzer.${name}`
  const type = lower(definition.type ?? 'custom')
  if (type !== 'custom') {
    const builtIn = builtInAnalyzer(type)
    if (builtIn === undefined) throw unknown('analyzer type', path, knownAnalyzers({}))
    return definition.stopwords === undefined
      ? builtIn
      : withStopWords(builtIn, stopFilter(definition.stopwords, `${path}.stopwords`))
  }
  const tokenizers = asShape(analysis.tokenizer, 'tokenizer')
  const filters = asShape(analysis.filter, 'filter')
  const names = definition.filter ?? definition.filters ?? []
  return {
    tokenizer: readTokenizer(wordOf(definition.tokenizer ?? 'standard'), tokenizers, path),
    filters: (Array.isArray(names) ? names : [names]).map((filter) =>
      readFilter(wordOf(filter), filters, path),
    ),
  }
}

function readTokenizer(name: string, own: Shape, path: string): Analyzer['tokenizer'] {
  if (Object.hasOwn(own, name)) {
    const definition = asShape(own[name], `tokenizer.${name}`)
    const type = wordOf(definition.type)
    if (!TOKENIZERS.includes(type))
      throw unknown('type', `settings.analysis.tokenizer.${name}.type`, TOKENIZERS)
    return {
      type,
      ...readLength('min', definition.min_gram, `tokenizer.${name}.min_gram`),
      ...readLength('max', definition.max_gram, `tokenizer.${name}.max_gram`),
    }
  }
  if (!TOKENIZERS.includes(name))
    throw unknown('tokenizer', path, [...TOKENIZERS, ...Object.keys(own)])
  return name
}

/** Longest gram that the core makes. */
const GRAM_MAX = 64
/** Longest word that a filter may let pass. */
const WORD_MAX = 1_000_000

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
    throw invalid(`settings.analysis.${path}`, `must be a whole number from 1 to ${most}`)
  return { [key]: Number(length) }
}

const FILTERS =
  'lowercase asciifolding stop stemmer snowball porter_stem synonym synonym_graph length'.split(' ')

const OWN_RULES = 'define a filter of your own under settings.analysis.filter, with synonyms'

function readFilter(name: string, own: Shape, path: string): AnalysisFilter {
  const isOwn = Object.hasOwn(own, name)
  const definition = isOwn ? asShape(own[name], `filter.${name}`) : {}
  const place = isOwn ? `settings.analysis.filter.${name}` : path
  const type = wordOf(definition.type ?? name)
  if (type === 'lowercase' || type === 'asciifolding') return { type }
  if (type === 'stop') return stopFilter(definition.stopwords ?? '_english_', `${place}.stopwords`)
  if (type === 'porter_stem') return { type: 'stemmer', language: 'english' }
  if (type === 'synonym' || type === 'synonym_graph') {
    if (!isOwn) throw invalid(path, `names ${name}, which has no rules; ${OWN_RULES}`)
    return synonymFilter(definition.synonyms, place)
  }
  if (type === 'length')
    return { type, ...readLength('max', definition.max ?? 64, `filter.${name}.max`, WORD_MAX) }
  if (type === 'stemmer' || type === 'snowball') {
    const language = languageOf(lower(definition.language ?? definition.name ?? 'english'))
    if (language === undefined) throw unknown('stemmer', `${place}.language`, LANGUAGES)
    return { type: 'stemmer', language }
  }
  if (isOwn) throw unknown('type', `${place}.type`, FILTERS)
  throw unknown('filter', path, [...FILTERS, ...Object.keys(own)])
}

function stopFilter(words: unknown, path: string): AnalysisFilter {
  if (Array.isArray(words)) return { type: 'stop', words: words.map((word) => wordOf(word)) }
  const name = wordOf(words).replaceAll('_', '').toLowerCase()
  if (name === 'none') return { type: 'stop', words: [] }
  if (name === 'english' || name === 'en') return { type: 'stop', words: ENGLISH_STOP_WORDS }
  const language = languageOf(name)
  if (language !== undefined) return { type: 'stop', language }
  throw unknown('stop word list', path, ['_none_', ...LANGUAGES.map((language) => `_${language}_`)])
}

/** Rules as lists of equal words, or lines `a, b` and `a => b`. */
function synonymFilter(rules: unknown, path: string): AnalysisFilter {
  if (!Array.isArray(rules)) throw invalid(`${path}.synonyms`, 'must be a list of rules')
  const lines = rules.map((rule) => {
    if (Array.isArray(rule)) return rule.map((word) => wordOf(word))
    const line = wordOf(rule)
    return line.includes('=>') ? [line] : line.split(',').map((word) => word.trim())
  })
  return { type: 'synonym', rules: lines }
}

function asShape(value: unknown, path: string): Shape {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Shape
  throw invalid(`settings.analysis.${path}`, 'must be an object')
}

function unknown(what: string, path: string, known: readonly string[]): Error {
  return invalid(
    path,
    `names an unknown ${what}; known are ${known.join(', ')}`,
    'UNKNOWN_ANALYZER',
  )
}
