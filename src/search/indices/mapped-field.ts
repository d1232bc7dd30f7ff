import { invalid } from '../../errors.ts'
import { wordOf } from '../../word.ts'
import { findAnalyzer } from './analysis.ts'
import type { Analyzer } from './analysis-parts.ts'
import { type Embedder, mustBeDimensions } from './embedder.ts'
import { declaredType } from './unhonoured.ts'

const TYPES = ['text', 'keyword', 'integer', 'long', 'float', 'double', 'boolean', 'date'] as const
export type FieldType = (typeof TYPES)[number]

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

type Shape = Record<string, unknown>

/** What the fields of a mapping become while they are read one after the other. */
interface Reading {
  analyzers: Record<string, Analyzer>
  fields: FieldDefinition[]
  objects: ObjectDefinition[]
  embedder: Embedder
}

/** A field where it is declared. */
interface Place {
  name: string
  /** The field whose values it reads: itself, or the one that it is a sub-field of. */
  source: string
  /** Where the request says so. */
  path: string
}

/** Reads what a mapping says of one field, and of those inside it. Throws UNKNOWN_ANALYZER or VALIDATION_FAILED. */
export function readMappedField(name: string, sent: unknown, reading: Reading): void {
  readField({ name, source: name, path: `mappings.properties.${name}` }, sent, reading)
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
