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
    const rate = rateAt(at, examinedAt(at, settings, chance), settings)
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
  const examination = examinedAt(at, settings, chance)
  const rate = rateAt(at, examination, settings)
  const value = settings.memoryStrength * (rate - settings.memoryPriorRate)
  return { value, gain: gains[at] as number, examination, rate }
}

/** Weighs all of them; `chance` is the one with which people click on what they look at under this query. */
function weighAll(documents: Iterable<DailyEvidence>, today: number, settings: ScoreSettings) {
  const click = clickOf(settings)
  let count = 0
  let gain = 0
  let examination = 0
  for (const evidence of documents) {
    const weighed = weighEvidence(evidence, today, settings)
    gains[count] = weighed.gain
    examinations[count] = weighed.examination
    looks[count] = weighed.looks
    gain += weighed.gain
    examination += likelyLooks(count, click, 0)
    count += 1
  }
  return { count, chance: Math.min(CHANCE_MAX, rateOf(settings, gain, examination) / click) }
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

function examinedAt(at: number, settings: ScoreSettings, chance: number): number {
  const isHardlySeen = gains[at] === 0 && (examinations[at] as number) <= PASSED_OVER_MIN
  return isHardlySeen ? 0 : likelyLooks(at, clickOf(settings), chance)
}

/**
 * How often it was looked at, by what is known of its clicks: who clicked has looked, wherever it stood. Who looks clicks
 * with that chance, so that of the others fewer have looked (Bayes): x · (1 − chance) / (1 − x · chance), with x the
 * chance of its place.
 */
function likelyLooks(at: number, click: number, chance: number): number {
  const examination = examinations[at] as number
  const shown = looks[at] as number
  // All looks were at the first place, or weren't counted yet.
  if (shown <= examination) return examination
  // Nobody looks twice at one page, even who clicked and bought.
  const clicked = Math.min(shown, (gains[at] as number) / click)
  const place = examination / shown
  return clicked + ((shown - clicked) * place * (1 - chance)) / (1 - place * chance)
}
