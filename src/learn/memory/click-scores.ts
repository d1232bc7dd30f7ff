import { type DailyEvidence, type Weighing, weighEvidence } from './click-memory-evidence.ts'
import { type MemorySettings, rateOf } from './click-rate.ts'

/** By what is remembered becomes scores. */
export interface ScoreSettings extends MemorySettings, Weighing {
  /** What a click is worth. */
  clickGain: number
}

/** What click memory adds to a document's score: value = strength · (rate − what is expected). */
export interface ClickScore {
  value: number
  /** Sums of gains, and of chances that it was looked at, as they weigh today. */
  gain: number
  examination: number
  /** Gain per examination, drawn towards what is expected; at most 1. */
  rate: number
}

/** Who looks clicks with this chance at most: else it would be sure that who did not click never looked. */
const CHANCE_MAX = 0.9
/** Up to so much of an examination, passing over a document says nothing against it: a look at the third place is as much. */
const PASSED_OVER_MIN = 1 / 3

type Weighed = ReturnType<typeof weighEvidence>

/**
 * The scores of a query's documents, in their order; these are all of which something is remembered. Hardly looked at and
 * not chosen is not looked at: else one person who clicks moves a whole page, and what nobody has seen comes in for it.
 */
export function scoresOf(
  documents: Iterable<DailyEvidence>,
  today: number,
  settings: ScoreSettings,
): ClickScore[] {
  const { memoryStrength, memoryPriorRate } = settings
  const click = settings.clickGain || 1
  const all = { gain: 0, examination: 0 }
  const weighed = Array.from(documents, (evidence) => weighEvidence(evidence, today, settings))
  for (const one of weighed) {
    all.gain += one.gain
    all.examination += examined(one, click, 0)
  }
  const chance = Math.min(CHANCE_MAX, rateOf(settings, all.gain, all.examination) / click)
  return weighed.map((one) => {
    const { gain } = one
    if (gain === 0 && one.examination <= PASSED_OVER_MIN)
      return { value: 0, gain, examination: 0, rate: memoryPriorRate }
    const examination = examined(one, click, chance)
    const rate = rateOf(settings, gain, examination)
    return { value: memoryStrength * (rate - memoryPriorRate), gain, examination, rate }
  })
}

/**
 * How often it was looked at, by what is known of its clicks: who clicked has looked, wherever it stood. Who looks clicks
 * with that chance, so that of the others fewer have looked (Bayes): x · (1 − chance) / (1 − x · chance), with x the
 * chance of its place.
 */
function examined({ gain, examination, looks }: Weighed, click: number, chance: number): number {
  // Nobody looks twice at one page, even who clicked and bought.
  const clicked = Math.min(looks, gain / click)
  // All looks were at the first place, or weren't counted yet.
  if (looks <= examination) return examination
  const place = examination / looks
  return clicked + ((looks - clicked) * place * (1 - chance)) / (1 - place * chance)
}
