import type { ModelState, ModelSync } from '../../schema/model.ts'
import type { TrainingFigures, VersionRecord } from '../../schema/model-record.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import type { Events } from '../history/events.ts'
import { type Activation, refuseUnservable } from './activation.ts'
import type { Serving } from './serving.ts'
import { unfinished } from './state.ts'
import { type NewVersion, refuseReserved, type Versions } from './versions.ts'

export interface Kept {
  record: VersionRecord
  unchanged: boolean
  /** The version before, if it is kept. */
  previousVersion: number | undefined
}

/** Takes states from outside, and from the service's own training. */
export interface Shelving {
  /** Checks a state and keeps it as a version. Throws MODEL_NOT_SERVABLE when it should rank and can't. */
  sync: (request: ModelSync) => Promise<Kept>
  /** Keeps what was trained. */
  keep: (modelId: string, state: ModelState, training: TrainingFigures) => Promise<Kept>
}

export interface ShelvingParts {
  store: Store
  pool: Pick<Pool, 'run'>
  versions: Versions
  serving: Serving
  events: Events
  activation: Activation
}

/** Metrics up to this many characters of JSON are shown with the version. */
const METRICS_CHARACTERS_MAX = 4096

export function openShelving(parts: ShelvingParts): Shelving {
  const { store, pool, versions, serving, activation } = parts

  /** Reads the state on another thread; only what is to be written comes back. */
  async function read(modelId: string, state: ModelState): Promise<Omit<NewVersion, 'source'>> {
    const job = {
      source: { state },
      handle: serving.handle(),
      keep: false,
      drop: serving.dropped(),
    }
    const { bytes = new Uint8Array(), reasons, ...about } = await pool.run('model', job)
    const notYet = unfinished(state)
    const shown = JSON.stringify(state.metrics ?? {}).length <= METRICS_CHARACTERS_MAX
    return {
      modelId,
      ...about,
      reasons: [...reasons, ...notYet],
      unfinished: notYet.length > 0,
      ...(state.metrics !== undefined && shown ? { metrics: state.metrics } : {}),
      bytes,
    }
  }
  async function keep(made: NewVersion): Promise<Kept> {
    return store.write(() => {
      const { record, unchanged } = versions.addWithin(made)
      const { modelId, version, status, servable, checksum, source } = record
      const before = versions.of(modelId).findLast((other) => other.version < version)
      if (!unchanged)
        parts.events.recordWithin({
          type: 'MODEL_SYNCED',
          status,
          source: 'models',
          modelId,
          data: { version, servable, checksum, source },
        })
      return { record, unchanged, previousVersion: before?.version }
    })
  }
  return {
    sync: async ({ modelId, state, activate = false }) => {
      refuseReserved(versions, modelId)
      const made: NewVersion = { ...(await read(modelId, state)), source: 'SYNC' }
      if (!activate) return keep(made)
      // What can't rank is refused as a whole. Whatever fails later is not the state's fault: the version stays, and the
      // same request again goes on from there.
      refuseUnservable(made)
      const kept = await keep(made)
      const { record } = await activation.activate(kept.record, 'SYNC')
      return { ...kept, record }
    },
    keep: async (modelId, state, training) =>
      keep({ ...(await read(modelId, state)), source: 'TRAINING', training }),
  }
}
