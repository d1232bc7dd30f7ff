import { nearestName } from '../../nearest-name.ts'
import { ownValue } from '../../object.ts'
import { shownName } from '../../word.ts'

const ANALYSIS = 'settings.analysis'
const STOP_WORDS = `${ANALYSIS}.stopWords`
const DIMENSIONS = 'settings.embedder.dimensions'
const PROPERTIES = 'mappings.properties'

/** Where it is read what clients send in other places of a declaration, or call as other search engines do. */
const READ_AT: Readonly<Record<string, string>> = {
  mapping: 'mappings',
  mappings: 'mappings',
  schema: 'mappings',
  setting: 'settings',
  index: 'settings',
  properties: PROPERTIES,
  fields: PROPERTIES,
  dynamic: 'mappings.dynamic',
  analysis: ANALYSIS,
  language: `${ANALYSIS}.language`,
  lang: `${ANALYSIS}.language`,
  stemming: `${ANALYSIS}.stemming`,
  stemmer: `${ANALYSIS}.stemming`,
  asciiFolding: `${ANALYSIS}.asciiFolding`,
  asciifolding: `${ANALYSIS}.asciiFolding`,
  stopWords: STOP_WORDS,
  stop_words: STOP_WORDS,
  stopwords: STOP_WORDS,
  synonyms: `${ANALYSIS}.synonyms`,
  analyzer: `${ANALYSIS}.analyzer`,
  tokenizer: `${ANALYSIS}.tokenizer`,
  filter: `${ANALYSIS}.filter`,
  embedder: 'settings.embedder',
  dims: DIMENSIONS,
  dim: DIMENSIONS,
  dimension: DIMENSIONS,
  dimensions: DIMENSIONS,
  shards: 'settings.shards',
  number_of_shards: 'settings.number_of_shards',
  replication: 'settings.replication',
  number_of_replicas: 'settings.number_of_replicas',
}

/** The end of a warning about a name that is not read at `at` (nothing: the declaration as a whole): what is, if that is known. */
export function readInstead(at: string, name: string, known: Iterable<string>): string {
  const beside = at === '' ? '' : `${at}.`
  const place = languageOfField(at, name) ?? ownValue(READ_AT, name)
  const isElsewhere = place !== undefined && place !== `${beside}${name}` && place !== at
  const meant = isElsewhere ? fromThere(place, beside) : nearestName(shownName(name), known)
  return meant === undefined ? '' : `; "${meant}" is`
}

/** A field has the analyzer of a language, which goes by its name. */
function languageOfField(at: string, name: string): string | undefined {
  const isField = at.startsWith(`${PROPERTIES}.`)
  return isField && ['language', 'lang'].includes(name) ? `${at}.analyzer` : undefined
}

/** A name of the same place is told by itself. */
function fromThere(place: string, beside: string): string {
  const name = place.slice(beside.length)
  return place.startsWith(beside) && !name.includes('.') ? name : place
}
