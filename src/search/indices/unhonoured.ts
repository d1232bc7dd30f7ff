import { nearestName } from '../../nearest-name.ts'
import { asObject } from '../../object.ts'
import type { IndexMappings, IndexSettings } from '../../schema/indices.ts'
import { lowerWord, shownName } from '../../word.ts'
import { isNoLanguage } from './languages.ts'
import { sentAnalyses } from './sent-analysis.ts'
import { unlistedStopWords } from './stop-word-lists.ts'
import { unreadParts } from './unread-parts.ts'

type Shape = Record<string, unknown>

const SHARDS = ['shards', 'number_of_shards']
const REPLICAS = ['replication', 'number_of_replicas']
/** What is read of settings, and what more than that search engines nest below `index`. */
const SETTINGS: ReadonlySet<string> = new Set([
  ...SHARDS,
  ...REPLICAS,
  'analysis',
  'embedder',
  'index',
])
const ANALYSIS: ReadonlySet<string> = new Set([
  'language',
  'stemming',
  'asciiFolding',
  'stopWords',
  'stop_words',
  'stopwords',
  'synonyms',
  'analyzer',
  'tokenizer',
  'filter',
])
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
  'dims',
  'dimensions',
  'dimension',
])
/** What only fields have whose words are searched. */
const OF_WORDS = ['analyzer', 'search_analyzer', 'searchAnalyzer', 'weight', 'boost'] as const
/** Warnings of one declaration. */
const WARNINGS_MAX = 32

/** What a declaration asks for and the embedded engine records but can't honour: it is said, not swallowed. */
export function unhonouredIn(settings: IndexSettings, mappings: IndexMappings): string[] {
  const warnings = [...countsIn(settings)]
  warnings.push(...unread('settings', settings, SETTINGS))
  warnings.push(...unread('settings.index', settings.index, SETTINGS))
  warnings.push(...inEmbedder(settings.embedder))
  for (const sent of sentAnalyses(settings)) {
    const { path, analysis } = sent
    warnings.push(...unread(path, analysis, ANALYSIS))
    warnings.push(...withoutStemmer(path, analysis))
    warnings.push(...unlistedStopWords(sent))
    warnings.push(...charFilters(path, analysis))
    for (const part of unreadParts(path, analysis))
      warnings.push(`${part}: recorded, not honoured.`)
  }
  for (const path of unreadNames('mappings', mappings, MAPPINGS))
    warnings.push(`${path}: recorded, not read; fields are listed in mappings.properties.`)
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

function* inProperties(at: string, properties: unknown): Iterable<string> {
  for (const [name, sent] of Object.entries(asObject(properties) ?? {})) {
    const property = asObject(sent) ?? {}
    const path = `${at}.${name}`
    yield* unread(path, property, PROPERTY)
    const type = declaredType(property)
    yield* ofWords(path, property, type)
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

function* inEmbedder(sent: Shape | undefined): Iterable<string> {
  const path = 'settings.embedder'
  const isHttp = lowerWord(sent?.kind ?? sent?.source) === 'http'
  if (sent?.model !== undefined && !isHttp)
    yield `${path}.model: recorded, not honoured; only the vectors of an endpoint are told apart by it.`
  yield* unread(path, sent, EMBEDDER)
}

function unread(at: string, sent: unknown, known: ReadonlySet<string>): string[] {
  return unreadNames(at, sent, known).map((path) => {
    const nearest = nearestName(shownName(path.slice(at.length + 1)), known)
    const instead = nearest === undefined ? '' : `; "${nearest}" is`
    return `${path}: recorded, not honoured${instead}.`
  })
}

function unreadNames(at: string, sent: unknown, known: ReadonlySet<string>): string[] {
  const names = Object.keys(asObject(sent) ?? {}).filter((name) => !known.has(name))
  return names.map((name) => `${at}.${name}`)
}
