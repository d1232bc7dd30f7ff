import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import type { ModelQuery, VersionName } from '../../schema/model.ts'
import { STATE_BYTES_TOLD } from '../../schema/model.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import type { Consumer, FeedbackEntry } from '../facts.ts'
import type { Events } from '../history/events.ts'
import type { Sweep } from '../round.ts'
import { type Activation, openActivation } from './activation.ts'
import {
  nameOrNull,
  showList,
  showModel,
  showTraining,
  showTrial,
  showUsage,
  withState,
} from './answers.ts'
import { type ModelChanges, openChanges } from './changes.ts'
import { type ModelEvidence, openEvidence } from './evidence.ts'
import { type Gating, type GatingParts, openGating } from './gating.ts'
import { type ModelIntake, openModelIntake } from './intake.ts'
import { openRankingModels, type RankingModels } from './ranking-models.ts'
import { openServing, type Serving } from './serving.ts'
import { openTraining, type Training } from './training.ts'
import { nameOf, openVersions, type Versions } from './versions.ts'

/** The models: kept in versions, gated, and one of them in force. Answers are the API's `data`. */
export interface Models
  extends Omit<RankingModels, 'standing' | 'refresh'>,
    Pick<ModelIntake, 'readLarge'>,
    ModelChanges {
  /** As JSON in UTF-8. Throws VALIDATION_FAILED for an unknown status, INVALID_CURSOR. */
  list: (query: ModelQuery) => Promise<Uint8Array>
  /** As JSON in UTF-8 where it has the state in it. Throws MODEL_NOT_FOUND. */
  get: (modelId: string, query: { version?: number; state?: boolean }) => object | Uint8Array
  consumer: Consumer
  /** What the health report and the figures of learning show. */
  figures: () => ModelFigures
  /** Begins what is due, a training or the next gate; doesn't wait for it. */
  tick: () => Promise<void>
  /** Removes some evidence that is past its time. */
  sweep: Sweep
  close: () => Promise<void>
}

export interface ModelFigures {
  models: number
  active: VersionName | null
  /** The active model ranks or will soon, or there is none. */
  serving: boolean
  trial: Record<string, unknown> | null
  loaded: string[]
  failed: { model: string; reason: string }[]
  usage: Record<string, unknown>
  /** Searches with a gain. */
  clicked: number
  lastTraining: Record<string, unknown> | null
}

export interface ModelsParts {
  store: Store
  pool: Pick<Pool, 'run'>
  events: Events
  config: Config
  clock: () => number
  logger: { error: (fields: object, message: string) => void }
  gainOf: (entry: FeedbackEntry) => number | undefined
  chances: GatingParts['chances']
}

interface Parts extends ModelsParts {
  versions: Versions
  serving: Serving
  ranking: RankingModels
  activation: Activation
  intake: ModelIntake
  evidence: ModelEvidence
  gating: Gating
  training: Training
}

/** How long closing waits for a training or a gate. */
const CLOSE_MS_MAX = 2000

export function openModels(options: ModelsParts): Models {
  const parts = openParts(options)
  const { config, ranking, evidence, gating, training, logger } = parts
  let advancing: Promise<void> | undefined
  let closed = false

  async function advance(): Promise<void> {
    try {
      await gating.advance()
    } catch (err) {
      if (!closed) logger.error({ err }, 'a gate could not be asked')
    } finally {
      ranking.refresh()
      advancing = undefined
    }
  }
  ranking.refresh()
  return {
    servedModel: ranking.servedModel,
    shadowModel: ranking.shadowModel,
    namedModel: ranking.namedModel,
    stillServed: ranking.stillServed,
    exactModel: ranking.exactModel,
    loadModel: ranking.loadModel,
    ...openChanges(parts),
    readLarge: parts.intake.readLarge,
    list: (query) => showList(parts.versions, query),
    get: (modelId, query) => read(parts, modelId, query),
    consumer: evidence,
    figures: () => figuresOf(parts),
    tick: async () => {
      if (closed || !config.learning) return
      await training.trainWhenDue()
      if (ranking.standing().trial !== undefined) advancing ??= advance()
    },
    sweep: (nowMs) => evidence.sweep(nowMs - config.retentionMs),
    close: async () => {
      closed = true
      parts.serving.close()
      // What takes longer ends with the threads, and is begun anew when it is due.
      const done = Promise.all([training.close(), advancing])
      await Promise.race([done, sleep(CLOSE_MS_MAX, undefined, { ref: false })])
    },
  }
}

function openParts(options: ModelsParts): Parts {
  const { store, pool, events, config, clock, logger, gainOf, chances } = options
  const same = { store, pool, events, config, clock, logger }
  const onFailure = ({ modelId, version }: VersionName, reason: string): void => {
    logger.error({ modelId, version, reason }, 'a model could not be loaded')
    const failed = { type: 'MODEL_LOAD_FAILED', status: 'FAILED', modelId }
    events
      .record({ ...failed, source: 'models', priority: 'HIGH', data: { version, reason } })
      .catch((err: unknown) => logger.error({ err }, 'an event was lost'))
  }
  const versions = openVersions(same)
  const depthOf = (name: VersionName) => versions.find(name)?.training?.depth
  const { dataDir } = config
  const serving = openServing({ pool, dataDir, clock, depthOf, onFailure })
  const ranking = openRankingModels({ versions, serving })
  const evidence = openEvidence({ store, gainOf, trial: () => ranking.standing().trial })
  const activation = openActivation({ ...same, versions, evidence, load: serving.load })
  const intake = openModelIntake({ ...same, versions, serving, activation })
  const gating = openGating({ ...same, chances, versions, activation, evidence })
  const onEnd = ranking.refresh
  const asked = { chances, versions, evidence, intake, serving, gating, onEnd }
  const training = openTraining({ ...same, ...asked })
  return { ...options, versions, serving, ranking, activation, intake, evidence, gating, training }
}

function read(
  parts: Parts,
  modelId: string,
  { version, state }: { version?: number; state?: boolean },
): object | Uint8Array {
  const { versions, evidence, store } = parts
  const record =
    version === undefined ? versions.newest(modelId) : versions.get({ modelId, version })
  const usage = (name: VersionName) => evidence.usage(nameOf(name))
  const shown = showModel({ versions, usage }, record)
  if (state === false) return shown
  const bytes = store.tables.modelStates.peek([modelId, record.version])
  const isTold = bytes !== undefined && (state === true || bytes.length <= STATE_BYTES_TOLD)
  return isTold ? withState(shown, bytes) : shown
}

function figuresOf({ store, ranking, serving, evidence, training }: Parts): ModelFigures {
  const { active, trial } = ranking.standing()
  const { loaded, failed } = serving.figures()
  const name = active === undefined ? '' : nameOf(active)
  return {
    models: store.tables.models.count(),
    active: nameOrNull(active),
    serving: !failed.some(({ model }) => model === name),
    trial: showTrial(trial),
    loaded,
    failed,
    usage: showUsage(evidence.usage(name)),
    clicked: evidence.clicked(),
    lastTraining: showTraining(training.last()),
  }
}
