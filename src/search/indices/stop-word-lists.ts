import { asObject } from '../../object.ts'
import { lowerWord, shownName } from '../../word.ts'
import { languageOf, STOP_WORD_LANGUAGES } from './languages.ts'
import type { SentAnalysis } from './sent-analysis.ts'

/** What stop words may be sent as. */
const SPELLINGS = ['stopWords', 'stop_words', 'stopwords']

/** What an analysis says of stop words of languages without a list: warnings. */
export function* unlistedStopWords(sent: SentAnalysis): Iterable<string> {
  for (const { path, language } of [...unlistedNames(sent), ...unlistedOwn(sent)])
    yield `${path}: recorded, not honoured; there is no list of stop words for ${language}: send your own.`
}

interface Unlisted {
  path: string
  language: string
}

/** The places that name the list of such a language. */
function* unlistedNames({ path, analysis }: SentAnalysis): Iterable<Unlisted> {
  for (const spelling of SPELLINGS) yield* unlisted(`${path}.${spelling}`, analysis[spelling])
  const analyzers = Object.entries(asObject(analysis.analyzer) ?? {})
  for (const [name, part] of analyzers)
    yield* unlisted(`${path}.analyzer.${shownName(name)}.stopwords`, asObject(part)?.stopwords)
  for (const [name, part] of Object.entries(asObject(analysis.filter) ?? {})) {
    const { type = name, stopwords } = asObject(part) ?? {}
    if (lowerWord(type) === 'stop')
      yield* unlisted(`${path}.filter.${shownName(name)}.stopwords`, stopwords)
  }
}

/** Where `true` asks for the stop words of the index's own language, if that is such a one. */
function* unlistedOwn({ path, analysis }: SentAnalysis): Iterable<Unlisted> {
  for (const spelling of SPELLINGS)
    if (analysis[spelling] === true)
      yield* unlisted(`${path}.${spelling}`, analysis.language ?? analysis.stemming)
}

function* unlisted(path: string, sent: unknown): Iterable<Unlisted> {
  const language = languageOf(lowerWord(sent).replaceAll('_', ''))
  if (language !== undefined && !STOP_WORD_LANGUAGES.includes(language)) yield { path, language }
}
