import { asObject, isObject } from '../../object.ts'
import { FUSIONS, FUZZINESSES, OPERATORS, type Tuning } from '../../schema/tuning.ts'
import { lowerWord, shownName } from '../../word.ts'
import { layTunings } from './tuning-layers.ts'
import {
  type Note,
  noteEmpty,
  type Problem,
  readDocuments,
  readSynonyms,
  WEIGHT_MAX,
} from './tuning-lists.ts'

interface Setting {
  /** Writes what it understands into the tuning, and notes what inside of it is not read. */
  read: (value: unknown, tuning: Tuning, note: Note) => Problem | undefined
  /** Whether a value that can't be read is likely to mean something else of that everyday name. */
  mayBeOther?: (value: unknown) => boolean
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isText = (value: unknown): boolean => typeof value === 'string'
const isObjectOrList = (value: unknown): boolean => isObject(value) || Array.isArray(value)
const always = (): boolean => true

const fieldWeights: Setting = { read: readFieldWeights }
const legWeights: Setting = { read: readBoost }
const model: Setting = { read: readModel, mayBeOther: isObject }
const pins: Setting = {
  read: (value, tuning, note) => readDocuments('pins', value, tuning, note),
  mayBeOther: isObject,
}

/** What a change or a variant may set, by every spelling that is understood. */
export const TUNABLE: Record<string, Setting> = {
  fieldWeights,
  fieldBoosts: fieldWeights,
  // The fields that are returned, or the weights of a model.
  fields: { ...fieldWeights, mayBeOther: always },
  weights: { read: readWeights, mayBeOther: always },
  boost: { ...legWeights, mayBeOther: isNumber },
  legWeights,
  textWeight: { read: (value, tuning) => readLeg('text', value, tuning) },
  vectorWeight: { read: (value, tuning) => readLeg('vector', value, tuning) },
  fusion: word('fusion', FUSIONS),
  operator: word('operator', OPERATORS),
  fuzziness: word('fuzziness', FUZZINESSES),
  neighbors: { read: readNeighbors },
  // Elsewhere the name of a measure.
  similarity: { ...number('similarity', -1, 1), mayBeOther: isText },
  minScore: number('minScore', -1e9, 1e9),
  feedback: toggle('feedback'),
  learning: toggle('learning'),
  model,
  modelId: model,
  synonyms: { read: readSynonyms, mayBeOther: isObject },
  pins,
  pinned: pins,
  boosts: {
    read: (value, tuning, note) => readDocuments('boosts', value, tuning, note),
    mayBeOther: isObjectOrList,
  },
}

const WEIGHTS = 'must be an object of weights by name'
const WEIGHT = `must be a number from 0 to ${WEIGHT_MAX}`

/** Every search that it applies to carries them. */
const FIELDS_MAX = 1024

function readFieldWeights(value: unknown, tuning: Tuning, note: Note): Problem | undefined {
  if (Object.keys(asObject(value) ?? {}).length > FIELDS_MAX)
    return { path: '', message: `must hold at most ${FIELDS_MAX} fields, as in a search` }
  const problem = notWeights(value)
  if (problem !== undefined) return problem
  const weights = value as Record<string, number>
  if (Object.keys(weights).length === 0) return noteEmpty(note)
  tuning.fieldWeights = { ...tuning.fieldWeights, ...weights }
  return undefined
}

/** As `boost`; settings that are no numbers may stand among the weights, such as `fusion` and `model`. */
export function readWeights(value: unknown, tuning: Tuning, note: Note): Problem | undefined {
  const object = asObject(value)
  if (object === undefined) return { path: '', message: WEIGHTS }
  const isSetting = ([name, held]: [string, unknown]) =>
    Object.hasOwn(TUNABLE, name) && !isNumber(held)
  const all = Object.entries(object)
  const settings = all.filter(isSetting)
  const weights = Object.fromEntries(all.filter((each) => !isSetting(each)))
  const problem = notWeights(weights)
  if (problem !== undefined) return problem
  const read: Tuning = {}
  for (const [name, held] of settings) {
    const wrong = TUNABLE[name]?.read(held, read, (inner) => note(`.${name}${inner}`))
    if (wrong !== undefined) return { ...wrong, path: `.${name}${wrong.path}` }
  }
  Object.assign(tuning, layTunings([tuning, read]))
  return settings.length > 0 && Object.keys(weights).length === 0
    ? undefined
    : readBoost(weights, tuning, note)
}

/** `text` and `vector` weigh the legs, any other key a field, as in a search. */
function readBoost(value: unknown, tuning: Tuning, note: Note): Problem | undefined {
  const problem = notWeights(value)
  if (problem !== undefined) return problem
  const { text, vector, ...fields } = value as Record<string, number>
  if (text !== undefined) readLeg('text', text, tuning)
  if (vector !== undefined) readLeg('vector', vector, tuning)
  if (Object.keys(fields).length > 0 || (text ?? vector) === undefined)
    return readFieldWeights(fields, tuning, note)
  return undefined
}

function notWeights(value: unknown): Problem | undefined {
  const object = asObject(value)
  if (object === undefined) return { path: '', message: WEIGHTS }
  const bad = Object.keys(object).find((name) => !isWeight(object[name]))
  return bad === undefined ? undefined : { path: `.${shownName(bad)}`, message: WEIGHT }
}

function isWeight(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= WEIGHT_MAX
}

/** One leg's weight; the other's is what is left of 1 until it is named itself. */
function readLeg(leg: 'text' | 'vector', value: unknown, tuning: Tuning): Problem | undefined {
  if (!isWeight(value)) return { path: '', message: WEIGHT }
  const rest = Math.max(0, 1 - value)
  const legs = tuning.legWeights ?? { text: rest, vector: rest }
  tuning.legWeights = { ...legs, [leg]: value }
  return undefined
}

function readModel(value: unknown, tuning: Tuning): Problem | undefined {
  if (value !== null && (typeof value !== 'string' || value === ''))
    return { path: '', message: 'must be the name of a model, or null for none' }
  tuning.model = value
  return undefined
}

function word(key: 'fusion' | 'operator' | 'fuzziness', words: readonly string[]): Setting {
  return {
    read: (value, tuning) => {
      const sent = lowerWord(value)
      if (!words.includes(sent)) return { path: '', message: `must be one of ${words.join(', ')}` }
      Object.assign(tuning, { [key]: key === 'fuzziness' ? sent.toUpperCase() : sent })
      return undefined
    },
    // Other engines know other words.
    mayBeOther: isText,
  }
}

const NEIGHBORS_MAX = 10_000

/** As in a search, which takes no part of a neighbour either. */
function readNeighbors(value: unknown, tuning: Tuning): Problem | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value)
  if (!isCount || value < 1 || value > NEIGHBORS_MAX)
    return { path: '', message: `must be a whole number from 1 to ${NEIGHBORS_MAX}` }
  tuning.neighbors = value
  return undefined
}

function number(key: 'similarity' | 'minScore', least: number, most: number): Setting {
  return {
    read: (value, tuning) => {
      if (typeof value !== 'number' || !(value >= least && value <= most))
        return { path: '', message: `must be a number from ${least} to ${most}` }
      tuning[key] = value
      return undefined
    },
  }
}

function toggle(key: 'feedback' | 'learning'): Setting {
  return {
    read: (value, tuning) => {
      if (typeof value !== 'boolean') return { path: '', message: 'must be true or false' }
      tuning[key] = value
      return undefined
    },
    mayBeOther: always,
  }
}
