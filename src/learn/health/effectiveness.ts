import type { Store } from '../../store/store.ts'
import { chanceAt, type PlaceChances } from '../statistics/place-chances.ts'
import { hourOf } from '../wire/duration.ts'
import { type Score, scoreOf } from './score.ts'

const WINDOW_H = 7 * 24
/** Clicks on lists that learning moved. */
const SAMPLES_MIN = 100

/**
 * What learning does for searchers, over seven days: clicks on lists that it moved, as a share of these and of those that
 * the same hits would have had where they stood before, by how likely people look at places. A half: no difference; 2/3:
 * twice as many. Each click is compared with itself, so that it does not matter that lists with many clicks are those that
 * learning moves. It is as good as the chances that it goes by: experiments are the proof.
 */
export function effectiveness(store: Store, chances: PlaceChances, nowMs: number): Score {
  const last = hourOf(nowMs)
  let clicks = 0
  let without = 0
  for (const { value } of store.tables.hourReports.range({
    start: last - WINDOW_H,
    end: last + 1,
  }))
    for (const [place, before, count] of value.moved ?? []) {
      clicks += count
      without += (count * chanceAt(chances, before)) / chanceAt(chances, place)
    }
  const value = clicks >= SAMPLES_MIN ? clicks / (clicks + without) : undefined
  return scoreOf(value, clicks, { good: 0.51, fair: 0.47 })
}
