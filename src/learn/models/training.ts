import type { Config } from '../../config.ts'
import { ServiceError, serviceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import {
  MODEL_KINDS,
  type ModelKind,
  type ModelTrained,
  type ModelTraining,
  type VersionName,
} from '../../schema/model.ts'
import type { LastTraining } from '../../schema/model-record.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import type { Events } from '../history/events.ts'
import { isFoldedAnew } from '../loop/fold.ts'
import type { PlaceChances } from '../statistics/place-chances.ts'
import { readMoment } from '../wire/moment.ts'
import { askWhole } from './ask-whole.ts'
import type { ModelEvidence } from './evidence.ts'
import type { Gating } from './gating.ts'
import type { ModelIntake } from './intake.ts'
import type { Serving } from './serving.ts'
import { countedBy, endCutTraining, lastNoted, noteTraining } from './training-notes.ts'
import { refuseReserved, type Versions } from './versions.ts'

/** Trains models from what people chose. */
export interface Training {
  /**
   * Answers with the outcome, or after a while that it goes on. Throws TRAINING_RUNNING, VALIDATION_FAILED.
   */
  train: (request: ModelTraining) => Promise<ModelTrained>
  /**
   * Begins one when enough has come since the last, and no model is on trial. Of one that a crash cut short it tells the
   * history; what that had trained goes before its gate.
   */
  trainWhenDue: () => Promise<void>
  last: () => LastTraining | undefined
  /** Settles when no training runs; one that ends with its threads from now on was cut short. */
  close: () => Promise<void>
}

export interface TrainingParts {
  store: Store
  pool: Pick<Pool, 'run'>
  config: Config
  events: Events
  evidence: ModelEvidence
  versions: Pick<Versions, 'model' | 'find' | 'standing' | 'refuseMore'>
  intake: Pick<ModelIntake, 'keep'>
  serving: Pick<Serving, 'handle'>
  gating: Gating
  chances: () => PlaceChances
  clock: () => number
  logger: { error: (fields: object, message: string) => void }
  /** Runs when a training has ended: the models may have changed. */
  onEnd: () => void
}

/** The model that the service trains by itself. */
const OWN_MODEL = 'attune'
/** Share of the time limit of a request after which a training is said to go on. */
const WAIT_SHARE = 0.8

/** What is told of a failure that is no refusal: its words are for who reads the log. */
const FAILED = 'The model could not be trained; the log says why.'

interface Job {
  trainingId: string
  modelId: string
  kinds: readonly ModelKind[]
  sinceMs: number
}

export function openTraining(parts: TrainingParts): Training {
  const { store, config, evidence, logger } = parts
  let running: Promise<ModelTrained> | undefined
  let lookingBack: Promise<void> | undefined
  const state = { isClosing: false }

  function last(): LastTraining | undefined {
    const known = lastNoted(parts)
    // One that a crash cut short.
    const cut = known?.status === 'RUNNING' && running === undefined
    return cut ? { ...known, status: 'FAILED' } : known
  }
  function begin(job: Job): Promise<ModelTrained> {
    running = run({ ...parts, state }, job).finally(() => {
      running = undefined
      parts.onEnd()
    })
    // Whoever began it may have left.
    running.catch((err: unknown) => logger.error({ err }, 'a training could not be recorded'))
    return running
  }
  return {
    train: async ({ modelId = OWN_MODEL, kind, since }) => {
      refuseReserved(parts.versions, modelId)
      const sinceMs = typeof since === 'string' ? readMoment(since, 'since') : (since ?? 0)
      if (running !== undefined)
        throw serviceError(
          'TRAINING_RUNNING',
          'A model is being trained already; try again when that has ended.',
        )
      const trainingId = newId()
      const needed = config.modelTrainClicksMin
      const have = evidence.clicked()
      // While they are counted anew there are fewer of them: the training waits for all, and counts itself.
      if (have < needed && !isFoldedAnew(store))
        return { modelId, trainingId, status: 'NOT_ENOUGH_DATA', needed, have }
      const kinds = kind === undefined ? MODEL_KINDS : [kind.toLowerCase() as ModelKind]
      const work = begin({ trainingId, modelId, kinds, sinceMs })
      const waiting = { modelId, trainingId, status: 'RUNNING' as const }
      return within(config.requestTimeoutMs * WAIT_SHARE, work, waiting)
    },
    trainWhenDue: async () => {
      if (running === undefined) await endCutTraining(parts)
      if (running === undefined) lookingBack ??= judgeUnjudged({ ...parts, state })
      if (!config.modelTrainAuto || !config.learning || running !== undefined) return
      if (parts.versions.standing().trial !== undefined) return
      const clicked = evidence.clicked()
      // After evidence was forgotten there may be less than there was.
      const before = Math.min(clicked, countedBy(last()))
      if (clicked < config.modelTrainClicksMin) return
      if (clicked - before < config.modelTrainNewMin) return
      void begin({ trainingId: newId(), modelId: OWN_MODEL, kinds: MODEL_KINDS, sinceMs: 0 })
    },
    last,
    close: async () => {
      state.isClosing = true
      await Promise.all([running?.catch(() => undefined), lookingBack])
    },
  }
}

/** A crash came between the training and its gate: nobody else would ask that. */
async function judgeUnjudged(parts: RunParts): Promise<void> {
  const { modelId, version } = lastNoted(parts) ?? {}
  if (modelId === undefined || version === undefined) return
  const record = parts.versions.find({ modelId, version })
  if (record?.status !== 'CANDIDATE' || record.gates.length > 0) return
  await judge(parts, record)
  parts.onEnd()
}

/** What the gate says of what was trained; undefined when it could not be asked. */
async function judge(
  { gating, logger, state }: RunParts,
  record: VersionName,
): Promise<Pick<ModelTrained, 'gate'>> {
  try {
    const { report } = await gating.judge(record)
    const { timeMs, ...gate } = report
    return { gate }
  } catch (err) {
    const { modelId, version } = record
    if (!state.isClosing) logger.error({ err, modelId, version }, 'a gate could not be asked')
    return {}
  }
}

type RunParts = TrainingParts & { state: { isClosing: boolean } }

/** From the evidence to a version that the first gate has judged; what goes wrong is an outcome too. */
async function run(parts: RunParts, job: Job): Promise<ModelTrained> {
  const { trainingId, modelId } = job
  const named = { modelId, trainingId }
  const end = await begun(parts, job)
  try {
    return { ...named, ...(await trained(parts, job, end)) }
  } catch (err) {
    // It stands as begun: the next start tells of it, and begins it again.
    if (parts.state.isClosing)
      return { ...named, status: 'FAILED', error: 'The service is stopping.' }
    parts.logger.error({ err, modelId }, 'a training failed')
    const error = err instanceof ServiceError ? err.message : FAILED
    await end('FAILED', 'TRAINING_FAILED', { error })
    return { ...named, status: 'FAILED', error }
  }
}

/** Notes how a training ended, with what its event says; the version is remembered too. */
type End = (
  status: ModelTrained['status'],
  type: string,
  data: Record<string, unknown> & { version?: number },
) => Promise<unknown>

/** Notes that a training begins; returns what is to note its end. */
async function begun(parts: RunParts, { trainingId, modelId, kinds }: Job): Promise<End> {
  const { evidence, clock } = parts
  const last = lastNoted(parts)
  const clicked = evidence.clicked()
  const named = { modelId, trainingId, clicked, startedMs: clock(), before: countedBy(last) }
  const cuts = last?.cuts === undefined ? {} : { cuts: last.cuts }
  const start = { type: 'TRAINING_STARTED', data: { kinds, clicked } }
  await noteTraining(parts, { ...named, status: 'RUNNING', ...cuts }, start)
  return (status, type, data) => {
    const made = data.version === undefined ? {} : { version: data.version }
    return noteTraining(parts, { ...named, status, endedMs: clock(), ...made }, { type, data })
  }
}

async function trained(
  parts: RunParts,
  { trainingId, modelId, kinds, sinceMs }: Job,
  end: End,
): Promise<Omit<ModelTrained, 'modelId' | 'trainingId'>> {
  // What it makes will need room.
  parts.versions.refuseMore(modelId)
  const { dataDir, modelTrainClicksMin: pagesMin, memoryPriorRate: priorRate } = parts.config
  const about = { chances: parts.chances(), priorRate, kinds, pagesMin }
  const input = { dataDir, sinceMs, ...about, handle: parts.serving.handle() }
  const made = await askWhole(() => parts.pool.run('train', input))
  if (made.trained === undefined) {
    const counts = { needed: pagesMin, have: made.pages }
    await end('NOT_ENOUGH_DATA', 'TRAINING_COMPLETED', counts)
    return { status: 'NOT_ENOUGH_DATA', ...counts }
  }
  const { kind, state, figures } = made.trained
  const { record } = await parts.intake.keep(modelId, state, { trainingId, ...figures })
  const { version, status } = record
  await end('COMPLETED', 'TRAINING_COMPLETED', { version, kind, ...figures })
  // What was trained may be a version that was judged before.
  const judged = status === 'CANDIDATE' ? await judge(parts, record) : {}
  return { status: 'COMPLETED', version, kind, training: figures, ...judged }
}

/** What the work gives, or something else when it takes longer. */
function within<T>(timeMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise), timeMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
