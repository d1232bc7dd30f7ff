import type { Config } from '../../config.ts'
import { invalid } from '../../errors.ts'
import { wellFormedJson } from '../../json/well-formed.ts'
import type { IndexMappings, IndexSettings } from '../../schema/indices.ts'
import { lowerWord, wordOf } from '../../word.ts'
import { findAnalyzer, readAnalyzers } from './analysis.ts'
import type { Analyzer } from './analysis-parts.ts'
import { openBelow } from './dotted.ts'
import { type Embedder, mustBeDimensions, readEmbedder } from './embedder.ts'
import { type GramField, gramFields } from './grams.ts'
import { sentAnalysis } from './sent-analysis.ts'
import { type StrictNames, strictNames } from './strict.ts'
import { declaredType, unhonouredIn } from './unhonoured.ts'

const TYPES = ['text', 'keyword', 'integer', 'long', 'float', 'double', 'boolean', 'date'] as const
export type FieldType = (typeof TYPES)[number]

/** What lies under a name: values, objects whose fields have some, or values of no mapping of which none is a number. */
export type Under = 'values' | 'objects' | 'words'

/** One field of an index as the Rust core reads it. */
export interface FieldDefinition {
  /** Name in filters, facets and sorts; a sub-field is `title.raw`. */
  name: string
  /** Dotted path of its values in the document. */
  source: string
  type: FieldType
  analyzer?: string
  searchAnalyzer?: string
  weight?: number
  /** Part of a search that names no fields. */
  searched?: boolean
  /** Its text goes into the document's vector. */
  vectorized?: boolean
}

/** A field that holds objects. */
export interface ObjectDefinition {
  name: string
  /** The mapping names no field inside: it may hold any. */
  isOpen: boolean
  /** No field of the index lies inside. */
  isBare: boolean
}

/** Everything that decides how an index's documents are analysed and found. */
export interface Definition {
  analyzers: Record<string, Analyzer>
  fields: FieldDefinition[]
  /** Fields that hold objects, by dotted path. */
  objects: ObjectDefinition[]
  /** The fields whose words are cut into pieces. */
  grams: GramField[]
  /** What lies under the names that filters, facets and sorts have for fields and objects. */
  names: ReadonlyMap<string, Under>
  /** The types of the fields by their names: a filter may name a thousand. */
  types: ReadonlyMap<string, FieldType>
  dynamic: boolean
  /** `dynamic: "strict"`: fields that the mapping doesn't name are refused; absent: none are. */
  strict: StrictNames | undefined
  embedder: Embedder
  warnings: string[]
}

type Shape = Record<string, unknown>

/** The mapping of the known fields; an index's own mapping is laid over it. */
export const DEFAULT_PROPERTIES: Record<string, Shape> = {
  title: { type: 'text', weight: 2, vectorized: true },
  content: { type: 'text', vectorized: true },
  abstract: { type: 'text', vectorized: true },
  authors: { type: 'keyword', searched: true },
  tags: { type: 'keyword', searched: true },
  source: { type: 'keyword', searched: true },
  created: { type: 'date' },
  updated: { type: 'date' },
}

/**
 * Compiles settings and mappings into the definition that the core opens an index with.
 * Throws UNKNOWN_ANALYZER, MAPPING_CONFLICT or VALIDATION_FAILED, naming the place.
 */
export function compileDefinition(
  settings: IndexSettings,
  mappings: IndexMappings,
  config: Pick<Config, 'embedder' | 'embedderDimensions'>,
): Definition {
  const analyzers = readAnalyzers(sentAnalysis(settings))
  const warnings = unhonouredIn(settings, mappings)
  const fields: FieldDefinition[] = []
  const objects: Definition['objects'] = []
  const embedder = readEmbedder(settings, config)
  // An object without a prototype is a table from its first name on: any other would change its shape with each.
  const properties: Record<string, unknown> = Object.create(null)
  Object.assign(properties, DEFAULT_PROPERTIES, mappings.properties)
  for (const [name, property] of Object.entries(properties))
    readField(placeOf(name), property, { analyzers, fields, objects, embedder, warnings })
  const hasBelow = openBelow(fields.map(({ source }) => source))
  for (const object of objects) object.isBare = !hasBelow(object.name)
  const dynamic = mappings.dynamic === undefined ? 'true' : lowerWord(mappings.dynamic)
  if (!['true', 'false', 'strict'].includes(dynamic))
    throw invalid('mappings.dynamic', 'must be true, false or "strict"')
  return {
    analyzers,
    fields,
    objects,
    grams: gramFields(fields, analyzers),
    // The first of a name counts.
    types: new Map(fields.toReversed().map(({ name, type }) => [name, type])),
    names: new Map([...named(objects, 'objects'), ...named(fields, 'values')]),
    dynamic: dynamic === 'true',
    strict: dynamic === 'strict' ? strictNames({ fields, objects, embedder }) : undefined,
    embedder,
    warnings,
  }
}

function named(fields: readonly { name: string }[], under: Under): [string, Under][] {
  return fields.map(({ name }) => [name, under])
}

/** Fields of a document that hold texts, whatever a mapping says. */
const TEXTS = ['title', 'content', 'abstract', 'authors', 'tags', 'source']
/** Types of fields that texts may be in. */
export const FOR_TEXTS: readonly string[] = ['text', 'keyword', 'date'] satisfies FieldType[]

/** Gives a definition back; throws VALIDATION_FAILED where it maps such a field to what no document could hold there. */
export function mustTakeTexts(definition: Definition): Definition {
  const { fields, objects, embedder } = definition
  for (const name of TEXTS) {
    const isObject = objects.some((object) => object.name === name) || embedder.field === name
    const type = fields.find((field) => field.name === name)?.type ?? 'text'
    if (!isObject && FOR_TEXTS.includes(type)) continue
    const message = `must be one of ${FOR_TEXTS.join(', ')}: ${name} of a document holds texts; map a field of another name`
    throw invalid(`mappings.properties.${name}.type`, message)
  }
  return definition
}

/** The part of a definition that the core is opened with, as JSON. An endpoint's vectors are given ones to it. */
export function definitionJson({ analyzers, fields, dynamic, embedder }: Definition): string {
  const { kind, field: _field, model: _model, ...rest } = embedder
  return wellFormedJson({
    analyzers,
    fields,
    dynamic,
    embedder: { kind: kind === 'learned' ? 'learned' : 'given', ...rest },
  })
}

interface Reading {
  analyzers: Record<string, Analyzer>
  fields: FieldDefinition[]
  objects: Definition['objects']
  embedder: Embedder
  warnings: string[]
}

/** A field where it is declared. */
interface Place {
  name: string
  /** The field whose values it reads: itself, or the one that it is a sub-field of. */
  source: string
  /** Where the request says so. */
  path: string
}

function placeOf(name: string): Place {
  return { name, source: name, path: `mappings.properties.${name}` }
}

function readField(place: Place, sent: unknown, reading: Reading): void {
  const { name, source, path } = place
  const property = mustBeObject(sent, path)
  const type = declaredType(property)
  if (name.startsWith('_')) throw invalid(path, 'field names must not start with _')
  if (type === 'object') {
    const object = { name, isOpen: property.properties === undefined, isBare: true }
    if (name === source) reading.objects.push(object)
    const at = `${path}.properties`
    for (const [child, inner] of Object.entries(mustBeObject(property.properties ?? {}, at))) {
      const whole = `${name}.${child}`
      readField({ name: whole, source: whole, path: `${at}.${child}` }, inner, reading)
    }
    return
  }
  if (type === 'dense_vector') {
    readVectorField(place, property, reading)
    return
  }
  if (!TYPES.includes(type as FieldType))
    throw invalid(`${path}.type`, `must be one of ${TYPES.join(', ')}, dense_vector, object`)
  reading.fields.push(fieldDefinition(place, type as FieldType, property, reading.analyzers))
  const at = `${path}.fields`
  for (const [child, inner] of Object.entries(mustBeObject(property.fields ?? {}, at)))
    readField({ name: `${name}.${child}`, source, path: `${at}.${child}` }, inner, reading)
}

function mustBeObject(sent: unknown, path: string): Shape {
  if (typeof sent === 'object' && sent !== null && !Array.isArray(sent)) return sent as Shape
  throw invalid(path, 'must be an object')
}

function fieldDefinition(
  { name, source, path }: Place,
  type: FieldType,
  property: Shape,
  analyzers: Record<string, Analyzer>,
): FieldDefinition {
  const field: FieldDefinition = { name, source, type }
  const isSubField = name !== source
  const searched =
    property.searched ?? property.index ?? (type === 'text' && !isSubField ? true : undefined)
  if (type === 'text' || (type === 'keyword' && property.searched === true)) {
    const own = wordOf(property.analyzer ?? 'default')
    field.analyzer = findAnalyzer(own, analyzers, `${path}.analyzer`)
    const key = spellingOf(property, 'search_analyzer', 'searchAnalyzer')
    const search = property[key]
    if (search !== undefined)
      field.searchAnalyzer = findAnalyzer(wordOf(search), analyzers, `${path}.${key}`)
    field.searched = searched !== false && searched !== undefined
    field.weight = readWeight(property, path)
  }
  if (type === 'text') field.vectorized = property.vectorized !== false && !isSubField
  return field
}

function readWeight(property: Shape, path: string): number {
  const key = spellingOf(property, 'weight', 'boost')
  const weight = property[key]
  if (weight === undefined) return 1
  if (typeof weight !== 'number' || !(weight > 0) || weight > 1e6)
    throw invalid(`${path}.${key}`, 'must be a number above 0, at most 1000000')
  return weight
}

/** Which of two names a field's setting was sent under. Earlier versions took null for nothing. */
function spellingOf(property: Shape, first: string, second: string): string {
  return (property[first] ?? undefined) === undefined ? second : first
}

function readVectorField({ name, path }: Place, property: Shape, { embedder }: Reading): void {
  if (embedder.field !== undefined && embedder.field !== name)
    throw invalid(path, 'is a second dense_vector field; an index has one vector a document')
  const sent = property.dims ?? property.dimensions ?? property.dimension
  const dimensions = mustBeDimensions(sent, `${path}.dims`)
  Object.assign(embedder, { kind: 'given', dimensions, field: name })
}
