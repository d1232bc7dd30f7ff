import { type DailyEvidence, type Weighing, weighEvidence } from './click-memory-evidence.ts'
import { DOCUMENTS_MAX } from './click-memory-pairs.ts'
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

/**
 * A query's documents as they weigh today, in columns: nearly each search after a lesson has them weighed, and objects for
 * each of them take ten times as long.
 */
const gains = new Float64Array(DOCUMENTS_MAX)
const examinations = new Float64Array(DOCUMENTS_MAX)
const looks = new Float64Array(DOCUMENTS_MAX)
const choices = new Float64Array(DOCUMENTS_MAX)

/**
 * Writes what is added to the scores of a query's documents, in their order, and returns how many they are; these are all of
 * which something is remembered, `DOCUMENTS_MAX` at most. Hardly looked at and not chosen is not looked at: else one person
 * who clicks moves a whole page, and what nobody has seen comes in for it.
 */
export function writeValues(
  documents: Iterable<DailyEvidence>,
  today: number,
  settings: ScoreSettings,
  values: Float64Array,
): number {
  const { memoryStrength, memoryPriorRate } = settings
  const { count, chance } = weighAll(documents, today, settings)
  for (let at = 0; at < count; at += 1) {
    const rate = rateAt(at, examinedAt(at, chance), settings)
    values[at] = memoryStrength * (rate - memoryPriorRate)
  }
  return count
}

/** The score of one of a query's documents, by its place among them, and where it comes from. */
export function scoreAt(
  at: number,
  documents: Iterable<DailyEvidence>,
  today: number,
  settings: ScoreSettings,
): ClickScore {
  const { chance } = weighAll(documents, today, settings)
  const examination = examinedAt(at, chance)
  const rate = rateAt(at, examination, settings)
  const value = settings.memoryStrength * (rate - settings.memoryPriorRate)
  return { value, gain: gains[at] as number, examination, rate }
}

/** Weighs all of them; `chance` is the one with which people choose what they look at under this query. */
function weighAll(documents: Iterable<DailyEvidence>, today: number, settings: ScoreSettings) {
  const click = clickOf(settings)
  let count = 0
  let chosen = 0
  let examination = 0
  for (const evidence of documents) {
    const weighed = weighEvidence(evidence, today, settings)
    gains[count] = weighed.gain
    examinations[count] = weighed.examination
    looks[count] = weighed.looks
    // Where they were not counted, as if all had clicked, and no more.
    choices[count] = weighed.choices + weighed.uncounted / click
    chosen += choices[count] as number
    examination += likelyLooks(count, 0)
    count += 1
  }
  const { memoryPriorWeight, memoryPriorRate } = settings
  const expected = { memoryPriorWeight, memoryPriorRate: memoryPriorRate / click }
  return { count, chance: Math.min(CHANCE_MAX, rateOf(expected, chosen, examination)) }
}

/** Where a click is worth nothing, others are counted as if each gain were a whole one. */
function clickOf({ clickGain }: ScoreSettings): number {
  return clickGain || 1
}

function rateAt(at: number, examination: number, settings: ScoreSettings): number {
  const gain = gains[at] as number
  // Exactly: what is not looked at must not move.
  if (gain === 0 && examination === 0) return settings.memoryPriorRate
  return rateOf(settings, gain, examination)
}

function examinedAt(at: number, chance: number): number {
  const isHardlySeen = gains[at] === 0 && (examinations[at] as number) <= PASSED_OVER_MIN
  return isHardlySeen ? 0 : likelyLooks(at, chance)
}

/**
 * How often it was looked at, by what is known of its choices: who clicked or bought has looked, wherever it stood. Who
 * looks chooses with that chance, so that of the others fewer have looked (Bayes): x · (1 − chance) / (1 − x · chance),
 * with x the chance of its place.
 */
function likelyLooks(at: number, chance: number): number {
  const examination = examinations[at] as number
  const shown = looks[at] as number
  // All looks were at the first place, or weren't counted yet.
  if (shown <= examination) return examination
  // Nobody looks twice at one page, even who comes back to it later.
  const chosen = Math.min(shown, choices[at] as number)
  const place = examination / shown
  return chosen + ((shown - chosen) * place * (1 - chance)) / (1 - place * chance)
}
