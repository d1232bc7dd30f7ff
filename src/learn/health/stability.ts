import { type Score, scoreOf } from './score.ts'

const SAMPLES_MIN = 3

/**
 * How many of the changes of the last RETENTION_MS that people met (models activated, adaptations in canary or in
 * force, experiments started) were not rolled back; `counts` are the events by type.
 */
export function stability(counts: Record<string, number>): Score {
  const of = (type: string): number => counts[type] ?? 0
  // Each adaptation comes into its canary once, an immediate one, too; active it may be again, when another is taken back.
  const changes = of('MODEL_ACTIVATED') + of('ADAPTATION_CANARY') + of('EXPERIMENT_STARTED')
  const takenBack =
    of('MODEL_ROLLED_BACK') + of('ADAPTATION_ROLLED_BACK') + of('EXPERIMENT_ROLLED_BACK')
  const value = changes < SAMPLES_MIN ? undefined : 1 - takenBack / changes
  return scoreOf(value, changes, { good: 0.9, fair: 0.7 })
}
