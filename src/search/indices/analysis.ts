import { invalid } from '../../errors.ts'
import { lowerWord, wordOf } from '../../word.ts'
import {
  type AnalysisFilter,
  type Analyzer,
  asShape,
  readFilter,
  readTokenizer,
  type Shape,
  stopFilter,
  synonymFilter,
  unknown,
  WORD_LENGTH,
} from './analysis-parts.ts'
import { isNoLanguage, LANGUAGES, languageOf, stemmerOf } from './languages.ts'
import type { SentAnalysis } from './sent-analysis.ts'

const LOWERCASE: AnalysisFilter = { type: 'lowercase' }
const FOLD: AnalysisFilter = { type: 'asciifolding' }
const LENGTH: AnalysisFilter = { type: 'length', max: WORD_LENGTH }
/** The analyzers of no language that need no definition. */
const BUILT_IN = new Map<string, Analyzer>([
  ['standard', { tokenizer: 'standard', filters: [LOWERCASE, FOLD, LENGTH] }],
  ['simple', { tokenizer: 'letter', filters: [LOWERCASE, LENGTH] }],
  ['whitespace', { tokenizer: 'whitespace', filters: [] }],
  ['keyword', { tokenizer: 'keyword', filters: [] }],
  ['stop', { tokenizer: 'letter', filters: [LOWERCASE, stopFilter('_english_', 'stop')] }],
])
/** What an analyzer that goes by the name of a language adds to it: nothing. */
const NOTHING_SENT: SentAnalysis = { path: '', analysis: {} }

/** The analyzer that needs no definition and is called `name`. */
function builtInAnalyzer(name: string): Analyzer | undefined {
  return LANGUAGES.includes(name) ? languageAnalyzer(name, NOTHING_SENT) : BUILT_IN.get(name)
}

/** What stop words may be sent as. */
const STOP_WORDS = ['stopWords', 'stop_words', 'stopwords']
const NO_WORDS = 'must be a list, or name one like "_english_": without a language, true means none'

/** Analysis of words in one language, or in none: lower case, folded, without stop words, stemmed. */
function languageAnalyzer(
  language: string | undefined,
  { path, analysis }: SentAnalysis,
): Analyzer {
  const filters: AnalysisFilter[] = [LOWERCASE]
  if (analysis.asciiFolding !== false) filters.push(FOLD)
  filters.push(LENGTH)
  const spelling = STOP_WORDS.find((name) => (analysis[name] ?? undefined) !== undefined)
  const stopWords = `${path}.${spelling ?? STOP_WORDS[0]}`
  const sent = spelling === undefined ? language !== undefined : analysis[spelling]
  if (sent === true && language === undefined) throw invalid(stopWords, NO_WORDS)
  const listed = sent === true ? `_${language}_` : sent
  const stemmer = stemmerOf(analysis.stemming, language, `${path}.stemming`)
  if (stemmer !== undefined) filters.push({ type: 'stemmer', language: stemmer })
  // Behind the stemmer: what a rule says of a word holds for all of its forms.
  if (Array.isArray(analysis.synonyms)) filters.push(synonymFilter(analysis.synonyms, path))
  const analyzer = { tokenizer: 'standard', filters }
  if (listed === false) return analyzer
  // A title like "It" has no other words to be found by.
  return withStopWords(analyzer, { ...stopFilter(listed, stopWords), unlessAlone: true })
}

/**
 * An analyzer with these stop words, in place of its own if it has any. A word is compared as it is written but for
 * its case: before it is folded, where the list has letters that folding changes, and before it is stemmed.
 */
function withStopWords({ tokenizer, filters }: Analyzer, stop: AnalysisFilter): Analyzer {
  const rest = filters.filter(({ type }) => type !== 'stop')
  const isLower = rest.some(({ type }) => type === 'lowercase')
  const words = Array.isArray(stop.words)
    ? { words: stop.words.map(isLower ? lowerWord : wordOf) }
    : {}
  const early = rest.findIndex(({ type }) => type === 'asciifolding')
  const late = rest.findIndex(({ type }) => type === 'synonym' || type === 'stemmer')
  const at = early >= 0 && !isAscii(stop) ? early : late
  rest.splice(at < 0 ? rest.length : at, 0, { ...stop, ...words })
  return { tokenizer, filters: rest }
}

/** Whether folding changes none of a list's words. English is the one language of which that is known. */
function isAscii({ words }: AnalysisFilter): boolean {
  return Array.isArray(words) && words.every((word) => /^[\x20-\x7e]*$/.test(wordOf(word)))
}

/**
 * Reads the `analysis` of settings (language, stop words, synonyms, folding, and named analyzers in the
 * `analyzer`/`tokenizer`/`filter` shape) into the analyzers that the core builds. `default` is always there.
 * Throws UNKNOWN_ANALYZER naming what it does not know and listing what it does.
 */
export function readAnalyzers(sent: SentAnalysis): Record<string, Analyzer> {
  const analyzers: Record<string, Analyzer> = {
    default: languageAnalyzer(readLanguage(sent), sent),
  }
  const at = `${sent.path}.analyzer`
  for (const [name, definition] of Object.entries(asShape(sent.analysis.analyzer, at))) {
    const path = `${at}.${name}`
    analyzers[name] = readAnalyzer(asShape(definition, path), sent, path)
  }
  return analyzers
}

/** The analyzer called `name`: one of the index's own, or a built-in one (then added to `analyzers`). */
export function findAnalyzer(
  name: string,
  analyzers: Record<string, Analyzer>,
  path: string,
): string {
  if (Object.hasOwn(analyzers, name)) return name
  const word = lowerWord(name)
  if (word === 'default') return word
  const builtIn = builtInAnalyzer(word)
  if (builtIn === undefined) throw unknown('analyzer', path, knownAnalyzers(analyzers))
  if (!Object.hasOwn(analyzers, word)) analyzers[word] = builtIn
  return word
}

function knownAnalyzers(analyzers: Record<string, Analyzer>): string[] {
  return [...new Set([...Object.keys(analyzers), ...BUILT_IN.keys(), ...LANGUAGES])]
}

function readLanguage({ path, analysis }: SentAnalysis): string | undefined {
  const stemmer = stemmerOf(analysis.stemming, undefined, `${path}.stemming`)
  const word = lowerWord(analysis.language ?? stemmer ?? 'english')
  if (isNoLanguage(word)) return undefined
  const language = languageOf(word)
  if (language === undefined) throw unknown('language', `${path}.language`, ['none', ...LANGUAGES])
  return language
}

function readAnalyzer(definition: Shape, sent: SentAnalysis, path: string): Analyzer {
  const type = lowerWord(definition.type ?? 'custom')
  if (type !== 'custom') {
    const builtIn = builtInAnalyzer(type)
    if (builtIn === undefined) throw unknown('analyzer type', `${path}.type`, knownAnalyzers({}))
    return definition.stopwords === undefined
      ? builtIn
      : withStopWords(builtIn, stopFilter(definition.stopwords, `${path}.stopwords`))
  }
  const key = (definition.filter ?? undefined) === undefined ? 'filters' : 'filter'
  const names = definition[key] ?? []
  return {
    tokenizer: readTokenizer(wordOf(definition.tokenizer ?? 'standard'), sent, `${path}.tokenizer`),
    filters: Array.isArray(names)
      ? names.map((name, at) => readFilter(wordOf(name), sent, `${path}.${key}[${at}]`))
      : [readFilter(wordOf(names), sent, `${path}.${key}`)],
  }
}
