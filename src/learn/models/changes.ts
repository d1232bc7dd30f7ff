import type { Config } from '../../config.ts'
import { momentWarnings } from '../../doubtful-moment.ts'
import type { NoteDone } from '../../schema/answer.ts'
import type {
  ModelRollback,
  ModelSync,
  ModelTrained,
  ModelTraining,
  VersionChoice,
} from '../../schema/model.ts'
import { isoTime } from '../wire/moment.ts'
import { unreadFields } from '../wire/unread-fields.ts'
import type { Activation } from './activation.ts'
import { nameOrNull, rankWarnings, showGated, showKept, withWarnings } from './answers.ts'
import { CHOSEN, ROLLED_BACK, SYNCED, TRAINED } from './bodies.ts'
import type { Gating } from './gating.ts'
import type { ModelIntake } from './intake.ts'
import type { RankingModels } from './ranking-models.ts'
import type { Training } from './training.ts'
import type { Versions } from './versions.ts'

interface ChangesParts {
  config: Pick<Config, 'learning'>
  versions: Versions
  ranking: RankingModels
  activation: Activation
  intake: ModelIntake
  gating: Gating
  training: Training
}

/** What clients do to models. Each answer tells which names in its body nobody reads. */
export interface ModelChanges {
  /** A state that can't rank is stored, too, and told of. Throws TOO_MANY_MODELS. */
  sync: (sent: ModelSync) => Promise<object>
  /** Past all gates; the newest version, if none is named. Throws MODEL_NOT_FOUND, MODEL_NOT_SERVABLE. */
  activate: (modelId: string, sent: VersionChoice) => Promise<object>
  /** Throws MODEL_NOT_FOUND, NOT_ACTIVE. */
  rollBack: (modelId: string, sent: ModelRollback, noteDone?: NoteDone) => Promise<object>
  /** Waits for the outcome, within the time of a request. Throws TRAINING_RUNNING. */
  train: (sent: ModelTraining) => Promise<ModelTrained>
  /** Asks the first gate; who passes goes into shadow. Throws as `activate` does. */
  judge: (modelId: string, sent: VersionChoice) => Promise<object>
}

export function openChanges(parts: ChangesParts): ModelChanges {
  const { versions, ranking, activation, intake, gating, training } = parts
  const { learning } = parts.config
  /** Whatever changed, searches see it when the caller hears of it. */
  async function changing<T>(change: Promise<T>): Promise<T> {
    try {
      return await change
    } finally {
      ranking.refresh()
    }
  }
  const chosen = (modelId: string, version = versions.newest(modelId).version) => ({
    modelId,
    version,
  })
  return {
    sync: async (sent) => {
      const kept = await changing(intake.sync(sent))
      const ranks = sent.activate === true ? rankWarnings(kept.record, learning) : []
      return showKept(kept, { before: unreadFields(sent, SYNCED), behind: ranks })
    },
    activate: async (modelId, sent) => {
      const name = chosen(modelId, sent.version)
      const { record, previous, unchanged } = await changing(activation.activate(name, 'CALL'))
      const { status, updatedMs } = record
      const updatedAt = isoTime(updatedMs)
      const changed = { ...name, status, previous: nameOrNull(previous), unchanged, updatedAt }
      const warnings = [...unreadFields(sent, CHOSEN), ...rankWarnings(record, learning)]
      return { ...changed, ...withWarnings(warnings) }
    },
    rollBack: async (modelId, sent, noteDone) => {
      const ends = sent.trial === true ? activation.endTrial : activation.rollBack
      const { record, active } = await changing(ends(modelId, noteDone))
      const { version, status, updatedMs } = record
      const updatedAt = isoTime(updatedMs)
      const told = withWarnings(unreadFields(sent, ROLLED_BACK))
      return { modelId, version, status, active: nameOrNull(active), updatedAt, ...told }
    },
    train: async (sent) => {
      const trained = await training.train(sent)
      const told = [...unreadFields(sent, TRAINED), ...momentWarnings(sent.since, 'since')]
      return { ...trained, ...withWarnings(told) }
    },
    judge: async (modelId, sent) => {
      const judged = await changing(gating.judge(chosen(modelId, sent.version)))
      const told = withWarnings(unreadFields(sent, CHOSEN))
      return { ...showGated(judged, versions.standing()), ...told }
    },
  }
}
