import type { Config } from '../../config.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { LearningFigures } from '../../schema/learning-figures.ts'
import type { Gains } from '../feedback/gains.ts'
import type { Loop } from '../loop/loop.ts'
import type { Reporting } from '../reports/reporting.ts'
import type { Sweep } from '../round.ts'
import { collectLearning, type FigureParts, readLearningFigures } from './figures.ts'
import { type LearningHealth, openLearningHealth } from './health.ts'
import { openRemovals } from './removals.ts'
import { openRetention } from './retention.ts'

/** Learning seen from outside: its figures, how it is, and what is past its time. */
export interface Oversight {
  figures: () => LearningFigures
  health: LearningHealth
  /** Notes how far learning has come, and removes some of what is past its time. */
  tick: (nowMs: number) => Promise<void>
}

export interface OversightParts extends Omit<FigureParts, 'lag' | 'tally'> {
  loop: Pick<Loop, 'position' | 'kept'>
  gains: Pick<Gains, 'click'>
  config: Config
  metrics: Metrics
  reporting: Reporting
  /** Parts that remove what is past its time themselves. */
  swept: Readonly<Record<string, { sweep: Sweep }>>
  logger: { info: (fields: object, message: string) => void }
  onSweepFailure: (err: unknown, part: string) => void
  /** It fails no more. */
  onSweepEnd: (part: string) => void
}

export function openOversight(parts: OversightParts): Oversight {
  const { reporting } = parts
  const figureParts: FigureParts = { ...parts, lag: reporting.lag, tally: reporting.tally }
  collectLearning(parts.metrics, figureParts)
  const health = openLearningHealth({ ...parts, examination: reporting.examination })
  const swept = Object.entries(parts.swept).map(([name, { sweep }]) => [name, sweep] as const)
  const removals = openRemovals({ isCut: parts.log.isCut, logger: parts.logger })
  const retain = openRetention({
    ...parts,
    kept: parts.loop.kept,
    sweeps: { ...reporting.sweeps, ...Object.fromEntries(swept) },
    onFailure: parts.onSweepFailure,
    onEnd: parts.onSweepEnd,
    onRemoved: removals.note,
  })
  return {
    figures: () => readLearningFigures(figureParts),
    health,
    tick: async (nowMs) => {
      health.watch()
      await retain(nowMs)
      removals.tick()
    },
  }
}
