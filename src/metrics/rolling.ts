import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

const SLOTS = 6
const SLOT_MS = 10_000
/** An hour in microseconds: longer than any request may take. */
const HIGHEST_US = 3_600_000_000

/** Quantiles of the last minute, within half a percent of the value. */
export interface Rolling {
  record: (ms: number) => void
  /** Seconds below which each share (0..1) of the values lies; NaN when there was none. */
  quantiles: (shares: readonly number[]) => number[]
}

/**
 * A ring of six histograms of ten seconds each, merged when read (HdrHistogram, two significant figures);
 * recording costs some tens of nanoseconds. `clock` tells milliseconds.
 */
export function openRolling(clock: () => number = Date.now): Rolling {
  const slots: { epoch: number; histogram: RecordableHistogram }[] = []
  return {
    record: (ms) => {
      const epoch = Math.floor(clock() / SLOT_MS)
      const at = epoch % SLOTS
      let slot = slots[at]
      if (slot === undefined) {
        slot = { epoch, histogram: newHistogram() }
        slots[at] = slot
      } else if (slot.epoch !== epoch) {
        slot.histogram.reset()
        slot.epoch = epoch
      }
      slot.histogram.record(Math.min(HIGHEST_US, Math.max(1, Math.round(ms * 1000))))
    },
    quantiles: (shares) => {
      const oldest = Math.floor(clock() / SLOT_MS) - SLOTS + 1
      const merged = newHistogram()
      for (const slot of slots)
        if (slot !== undefined && slot.epoch >= oldest) merged.add(slot.histogram)
      if (merged.count === 0) return shares.map(() => Number.NaN)
      return shares.map((share) => merged.percentile(share * 100) / 1e6)
    },
  }
}

function newHistogram(): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: HIGHEST_US, figures: 2 })
}
