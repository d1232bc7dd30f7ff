import { asObject } from '../../object.ts'
import type { IndexMappings, IndexSettings } from '../../schema/indices.ts'
import { lowerWord } from '../../word.ts'
import { isNoLanguage } from './languages.ts'
import { readInstead } from './read-elsewhere.ts'
import { type SentAnalysis, sentAnalyses } from './sent-analysis.ts'
import { unlistedStopWords } from './stop-word-lists.ts'
import { unreadParts } from './unread-parts.ts'

type Shape = Record<string, unknown>

const SHARDS = ['shards', 'number_of_shards']
const REPLICAS = ['replication', 'number_of_replicas']
/** What is read of settings, and of what search engines nest below `index` of them. */
const BELOW_INDEX: ReadonlySet<string> = new Set([...SHARDS, ...REPLICAS, 'analysis'])
const SETTINGS: ReadonlySet<string> = new Set([...BELOW_INDEX, 'embedder', 'index'])
/** What makes up the analyzer `default`, where none of this name is declared. */
const OF_DEFAULT = [
  'language',
  'stemming',
  'asciiFolding',
  'stopWords',
  'stop_words',
  'stopwords',
  'synonyms',
]
const ANALYSIS: ReadonlySet<string> = new Set([...OF_DEFAULT, 'analyzer', 'tokenizer', 'filter'])
const EMBEDDER: ReadonlySet<string> = new Set([
  'kind',
  'source',
  'dimensions',
  'model',
  'field',
  'cut',
  'weights',
])
const MAPPINGS: ReadonlySet<string> = new Set(['dynamic', 'properties'])
/** What the length of a vector may be sent as. */
const LENGTHS = ['dims', 'dimensions', 'dimension']
const PROPERTY: ReadonlySet<string> = new Set([
  'type',
  'fields',
  'properties',
  'searched',
  'vectorized',
  'weight',
  'boost',
  'index',
  'analyzer',
  'search_analyzer',
  'searchAnalyzer',
  ...LENGTHS,
])
/** What only fields have whose words are searched. */
const OF_WORDS = ['analyzer', 'search_analyzer', 'searchAnalyzer', 'weight', 'boost'] as const
/** Warnings of one declaration. */
const WARNINGS_MAX = 32

/** What a declaration asks for and the embedded engine records but can't honour: it is said, not swallowed. */
export function unhonouredIn(settings: IndexSettings, mappings: IndexMappings): string[] {
  const warnings = [...countsIn(settings)]
  warnings.push(...unread('settings', settings, SETTINGS))
  warnings.push(...unread('settings.index', settings.index, BELOW_INDEX))
  warnings.push(...inEmbedder(settings.embedder, mappings))
  for (const sent of sentAnalyses(settings)) warnings.push(...inAnalysis(sent))
  warnings.push(...besideProperties(mappings))
  warnings.push(...inProperties('mappings.properties', mappings.properties))
  return warnings.slice(0, WARNINGS_MAX)
}

/** The type that a property of a mapping says, or that it has by saying none. */
export function declaredType({ type, properties }: Record<string, unknown>): string {
  return lowerWord(type ?? (properties === undefined ? 'text' : 'object'))
}

function* countsIn(sent: IndexSettings): Iterable<string> {
  const settings: Record<string, unknown> = { ...sent, ...asObject(sent.index) }
  const greatest = (names: string[]) =>
    Math.max(...names.map((name) => Number(settings[name] ?? 0)))
  if (greatest(SHARDS) > 1) yield 'shards: recorded; the embedded engine keeps one shard an index.'
  if (greatest(REPLICAS) > 0) yield 'replication: recorded; a single node keeps no replicas.'
}

function* inAnalysis(sent: SentAnalysis): Iterable<string> {
  const { path, analysis } = sent
  yield* unread(path, analysis, ANALYSIS)
  if (asObject(analysis.analyzer)?.default === undefined) {
    yield* withoutStemmer(path, analysis)
  } else {
    for (const name of OF_DEFAULT.filter((each) => analysis[each] !== undefined))
      yield `${path}.${name}: recorded, not honoured; ${path}.analyzer.default takes its place.`
  }
  yield* unlistedStopWords(sent)
  yield* charFilters(path, analysis)
  yield* unreadParts(path, analysis)
}

function* withoutStemmer(at: string, { language, stemming }: Shape): Iterable<string> {
  if (stemming === true && isNoLanguage(lowerWord(language)))
    yield `${at}.stemming: recorded, not honoured; without a language there is no stemmer: name one, such as "english".`
}

function charFilters(at: string, analysis: Shape): string[] {
  const analyzers = asObject(analysis.analyzer) ?? {}
  return Object.keys(analyzers)
    .filter((name) => [asObject(analyzers[name])?.char_filter ?? []].flat().length > 0)
    .map((name) => `${at}.analyzer.${name}.char_filter: recorded, not honoured.`)
}

function* besideProperties(mappings: Shape): Iterable<string> {
  for (const [name, sent] of Object.entries(mappings)) {
    if (MAPPINGS.has(name)) continue
    const isField = asObject(sent)?.type !== undefined
    const instead = isField ? '' : readInstead('mappings', name, MAPPINGS)
    const where = instead === '' ? '; fields are listed in mappings.properties' : instead
    yield `mappings.${name}: recorded, not read${where}.`
  }
}

function* inProperties(at: string, properties: unknown): Iterable<string> {
  for (const [name, sent] of Object.entries(asObject(properties) ?? {})) {
    const property = asObject(sent) ?? {}
    const path = `${at}.${name}`
    yield* unread(path, property, PROPERTY)
    const type = declaredType(property)
    yield* ofWords(path, property, type)
    yield* ofOtherTypes(path, property, type)
    if (property.index === false && type !== 'text')
      yield `${path}.index: recorded, not honoured; the field can be filtered, counted and sorted by.`
    yield* inProperties(`${path}.properties`, property.properties)
    yield* inProperties(`${path}.fields`, property.fields)
  }
}

function* ofWords(path: string, property: Record<string, unknown>, type: string): Iterable<string> {
  if (type === 'text' || (type === 'keyword' && property.searched === true)) return
  const why =
    type === 'keyword'
      ? 'words of a keyword field are searched with "searched": true.'
      : `a field of the type ${type} has no words.`
  const isAsked = (name: string) => property[name] !== undefined
  for (const name of OF_WORDS.filter(isAsked))
    yield `${path}.${name}: recorded, not honoured; ${why}`
  if (property.searched === true) yield `${path}.searched: recorded, not honoured; ${why}`
}

/** What only fields of one type have. */
function* ofOtherTypes(path: string, property: Shape, type: string): Iterable<string> {
  const isAsked = (name: string) => property[name] !== undefined
  const told = (name: string, why: string) => `${path}.${name}: recorded, not honoured; ${why}.`
  if (type !== 'dense_vector')
    for (const name of LENGTHS.filter(isAsked))
      yield told(name, `a field of the type ${type} holds no vector`)
  if (property.vectorized === true && type !== 'text')
    yield told('vectorized', 'only the words of a text field are part of the vector')
  if (type !== 'object' && isAsked('properties'))
    yield told('properties', `a field of the type ${type} has no fields inside of it`)
  if (['object', 'dense_vector'].includes(type) && isAsked('fields'))
    yield told('fields', `a field of the type ${type} has no values to read in another way`)
}

function* inEmbedder(sent: Shape = {}, mappings: IndexMappings): Iterable<string> {
  const path = 'settings.embedder'
  const told = (name: string, why: string) => `${path}.${name}: recorded, not honoured; ${why}.`
  const kind = lowerWord(sent.kind ?? sent.source)
  const isAsked = (name: string) => sent[name] !== undefined
  if (isAsked('model') && kind !== 'http')
    yield told('model', 'only the vectors of an endpoint are told apart by it')
  if (kind === 'learned')
    for (const name of ['cut', 'weights'].filter(isAsked))
      yield told(name, 'an index that learns its vectors measures it')
  if (isAsked('field') && !hasVector(mappings.properties))
    yield told('field', 'a field of the type dense_vector holds the vectors')
  yield* unread(path, sent, EMBEDDER)
}

function hasVector(properties: unknown): boolean {
  return Object.values(asObject(properties) ?? {}).some((sent) => {
    const property = asObject(sent) ?? {}
    const isVector = declaredType(property) === 'dense_vector'
    return isVector || hasVector(property.properties) || hasVector(property.fields)
  })
}

function unread(at: string, sent: unknown, known: ReadonlySet<string>): string[] {
  const names = Object.keys(asObject(sent) ?? {}).filter((name) => !known.has(name))
  return names.map((name) => {
    const instead = readInstead(at, name, known)
    return `${at}.${name}: recorded, not honoured${instead}.`
  })
}
