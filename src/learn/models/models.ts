import type { Config } from '../../config.ts'
import type { Pool } from '../../pool.ts'
import type { ModelSync, VersionName } from '../../schema/model.ts'
import type { Store } from '../../store/store.ts'
import type { Events } from '../events.ts'
import type { Consumer, FeedbackEntry } from '../facts.ts'
import { openActivation } from './activation.ts'
import { openEvidence } from './evidence.ts'
import { openRanking, type Ranking } from './ranking.ts'
import { nameOrNull, showKept, showList, showModel, showTrial, showUsage } from './report.ts'
import { openServing } from './serving.ts'
import { openShelving } from './sync.ts'
import { nameOf, openVersions } from './versions.ts'

/** The models: kept in versions, gated, and one of them in force. Answers are the API's `data`. */
export interface Models extends Pick<Ranking, 'servedModel' | 'shadowModel' | 'namedModel'> {
  /** Throws MODEL_NOT_SERVABLE (with `activate`), TOO_MANY_MODELS. */
  sync: (request: ModelSync) => Promise<object>
  list: (query: { status?: string; limit?: number }) => object
  /** Throws MODEL_NOT_FOUND. */
  get: (modelId: string, query: { version?: number; state?: boolean }) => object
  /** Past all gates; the newest version, if none is named. Throws MODEL_NOT_FOUND, MODEL_NOT_SERVABLE. */
  activate: (modelId: string, version?: number) => Promise<object>
  /** Throws MODEL_NOT_FOUND, NOT_ACTIVE. */
  rollBack: (modelId: string) => Promise<object>
  consumer: Consumer
  /** What the health report and the figures of learning show. */
  figures: () => ModelFigures
  tick: (nowMs: number) => Promise<void>
  /** Removes some evidence older than that; call again while it removes. */
  sweep: (beforeMs: number) => Promise<number>
  close: () => Promise<void>
}

export interface ModelFigures {
  models: number
  active: VersionName | null
  /** The active model is loaded, or there is none. */
  serving: boolean
  trial: Record<string, unknown> | null
  loaded: string[]
  failed: { model: string; reason: string }[]
  usage: Record<string, unknown>
  /** Searches with a gain. */
  clicked: number
}

export interface ModelsParts {
  store: Store
  pool: Pick<Pool, 'run'>
  events: Events
  config: Config
  clock: () => number
  logger: { error: (fields: object, message: string) => void }
  gainOf: (entry: FeedbackEntry) => number | undefined
}

export function openModels(parts: ModelsParts): Models {
  const { store, pool, events, config, clock } = parts
  const versions = openVersions({ store, config, clock })
  const serving = openServing({ pool, dataDir: config.dataDir, clock, onFailure: reportFailure })
  const ranking = openRanking({ versions, serving, share: config.modelCanaryShare })
  const activation = openActivation({ store, versions, events, clock, load: serving.load })
  const shelving = openShelving({ store, pool, versions, serving, events, activation })
  const trial = () => ranking.standing().trial
  const evidence = openEvidence({ store, trial, gainOf: parts.gainOf })
  ranking.refresh()

  function reportFailure({ modelId, version }: VersionName, reason: string): void {
    parts.logger.error({ modelId, version, reason }, 'a model could not be loaded')
    const failed = { type: 'MODEL_LOAD_FAILED', status: 'FAILED', source: 'models', modelId }
    events
      .record({ ...failed, priority: 'HIGH', data: { version, reason } })
      .catch((err: unknown) => parts.logger.error({ err }, 'an event was lost'))
  }
  /** Whatever changed, searches see it when the caller hears of it. */
  async function changing<T>(change: Promise<T>): Promise<T> {
    try {
      return await change
    } finally {
      ranking.refresh()
    }
  }
  const usage = (name: VersionName) => evidence.usage(nameOf(name))
  return {
    servedModel: ranking.servedModel,
    shadowModel: ranking.shadowModel,
    namedModel: ranking.namedModel,
    sync: async (request) => showKept(await changing(shelving.sync(request))),
    list: (query) => showList(versions, query),
    get: (modelId, { version, state = false }) => {
      const record =
        version === undefined ? versions.newest(modelId) : versions.get({ modelId, version })
      const bytes = state ? store.tables.modelStates.get([modelId, record.version]) : undefined
      return {
        ...showModel({ versions, usage }, record),
        ...(bytes === undefined ? {} : { state: JSON.parse(Buffer.from(bytes).toString()) }),
      }
    },
    activate: async (modelId, version) => {
      const name = { modelId, version: version ?? versions.newest(modelId).version }
      const { record, previous, unchanged } = await changing(activation.activate(name, 'CALL'))
      const { status, updatedMs } = record
      const updatedAt = new Date(updatedMs).toISOString()
      return { ...name, status, previous: nameOrNull(previous), unchanged, updatedAt }
    },
    rollBack: async (modelId) => {
      const { record, active } = await changing(activation.rollBack(modelId))
      const { version, status, updatedMs } = record
      const updatedAt = new Date(updatedMs).toISOString()
      return { modelId, version, status, active: nameOrNull(active), updatedAt }
    },
    consumer: evidence,
    figures: () => {
      const { active, trial } = ranking.standing()
      const { loaded, failed } = serving.figures()
      const name = active === undefined ? '' : nameOf(active)
      return {
        models: store.tables.models.count(),
        active: nameOrNull(active),
        serving: active === undefined || loaded.includes(name),
        trial: showTrial(trial),
        loaded,
        failed,
        usage: showUsage(evidence.usage(name)),
        clicked: evidence.clicked(),
      }
    },
    tick: async () => {},
    sweep: evidence.sweep,
    close: async () => {},
  }
}
