import type { Config } from '../../config.ts'
import { isoTime, momentWarnings } from '../wire/moment.ts'
import { unreadFields } from '../wire/unread-fields.ts'
import type { Activation } from './activation.ts'
import { nameOrNull, rankWarnings, showGated, showKept, withWarnings } from './answers.ts'
import { CHOSEN, ROLLED_BACK, SYNCED, TRAINED } from './bodies.ts'
import type { Gating } from './gating.ts'
import type { ModelIntake } from './intake.ts'
import type { Models } from './models.ts'
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

type Changes = Pick<Models, 'sync' | 'activate' | 'rollBack' | 'train' | 'judge'>

/** What clients do to models. Each answer tells which names in its body nobody reads. */
export function openChanges(parts: ChangesParts): Changes {
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
