import type { Config } from '../../config.ts'
import { invalid } from '../../errors.ts'
import { wellFormedJson } from '../../json/well-formed.ts'
import type { IndexMappings, IndexSettings } from '../../schema/indices.ts'
import { lowerWord } from '../../word.ts'
import { readAnalyzers } from './analysis.ts'
import type { Analyzer } from './analysis-parts.ts'
import { openBelow } from './dotted.ts'
import { type Embedder, readEmbedder } from './embedder.ts'
import { type GramField, gramFields } from './grams.ts'
import {
  type FieldDefinition,
  type FieldType,
  type ObjectDefinition,
  readMappedField,
} from './mapped-field.ts'
import { sentAnalysis } from './sent-analysis.ts'
import { type StrictNames, strictNames } from './strict.ts'
import { unhonouredIn } from './unhonoured.ts'

/** What lies under a name: values, objects whose fields have some, or values of no mapping of which none is a number. */
export type Under = 'values' | 'objects' | 'words'

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

/** The mapping of the known fields; an index's own mapping is laid over it. */
export const DEFAULT_PROPERTIES: Record<string, Record<string, unknown>> = {
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
 * Throws UNKNOWN_ANALYZER or VALIDATION_FAILED, naming the place.
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
    readMappedField(name, property, { analyzers, fields, objects, embedder })
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
