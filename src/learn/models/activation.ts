import { serviceError } from '../../errors.ts'
import type { NoteDone } from '../../schema/answer.ts'
import type { VersionName } from '../../schema/model.ts'
import type { Standing, Trial, VersionRecord } from '../../schema/model-record.ts'
import type { Store } from '../../store/store.ts'
import type { Events } from '../history/events.ts'
import type { ModelEvidence } from './evidence.ts'
import { earlierOf, nameOf, sameVersion, type Versions } from './versions.ts'

/** Who let a model rank. */
export type ActivatedBy = 'CALL' | 'SYNC' | 'GATE'

export interface Activated {
  record: VersionRecord
  /** What ranked until then; undefined when nothing did, or it ranked already. */
  previous: VersionName | undefined
  unchanged: boolean
}

/** What ranks, or was to rank, no more, and what does now. */
interface TakenBack {
  record: VersionRecord
  active: VersionName | undefined
}

/** Changes which version ranks, each time in one transaction with what history says of it. */
export interface Activation {
  /** Throws MODEL_NOT_FOUND, MODEL_NOT_SERVABLE, INVALID_TRANSITION. */
  activate: (name: VersionName, by: ActivatedBy) => Promise<Activated>
  /**
   * Returns to the version that was active before. Of a model that isn't active it ends the trial; throws NOT_ACTIVE when there
   * is none, or what ranks changed meanwhile.
   */
  rollBack: (modelId: string, noteDone?: NoteDone) => Promise<TakenBack>
  /** Ends the trial of a model, whatever is active; throws NOT_ACTIVE when it is not on trial. */
  endTrial: (modelId: string, noteDone?: NoteDone) => Promise<TakenBack>
  /**
   * As `activate`, inside `store.write`, of a version that the core has. Its trial is over then; that of another version
   * begins anew, since it was against what ranked before.
   */
  activateWithin: (record: VersionRecord, by: ActivatedBy, figures?: object) => Activated
}

/** Versions that were active before, remembered. */
const EARLIER_MAX = 100

export interface ActivationParts {
  store: Store
  versions: Versions
  events: Events
  evidence: Pick<ModelEvidence, 'searches'>
  clock: () => number
  /** Makes sure that the core has it; throws MODEL_NOT_SERVABLE. */
  load: (name: VersionName) => Promise<unknown>
}

export function openActivation(parts: ActivationParts): Activation {
  const { store, versions, events } = parts

  function activateWithin(record: VersionRecord, by: ActivatedBy, figures: object = {}): Activated {
    if (record.status === 'ACTIVE') return { record, previous: undefined, unchanged: true }
    const before = versions.standing()
    const previous = before.active
    const moved = versions.moveWithin(record, 'ACTIVE')
    archiveWithin(versions, previous)
    const { modelId, version } = record
    const earlier = previous === undefined ? before.earlier : [...before.earlier, previous]
    const standing = {
      ...before,
      active: { modelId, version },
      earlier: earlier.slice(-EARLIER_MAX),
    }
    events.recordWithin({
      type: 'MODEL_ACTIVATED',
      status: 'ACTIVE',
      source: 'models',
      modelId,
      data: {
        version,
        checksum: record.checksum,
        by,
        previous: previous === undefined ? null : nameOf(previous),
        ...figures,
      },
    })
    versions.standWithin(settleTrialWithin(parts, standing))
    return { record: moved, previous, unchanged: false }
  }
  async function endTrial(modelId: string, noteDone?: NoteDone): Promise<TakenBack> {
    versions.newest(modelId)
    return store.release(() => {
      noteDone?.()
      return endTrialWithin(parts, modelId)
    })
  }
  return {
    activateWithin,
    endTrial,
    activate: async (name, by) => {
      const record = versions.get(name)
      refuseUnservable(record)
      await parts.load(name)
      return store.write(() => activateWithin(versions.get(name), by))
    },
    rollBack: async (modelId, noteDone) => {
      const { active } = versions.standing()
      if (active?.modelId !== modelId) return endTrial(modelId, noteDone)
      const target = earlierOf(versions)
      if (target !== undefined) await parts.load(target)
      return store.release(() => {
        noteDone?.()
        return rollBackWithin(parts, modelId, target)
      })
    },
  }
}

/** Whether its numbers fit together and its maker says that it is ready. */
export function mayRank({
  servable,
  unfinished,
}: Pick<VersionRecord, 'servable' | 'unfinished'>): boolean {
  return servable && !unfinished
}

/** Throws MODEL_NOT_SERVABLE with every reason. */
export function refuseUnservable(
  record: Pick<VersionRecord, 'servable' | 'unfinished' | 'reasons'>,
): void {
  if (mayRank(record)) return
  const { reasons } = record
  throw serviceError('MODEL_NOT_SERVABLE', `This model can't rank: ${reasons.join(' ')}`, {
    details: reasons.map((message) => ({ path: 'state', message })),
  })
}

function rollBackWithin(
  parts: ActivationParts,
  modelId: string,
  target: VersionName | undefined,
): TakenBack {
  const { versions, events } = parts
  const before = versions.standing()
  const { active, earlier, trials } = before
  if (active?.modelId !== modelId) throw notActive()
  if (!sameVersion(earlierOf(versions), target)) throw changedMeanwhile()
  const record = versions.moveWithin(versions.get(active), 'ARCHIVED')
  if (target !== undefined) versions.moveWithin(versions.get(target), 'ACTIVE')
  // What came after the version returned to is over: another rollback goes further back.
  const left = target === undefined ? 0 : earlier.findLastIndex((name) => sameVersion(name, target))
  const trial = before.trial === undefined ? {} : { trial: before.trial }
  const standing: Standing = { earlier: earlier.slice(0, left), trials, ...trial }
  if (target !== undefined) standing.active = target
  events.recordWithin({
    type: 'MODEL_ROLLED_BACK',
    status: record.status,
    source: 'models',
    priority: 'HIGH',
    modelId,
    data: { version: record.version, active: target === undefined ? null : nameOf(target) },
  })
  versions.standWithin(settleTrialWithin(parts, standing))
  return { record, active: target }
}

/** By hand: it may be sent through the gates again. */
function endTrialWithin({ versions, events }: ActivationParts, modelId: string): TakenBack {
  const { trial, ...standing } = versions.standing()
  if (trial?.modelId !== modelId) throw notActive()
  const record = versions.moveWithin(versions.get(trial), 'ARCHIVED')
  const { version, status } = record
  const { stage } = trial
  events.recordWithin({
    type: 'MODEL_ARCHIVED',
    status,
    source: 'models',
    modelId,
    // From a canary it is taken back from people.
    priority: stage === 'CANARY' ? 'HIGH' : 'NORMAL',
    data: { version, stage, by: 'CALL' },
  })
  versions.standWithin(standing)
  return { record, active: standing.active }
}

function archiveWithin(versions: Versions, name: VersionName | undefined): void {
  const record = name === undefined ? undefined : versions.find(name)
  if (record !== undefined) versions.moveWithin(record, 'ARCHIVED')
}

/** A trial ends when its model ranks, and starts anew when who ranks the others has changed; history says so. */
function settleTrialWithin(
  { evidence, events, clock }: ActivationParts,
  { trial, ...standing }: Standing,
): Standing {
  if (trial === undefined || sameVersion(trial, standing.active)) return standing
  const control = standing.active === undefined ? '' : nameOf(standing.active)
  if (trial.control === control) return { ...standing, trial }
  const base = evidence.searches(trial, 'SHADOW')
  const { modelId, version, stage: from } = trial
  events.recordWithin({
    type: 'MODEL_TRIAL_RESTARTED',
    status: 'SHADOW',
    source: 'models',
    modelId,
    data: { version, from, control: control || null },
  })
  return beginStage(standing, { ...trial, stage: 'SHADOW', control, nowMs: clock(), base })
}

/** A stage of a trial; what it goes by starts from nothing. */
export function beginStage(
  standing: Omit<Standing, 'trial'>,
  { nowMs, ...stage }: Omit<Trial, 'number' | 'sinceMs' | 'asked'> & { nowMs: number },
): Standing {
  const number = standing.trials + 1
  const trial: Trial = { ...stage, number, sinceMs: nowMs, asked: 0 }
  return { ...standing, trials: number, trial }
}

function notActive(): Error {
  return serviceError(
    'NOT_ACTIVE',
    'This model does not rank now and is not on trial, so there is nothing to take back.',
    {
      details: [{ path: 'id', message: 'is that of a model that is neither ACTIVE nor on trial' }],
    },
  )
}

/** Who asked twice at once wants one step back, and nobody wants what they have not seen. */
function changedMeanwhile(): Error {
  return serviceError(
    'NOT_ACTIVE',
    'What ranks, or ranked before, has changed since this was asked: read the model, and ask again to take back what ranks now.',
    { details: [{ path: 'id', message: 'is that of a model that was ACTIVE otherwise' }] },
  )
}
