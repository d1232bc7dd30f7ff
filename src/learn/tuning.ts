import type { DocumentName, Tuning } from '../schema/tuning.ts'
import { wordOf } from '../word.ts'

/** What was understood of a free-form configuration, and the names of what was not. */
export interface TuningRead {
  tuning: Tuning
  unread: string[]
}

type Reader = (value: unknown, tuning: Tuning) => boolean

/** Every spelling that is understood; a value of the wrong form is left unread. */
const READERS: Record<string, Reader> = {
  fieldWeights: readFieldWeights,
  fieldBoosts: readFieldWeights,
  fields: readFieldWeights,
  boost: readBoost,
  weights: readBoost,
  legWeights: readBoost,
  textWeight: (value, tuning) => readLeg('text', value, tuning),
  vectorWeight: (value, tuning) => readLeg('vector', value, tuning),
  fusion: (value, tuning) => readWord('fusion', ['convex', 'rrf'], value, tuning),
  operator: (value, tuning) => readWord('operator', ['or', 'and'], value, tuning),
  fuzziness: (value, tuning) => readWord('fuzziness', ['0', '1', '2', 'auto'], value, tuning),
  neighbors: (value, tuning) => readNumber('neighbors', 1, 10_000, value, tuning),
  similarity: (value, tuning) => readNumber('similarity', -1, 1, value, tuning),
  minScore: (value, tuning) => readNumber('minScore', -1e9, 1e9, value, tuning),
  feedback: (value, tuning) => readBoolean('feedback', value, tuning),
  learning: (value, tuning) => readBoolean('learning', value, tuning),
  model: readModel,
  modelId: readModel,
  synonyms: readSynonyms,
  pins: (value, tuning) => readDocuments('pins', value, tuning),
  pinned: (value, tuning) => readDocuments('pins', value, tuning),
  boosts: (value, tuning) => readDocuments('boosts', value, tuning),
  thresholds: readNested,
  ranking: readNested,
  search: readNested,
}

/**
 * Reads a variant's `config` or an adaptation's `changes`, which may also be a list of such objects or of
 * `{parameter, value}`. Liberal: what is not understood is kept elsewhere as it came and named in `unread`, since
 * the vocabulary is open.
 */
export function readTuning(config: unknown): TuningRead {
  if (Array.isArray(config)) {
    const reads = config.map((entry) => readTuning(asSetting(entry)))
    return {
      tuning: layTunings(reads.map(({ tuning }) => tuning)),
      unread: reads.flatMap(({ unread }) => unread),
    }
  }
  const tuning: Tuning = {}
  const unread: string[] = []
  for (const [key, value] of Object.entries(asObject(config) ?? {})) {
    const read = Object.hasOwn(READERS, key) ? READERS[key] : undefined
    if (read === undefined || !read(value, tuning)) unread.push(key)
  }
  return { tuning, unread }
}

/** Lays tunings over each other, the later winning; maps and lists of documents are joined. */
export function layTunings(tunings: readonly Tuning[]): Tuning {
  const laid: Tuning = {}
  for (const tuning of tunings) {
    const { fieldWeights, synonyms, pins, boosts, ...plain } = tuning
    Object.assign(laid, plain)
    if (fieldWeights !== undefined) laid.fieldWeights = { ...laid.fieldWeights, ...fieldWeights }
    if (synonyms !== undefined) laid.synonyms = [...(laid.synonyms ?? []), ...synonyms]
    if (pins !== undefined) laid.pins = [...pins, ...(laid.pins ?? [])]
    if (boosts !== undefined) laid.boosts = [...(laid.boosts ?? []), ...boosts]
  }
  return laid
}

const NAMES = ['parameter', 'setting', 'key', 'path', 'target', 'name']
const VALUES = ['value', 'newValue', 'to', 'new']

/** `{parameter: 'ranking.vectorWeight', value: 0.4}` as `{ranking: {vectorWeight: 0.4}}`; a field's weight likewise. */
function asSetting(entry: unknown): unknown {
  const sent = asObject(entry)
  if (sent === undefined) return { [wordOf(entry)]: undefined }
  const name = NAMES.map((key) => sent[key]).find((each) => typeof each === 'string')
  const value = [...VALUES, 'weight', 'boost', 'factor']
    .map((key) => sent[key])
    .find((each) => each !== undefined)
  if (typeof sent.field === 'string' && typeof value === 'number')
    return { fieldWeights: { [sent.field]: value } }
  if (name === undefined || value === undefined) return sent
  return String(name)
    .split('.')
    .reduceRight<unknown>((inner, part) => ({ [part]: inner }), value)
}

function readNested(value: unknown, tuning: Tuning): boolean {
  const nested = asObject(value)
  if (nested === undefined) return false
  const read = readTuning(nested)
  Object.assign(tuning, layTunings([tuning, read.tuning]))
  return read.unread.length === 0
}

function readFieldWeights(value: unknown, tuning: Tuning): boolean {
  const weights = asNumbers(value)
  if (weights === undefined) return false
  tuning.fieldWeights = { ...tuning.fieldWeights, ...weights }
  return true
}

/** `text` and `vector` weigh the legs, any other key a field, as in a search. */
function readBoost(value: unknown, tuning: Tuning): boolean {
  const weights = asNumbers(value)
  if (weights === undefined) return false
  const { text, vector, ...fields } = weights
  if (text !== undefined) readLeg('text', text, tuning)
  if (vector !== undefined) readLeg('vector', vector, tuning)
  if (Object.keys(fields).length > 0) readFieldWeights(fields, tuning)
  return true
}

/** One leg's weight; the other's is what is left of 1 until it is named itself. */
function readLeg(leg: 'text' | 'vector', value: unknown, tuning: Tuning): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return false
  const rest = Math.max(0, 1 - value)
  const legs = tuning.legWeights ?? { text: rest, vector: rest }
  tuning.legWeights = { ...legs, [leg]: value }
  return true
}

function readModel(value: unknown, tuning: Tuning): boolean {
  if (value !== null && (typeof value !== 'string' || value === '')) return false
  tuning.model = value
  return true
}

function readSynonyms(value: unknown, tuning: Tuning): boolean {
  if (!Array.isArray(value)) return false
  const lists = value.map((entry) =>
    typeof entry === 'string' ? entry.split(',').map((word) => word.trim()) : entry,
  )
  if (!lists.every((list) => Array.isArray(list) && list.every((word) => typeof word === 'string')))
    return false
  tuning.synonyms = lists as string[][]
  return true
}

function readDocuments(key: 'pins' | 'boosts', value: unknown, tuning: Tuning): boolean {
  const list = Array.isArray(value)
    ? value
    : Object.entries(asObject(value) ?? {}).map(([id, boost]) => ({ id, value: boost }))
  const documents = list.map((entry) => (typeof entry === 'string' ? { id: entry } : entry))
  const isNamed = (entry: unknown): entry is DocumentName => {
    const named = asObject(entry)
    return typeof named?.id === 'string' && (key === 'pins' || isBoost(named.value))
  }
  if (documents.length === 0 || !documents.every(isNamed)) return false
  if (key === 'pins') tuning.pins = documents
  else
    tuning.boosts = documents.map((document) => {
      const { value: boost } = document as { value?: unknown }
      return { ...document, value: typeof boost === 'number' ? boost : BOOST }
    })
  return true
}

/** Added to the score of a document whose boost names no number; 1 is the span of the fused score. */
const BOOST = 0.1

function isBoost(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value))
}

function readWord<Key extends 'fusion' | 'operator' | 'fuzziness'>(
  key: Key,
  words: readonly string[],
  value: unknown,
  tuning: Tuning,
): boolean {
  const word = wordOf(value).toLowerCase()
  if (!words.includes(word)) return false
  Object.assign(tuning, { [key]: key === 'fuzziness' ? word.toUpperCase() : word })
  return true
}

function readNumber(
  key: 'neighbors' | 'similarity' | 'minScore',
  least: number,
  most: number,
  ...[value, tuning]: [unknown, Tuning]
): boolean {
  if (typeof value !== 'number' || !(value >= least && value <= most)) return false
  tuning[key] = key === 'neighbors' ? Math.round(value) : value
  return true
}

function readBoolean(key: 'feedback' | 'learning', value: unknown, tuning: Tuning): boolean {
  if (typeof value !== 'boolean') return false
  tuning[key] = value
  return true
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function asNumbers(value: unknown): Record<string, number> | undefined {
  const object = asObject(value)
  if (object === undefined) return undefined
  const all = Object.values(object).every((each) => typeof each === 'number' && each >= 0)
  return all ? (object as Record<string, number>) : undefined
}
