import { type DocumentKey, documentOf } from '../../schema/document-key.ts'
import type { RememberedRow } from '../../schema/memory-record.ts'
import { examinationOf, gainOf, type Weighing, weighEvidence } from './click-memory-evidence.ts'
import { unpackRemembered } from './click-memory-rows.ts'

/** What is expected of a document that nobody has met, what that is worth, and how fast evidence fades. */
export interface RateSettings {
  memoryPriorWeight: number
  memoryPriorRate: number
  memoryHalfLifeMs: number
}

/** What an added score is made by: the rate's settings, and how much it counts. */
export interface MemorySettings extends RateSettings {
  memoryStrength: number
}

/** Documents of one index that get a rate of their own; the core takes no more. */
export const RATED_MAX = 50_000

/** Gain an examination, shrunk: (c + a·p₀) / (e + a). */
export function rateOf(
  { memoryPriorWeight, memoryPriorRate }: Omit<RateSettings, 'memoryHalfLifeMs'>,
  gain: number,
  examination: number,
): number {
  const rate = (gain + memoryPriorWeight * memoryPriorRate) / (examination + memoryPriorWeight)
  // More than one gain an examination is no rate: many who click far down, and may be one.
  return Math.min(1, rate)
}

/** A document of an index and its click rate. */
export interface RatedDocument {
  id: string
  rate: number
}

/**
 * The click rate of each document by index, as it is on a day: gains and examinations of all queries under which
 * somebody gained something, summed and shrunk like those of one. Where there are more than
 * `RATED_MAX`, those with most evidence come first. A query without a gain says as little of a document as of its order: nothing.
 */
export function countRates(
  rows: Iterable<RememberedRow>,
  day: number,
  settings: RateSettings & Weighing,
): Map<number, RatedDocument[]> {
  const sums = new Map<DocumentKey, { gain: number; examination: number }>()
  for (const row of rows) {
    const documents = unpackRemembered(row)
    if (![...documents.values()].some((evidence) => gainOf(evidence) > 0)) continue
    for (const [key, evidence] of documents) {
      if (gainOf(evidence) + examinationOf(evidence) === 0) continue
      const { gain, examination } = weighEvidence(evidence, day, settings)
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { gain, examination })
      else {
        sum.gain += gain
        sum.examination += examination
      }
    }
  }
  const counted = [...sums]
  if (counted.length > RATED_MAX)
    counted.sort(([a, one], [b, other]) => other.examination - one.examination || (a < b ? -1 : 1))
  const byIndex = new Map<number, RatedDocument[]>()
  for (const [key, { gain, examination }] of counted) {
    const { indexId, id } = documentOf(key)
    const rated = byIndex.get(indexId) ?? []
    byIndex.set(indexId, rated)
    rated.push({ id, rate: rateOf(settings, gain, examination) })
  }
  return byIndex
}
