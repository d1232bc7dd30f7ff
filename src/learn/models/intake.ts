import type { Config } from '../../config.ts'
import { serviceError } from '../../errors.ts'
import { membersOf } from '../../json/outline.ts'
import { asObject } from '../../object.ts'
import { ModelSync } from '../../schema/model.ts'
import type { TrainingFigures, VersionRecord } from '../../schema/model-record.ts'
import type { ModelState } from '../../schema/model-state.ts'
import type { Store } from '../../store/store.ts'
import type { ModelOutput, Pool } from '../../threads/pool.ts'
import type { Events } from '../history/events.ts'
import { type Activation, mayRank } from './activation.ts'
import { pruneVersions } from './pruning.ts'
import type { Serving } from './serving.ts'
import { unfinished } from './state.ts'
import { type NewVersion, refuseReserved, type Versions } from './versions.ts'

export interface Kept {
  record: VersionRecord
  unchanged: boolean
  /** The version before, if it is kept. */
  previousVersion: number | undefined
  /** What is in its state that does not count; sentences. */
  warnings: string[]
}

/** Takes states from outside, and from the service's own training. */
export interface ModelIntake {
  /**
   * Has another thread read a body with a state, and gives its outline, which `sync` takes for the body. Throws what reading
   * JSON throws.
   */
  readLarge: (pieces: Uint8Array<ArrayBuffer>[]) => Promise<unknown>
  /** Checks a state and keeps it as a version, whether or not it can rank; with `activate` one that can does from then on. */
  sync: (request: ModelSync) => Promise<Kept>
  /** Keeps what another thread has trained, and read. */
  keep: (modelId: string, read: ModelOutput, training: TrainingFigures) => Promise<Kept>
}

export interface ModelIntakeParts {
  store: Store
  config: Pick<Config, 'jsonDepthMax' | 'modelVersionsMax'>
  pool: Pick<Pool, 'run'>
  versions: Versions
  serving: Serving
  events: Events
  activation: Activation
}

interface Read extends Pick<Kept, 'warnings'> {
  made: Omit<NewVersion, 'source'>
}

/** What the outline of a body holds. */
const MEMBERS = membersOf(ModelSync)

export function openModelIntake(parts: ModelIntakeParts): ModelIntake {
  const { store, pool, versions, serving, activation } = parts

  /** What was read of states that came in a large body, by the outline that stands for each. */
  const readAlready = new WeakMap<object, ModelOutput>()

  async function readLarge(pieces: Uint8Array<ArrayBuffer>[]): Promise<unknown> {
    const { jsonDepthMax: depthMax } = parts.config
    const job = { pieces, depthMax, members: MEMBERS, handle: serving.handle() }
    const given = pieces.map(({ buffer }) => buffer)
    const { refusal, outline, state } = await pool.run('sync', job, given)
    if (refusal !== undefined) {
      const { code, message, details } = refusal
      throw serviceError(code, message, details === undefined ? {} : { details })
    }
    const standing = asObject(asObject(outline)?.state)
    if (standing !== undefined && state !== undefined) readAlready.set(standing, state)
    return outline
  }
  /** Reads the state on another thread; only what is to be written comes back. */
  async function read(modelId: string, state: ModelState): Promise<Read> {
    const output =
      readAlready.get(state) ??
      (await pool.run('model', {
        source: { state },
        handle: serving.handle(),
        keep: false,
        drop: serving.dropped(),
      }))
    return versionOf(modelId, output, unfinished(state))
  }
  async function keep(made: NewVersion, warnings: string[]): Promise<Kept> {
    const { record, unchanged } = await store.write(() => {
      const added = versions.addWithin(made)
      const { modelId, version, status, servable, checksum, source } = added.record
      if (!added.unchanged)
        parts.events.recordWithin({
          type: 'MODEL_SYNCED',
          status,
          source: 'models',
          modelId,
          data: { version, servable, checksum, source },
        })
      return added
    })
    if (!unchanged) await pruneVersions(parts, record)
    const { modelId, version } = record
    const before = versions.of(modelId).findLast((other) => other.version < version)
    return { record, unchanged, previousVersion: before?.version, warnings }
  }
  return {
    readLarge,
    sync: async ({ modelId, state, activate = false }) => {
      refuseReserved(versions, modelId)
      const { made, warnings } = await read(modelId, state)
      const kept = await keep({ ...made, source: 'SYNC' }, warnings)
      // Whoever reports a training step by step, to rank once it is done, says the same with every step: what can't rank is
      // kept like the others. Whatever fails later leaves the version, and the same request again goes on from there.
      if (!activate || !mayRank(kept.record)) return kept
      const { record } = await activation.activate(kept.record, 'SYNC')
      return { ...kept, record }
    },
    keep: async (modelId, output, training) => {
      const { made, warnings } = versionOf(modelId, output, [])
      return keep({ ...made, source: 'TRAINING', training }, warnings)
    },
  }
}

/** The version that a state makes, with the reasons of its maker not to let it rank yet. */
function versionOf(
  modelId: string,
  { bytes = new Uint8Array(), reasons, warnings = [], ...about }: ModelOutput,
  notYet: readonly string[],
): Read {
  const made = { modelId, ...about, bytes, reasons: [...reasons, ...notYet] }
  return { made: { ...made, unfinished: notYet.length > 0 }, warnings }
}
