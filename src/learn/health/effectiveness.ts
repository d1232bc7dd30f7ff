import type { Store } from '../../store/store.ts'
import { noSearches } from '../reports/hour.ts'
import { addCounts } from '../reports/report.ts'
import { hourOf } from '../wire/duration.ts'
import { type Score, scoreOf } from './score.ts'

const WINDOW_H = 7 * 24
/** Searches of either kind. */
const SAMPLES_MIN = 100

/**
 * What learning does for searchers, over seven days: the mean reciprocal rank of clicks in rankings that it changed,
 * as a share of the sum of that and the same of rankings that it left alone. A half: no difference; 2/3: twice as
 * good. The two kinds of queries may differ, so this is a sign, and experiments are the proof.
 */
export function effectiveness(store: Store, nowMs: number): Score {
  const last = hourOf(nowMs)
  const learned = noSearches()
  const plain = noSearches()
  for (const { value } of store.tables.hourReports.range({
    start: last - WINDOW_H,
    end: last + 1,
  })) {
    addCounts(learned, value.learned)
    addCounts(plain, value.plain)
  }
  const samples = Math.min(learned.searches, plain.searches)
  const withIt = learned.reciprocal / learned.searches
  const without = plain.reciprocal / plain.searches
  const known = samples >= SAMPLES_MIN && withIt + without > 0
  const value = known ? withIt / (withIt + without) : undefined
  return scoreOf(value, samples, { good: 0.5, fair: 0.45 })
}
