import { type Config, variableOf } from '../../config.ts'
import { invalid, serviceError } from '../../errors.ts'
import type { VersionName } from '../../schema/model.ts'
import type { ModelRecord, Standing, VersionRecord } from '../../schema/model-record.ts'
import type { ModelStatus } from '../../schema/statuses.ts'
import type { Store } from '../../store/store.ts'
import type { Range } from '../../store/table.ts'
import { move } from '../states.ts'

/** What a new version is made of. */
export type NewVersion = Pick<
  VersionRecord,
  | 'modelId'
  | 'source'
  | 'checksum'
  | 'servable'
  | 'reasons'
  | 'unfinished'
  | 'kind'
  | 'features'
  | 'metrics'
  | 'training'
> & { bytes: Uint8Array }

/** The models and their versions as the store keeps them; what writes does so inside `store.write`. */
export interface Versions {
  model: (modelId: string) => ModelRecord | undefined
  /** The names of all models, in their order. */
  names: () => string[]
  /** Throws MODEL_NOT_FOUND. */
  get: (name: VersionName) => VersionRecord
  find: (name: VersionName) => VersionRecord | undefined
  /** All versions of a model, oldest first. */
  of: (modelId: string) => VersionRecord[]
  count: (modelId: string) => number
  /** The newest version; throws MODEL_NOT_FOUND. */
  newest: (modelId: string) => VersionRecord
  standing: () => Standing
  /** Whether a version of it could be added. Throws TOO_MANY_MODELS. */
  refuseMore: (modelId: string) => void
  /** Adds a version, or finds the one that holds the same. Throws TOO_MANY_MODELS. */
  addWithin: (made: NewVersion) => { record: VersionRecord; unchanged: boolean }
  /** Throws INVALID_TRANSITION. */
  moveWithin: (record: VersionRecord, status: ModelStatus) => VersionRecord
  putWithin: (record: VersionRecord) => void
  standWithin: (standing: Standing) => void
}

const STANDING = 'models'
/** What stands in an address where a model's name does. */
const RESERVED = 'sync'
/** Reports of gates kept with a version. */
export const GATES_MAX = 20

export interface VersionsParts {
  store: Store
  config: Pick<Config, 'modelsMax'>
  clock: () => number
}

export function openVersions(parts: VersionsParts): Versions {
  const { store, clock } = parts
  const { meta, models, modelVersions } = store.tables

  const { find, standing } = readingOf(store)
  function get(name: VersionName): VersionRecord {
    const record = find(name)
    if (record === undefined) throw notFound(models.has(name.modelId))
    return record
  }
  function put(record: VersionRecord): void {
    modelVersions.put([record.modelId, record.version], record)
  }
  return {
    model: (modelId) => models.get(modelId),
    names: () => [...models.keys()].sort(),
    get,
    find,
    of: (modelId) => versionsOf(store, modelId),
    count: (modelId) => [...modelVersions.keys(rangeOf(modelId))].length,
    newest: (modelId) => {
      const model = models.get(modelId)
      if (model === undefined) throw notFound(false)
      return get({ modelId, version: model.latest })
    },
    standing,
    refuseMore: (modelId) => refuseMore(parts, modelId),
    addWithin: (made) => addWithin(parts, made),
    moveWithin: (record, status) => {
      if (move('model', record.status, status) === 'unchanged') return record
      const nowMs = clock()
      const active = status === 'ACTIVE' ? { activatedMs: nowMs } : {}
      const moved = { ...record, status, updatedMs: nowMs, ...active }
      put(moved)
      const model = models.get(record.modelId)
      if (model !== undefined) models.put(record.modelId, { ...model, updatedMs: nowMs })
      return moved
    },
    putWithin: put,
    standWithin: (changed) => meta.put(STANDING, changed),
  }
}

function readingOf({
  tables: { meta, modelVersions },
}: Store): Pick<Versions, 'find' | 'standing'> {
  return {
    find: ({ modelId, version }) => modelVersions.get([modelId, version]),
    standing: () => meta.get(STANDING) ?? { earlier: [], trials: 0 },
  }
}

function versionsOf(store: Store, modelId: string): VersionRecord[] {
  return Array.from(store.tables.modelVersions.range(rangeOf(modelId)), ({ value }) => value)
}

function rangeOf(modelId: string): Range<[string, number]> {
  return { start: [modelId, 0], end: [modelId, Number.MAX_VALUE] }
}

function refuseMore(
  { store: { tables }, config }: Omit<VersionsParts, 'clock'>,
  modelId: string,
): void {
  if (tables.models.has(modelId) || tables.models.count() < config.modelsMax) return
  throw serviceError('TOO_MANY_MODELS', tooMany(config))
}

function addWithin(
  parts: VersionsParts,
  { bytes, ...made }: NewVersion,
): { record: VersionRecord; unchanged: boolean } {
  const { store, clock } = parts
  const { models, modelStates, modelVersions } = store.tables
  const { modelId } = made
  const same = versionsOf(store, modelId).findLast(({ checksum }) => checksum === made.checksum)
  if (same !== undefined) {
    const record = knownByNow(same, made)
    if (record !== same) modelVersions.put([modelId, same.version], record)
    return { record, unchanged: true }
  }
  refuseMore(parts, modelId)
  const model = models.get(modelId)
  const nowMs = clock()
  const version = (model?.latest ?? 0) + 1
  const times = { createdMs: nowMs, updatedMs: nowMs }
  const record: VersionRecord = { ...made, ...times, version, status: 'CANDIDATE', gates: [] }
  models.put(modelId, { ...times, ...model, latest: version, updatedMs: nowMs })
  modelVersions.put([modelId, version], record)
  modelStates.put([modelId, version], bytes)
  return { record, unchanged: false }
}

/** What could not rank when it came may, once a newer ranker computes more features. */
function knownByNow(same: VersionRecord, made: Omit<NewVersion, 'bytes'>): VersionRecord {
  const { servable, reasons } = made
  return same.servable || !servable ? same : { ...made, ...same, servable, reasons }
}

/** The version to return to from the active one: of the same model if there was one, else whatever was active before. */
export function earlierOf({
  find,
  standing,
}: Pick<Versions, 'find' | 'standing'>): VersionName | undefined {
  const { active, earlier } = standing()
  const usable = earlier.filter((name) => {
    const status = find(name)?.status
    return status !== undefined && status !== 'REJECTED' && !sameVersion(name, active)
  })
  return usable.findLast(({ modelId }) => modelId === active?.modelId) ?? usable.at(-1)
}

export function nameOf({ modelId, version }: VersionName): string {
  return `${modelId}@${version}`
}

/** Whether both name one version of one model, or neither names any. */
export function sameVersion(a: VersionName | undefined, b: VersionName | undefined): boolean {
  return a?.modelId === b?.modelId && a?.version === b?.version
}

/**
 * Throws VALIDATION_FAILED for a new model of a name that can't be read by its address. One that was taken before goes on.
 */
export function refuseReserved(versions: Pick<Versions, 'model'>, modelId: string): void {
  if (modelId !== RESERVED || versions.model(modelId) !== undefined) return
  throw invalid(
    'modelId',
    `must be another name: GET /nous/learn/models/${RESERVED} lists all models`,
  )
}

function tooMany({ modelsMax }: Pick<Config, 'modelsMax'>): string {
  const setting = variableOf('modelsMax')
  return `As many models are kept as may be: ${modelsMax}, the setting ${setting}; use the modelId of one of them, or raise it.`
}

const UNKNOWN = 'is not the id of a model; GET /nous/learn/models lists them'
const UNKNOWN_VERSION = 'is none of this model that is kept; GET /nous/learn/models/{id} lists them'

/** MODEL_NOT_FOUND about the id, or about the version of a model that is there. */
function notFound(isKnown: boolean): Error {
  const [path, message] = isKnown ? ['version', UNKNOWN_VERSION] : ['id', UNKNOWN]
  return invalid(path, message, 'MODEL_NOT_FOUND')
}
