import { DAY_MS } from '../wire/duration.ts'
import {
  type DailyEvidence,
  daysOf,
  examinationOf,
  gainOf,
  MILLION,
  type Weighing,
} from './click-memory-evidence.ts'
import type { MemorySettings } from './click-rate.ts'
import type { ClickScore } from './click-scores.ts'

/** Where a document's added score comes from. */
export interface ClickReasons extends ClickScore {
  /** What is expected of a document that nobody has met, and how many examinations that weighs. */
  expectedRate: number
  priorWeight: number
  strength: number
  /** As they came, whatever their age, but of days that have joined another; they weigh half after this time. */
  undecayed: { gain: number; examination: number }
  halfLifeDays: number
  /** UTC days of the oldest and the newest evidence. */
  firstDay: string
  lastDay: string
}

/** What stands behind the value, besides what it is made of; the evidence is not empty. */
export function reasonsOf(
  evidence: DailyEvidence,
  settings: MemorySettings & Weighing,
): Omit<ClickReasons, keyof ClickScore> {
  const [oldest, newest] = daysOf(evidence)
  return {
    expectedRate: settings.memoryPriorRate,
    priorWeight: settings.memoryPriorWeight,
    strength: settings.memoryStrength,
    undecayed: {
      gain: gainOf(evidence) / MILLION,
      examination: examinationOf(evidence, settings.chances) / MILLION,
    },
    halfLifeDays: settings.memoryHalfLifeMs / DAY_MS,
    firstDay: nameOf(oldest),
    lastDay: nameOf(newest),
  }
}

function nameOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
