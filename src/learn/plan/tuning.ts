import { invalid } from '../../errors.ts'
import { nearestName } from '../../nearest-name.ts'
import { asObject } from '../../object.ts'
import type { Tuning } from '../../schema/tuning.ts'
import { shownName, wordOf } from '../../word.ts'
import { layTunings } from './tuning-layers.ts'
import { TUNABLE } from './tuning-values.ts'

/** What was understood of a free-form configuration, and what was not. */
export interface TuningRead {
  tuning: Tuning
  /** Where something stands that is no setting of the ranking, and for a known word what a setting would be. */
  unread: string[]
  /** Settings with a value that they can't have. */
  wrong: { path: string; message: string }[]
}

/** A key that shows nothing, as warnings name it. */
const NAMELESS = '(no name)'

/** Words under which settings may be gathered. */
const GROUPS = ['ranking', 'search', 'thresholds']
/** Groups inside of each other; what stands deeper is no setting. */
const GROUPS_DEEP_MAX = 8
/** Parts of a name with points; one of more is no path to a setting, and each part an object in another. */
const NAME_PARTS_MAX = 32

/**
 * Reads a variant's `config` or an adaptation's `changes`, which may also be a list of such objects or of
 * `{parameter, value}`. The vocabulary is open, so what is no setting is kept elsewhere as it came and named in `unread`;
 * a setting with a value of a wrong type or out of range is `wrong`.
 */
export function readTuning(config: unknown): TuningRead {
  return readNested(config, 0)
}

/** `deep` is in how many groups it stands. */
function readNested(config: unknown, deep: number): TuningRead {
  if (Array.isArray(config)) {
    const reads = config.map((entry, at) => under(`[${at}]`, readEntry(entry, at, deep)))
    return {
      tuning: layTunings(reads.map(({ tuning }) => tuning)),
      unread: reads.flatMap(({ unread }) => unread),
      wrong: reads.flatMap(({ wrong }) => wrong),
    }
  }
  const read: TuningRead = { tuning: {}, unread: [], wrong: [] }
  for (const [key, value] of Object.entries(asObject(config) ?? {}))
    if (!readGroup(key, value, read, deep)) readSetting(key, value, read)
  return read
}

/** What has no name is told by its place. */
function readEntry(entry: unknown, at: number, deep: number): TuningRead {
  const setting = asSetting(entry)
  if (setting !== undefined) return readNested(setting, deep)
  const unread = [`[${at}] (must be a setting: an object, or {parameter, value})`]
  return { tuning: {}, unread, wrong: [] }
}

/** As `readTuning`, but a wrong value refuses the request: throws VALIDATION_FAILED with its place under `path`. */
export function mustReadTuning(config: unknown, path: string): TuningRead {
  const read = readTuning(config)
  const [first] = under(path, read).wrong
  if (first !== undefined) throw invalid(first.path, first.message)
  return read
}

/** Whether there is nothing in what was sent, and in what was read of it, but empty lists and objects. */
export function isEmptied(config: unknown, { tuning }: Pick<TuningRead, 'tuning'>): boolean {
  const sent = Array.isArray(config) ? config.map(asSetting) : config
  return isHollow(sent) && isHollow(tuning)
}

function isHollow(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.every(isHollow)
  // Without a list of what is in each: there may be hundreds of thousands.
  for (const name in value) if (!isHollow((value as Record<string, unknown>)[name])) return false
  return true
}

/** Reads what is gathered under a word for that; false when it is something else. */
function readGroup(
  key: string,
  value: unknown,
  { tuning, unread, wrong }: TuningRead,
  deep: number,
): boolean {
  if (!GROUPS.includes(key) || asObject(value) === undefined) return false
  if (deep === GROUPS_DEEP_MAX) return false
  const inner = under(key, readNested(value, deep + 1))
  Object.assign(tuning, layTunings([tuning, inner.tuning]))
  for (const place of inner.unread) unread.push(place)
  for (const problem of inner.wrong) wrong.push(problem)
  return true
}

function readSetting(key: string, value: unknown, { tuning, unread, wrong }: TuningRead): void {
  const setting = Object.hasOwn(TUNABLE, key) ? TUNABLE[key] : undefined
  const problem =
    setting === undefined || value === undefined
      ? { path: '' }
      : setting.read(value, tuning, (inner) => unread.push(`${key}${inner}`))
  if (problem === undefined) return
  const path = `${key.trim() === '' ? NAMELESS : key}${problem.path}`
  if (setting === undefined) unread.push(`${path}${meantBy(key, unread.length)}`)
  else if (problem.message === undefined) unread.push(path)
  else if (problem.isExcess !== true && setting.mayBeOther?.(value) === true)
    unread.push(`${path} (${problem.message})`)
  else wrong.push({ path, message: problem.message })
}

/** Names that are looked for among the settings: there may be hundreds of thousands that are none. */
const MEANT_MAX = 20

function meantBy(key: string, before: number): string {
  const near = before < MEANT_MAX ? nearestName(shownName(key), Object.keys(TUNABLE)) : undefined
  return near === undefined ? '' : ` (${near} is a setting)`
}

function under(path: string, { tuning, unread, wrong }: TuningRead): TuningRead {
  const join = (inner: string) => (inner.startsWith('[') ? `${path}${inner}` : `${path}.${inner}`)
  return {
    tuning,
    unread: unread.map((inner) => (path.startsWith('[') ? inner : join(inner))),
    wrong: wrong.map((each) => ({ ...each, path: join(each.path) })),
  }
}

const NAMES = ['parameter', 'setting', 'key', 'path', 'target', 'name']
const VALUES = ['value', 'newValue', 'to', 'new']

/**
 * `{parameter: 'ranking.vectorWeight', value: 0.4}` as `{ranking: {vectorWeight: 0.4}}`; a field's weight likewise. Undefined
 * for what has neither a setting nor a name.
 */
function asSetting(entry: unknown): unknown {
  const sent = asObject(entry)
  if (sent === undefined) {
    const word = wordOf(entry)
    return word.trim() === '' ? undefined : { [word]: undefined }
  }
  const name = NAMES.map((key) => sent[key]).find((each) => typeof each === 'string')
  const value = [...VALUES, 'weight', 'boost', 'factor']
    .map((key) => sent[key])
    .find((each) => each !== undefined)
  if (typeof sent.field === 'string' && typeof value === 'number')
    return { fieldWeights: { [sent.field]: value } }
  if (name === undefined || value === undefined) return sent
  const path = String(name).split('.', NAME_PARTS_MAX + 1)
  if (path.length > NAME_PARTS_MAX) return { [String(name)]: value }
  return path.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value)
}
