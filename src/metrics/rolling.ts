const SLOTS = 6
const SLOT_MS = 10_000
/** An hour in microseconds: longer than any request may take, and within 32 bits. */
const HIGHEST_US = 3_600_000_000
const STEP_BITS = 7
/** Steps of equal width between a power of two and the next: the middle of one is within 1/256 of all that it holds. */
const STEPS = 1 << STEP_BITS
/** One for what is below the first power that has steps, which is told exactly, and one for each power behind it. */
const ROWS = 33 - STEP_BITS

/** Quantiles of the last minute, within half a percent of the value. */
export interface Rolling {
  record: (ms: number) => void
  /** Seconds below which each share (0..1) of the values lies; NaN when there was none. */
  quantiles: (shares: readonly number[]) => number[]
}

/** What was recorded in ten seconds: how many values fell into each step, by powers of two. */
interface Slot {
  epoch: number
  count: number
  rows: (Uint32Array | undefined)[]
}

/**
 * A ring of six histograms of ten seconds each, summed when read. One has room only for powers of two that values came
 * from: there are hundreds of series, most of which see a few, and whoever tries all methods on all paths makes them all.
 * `clock` tells milliseconds; nobody sets the usual one, as a system's clock may be.
 */
export function openRolling(clock: () => number = () => performance.now()): Rolling {
  const slots: Slot[] = []
  return {
    record: (ms) => {
      const epoch = Math.floor(clock() / SLOT_MS)
      const at = epoch % SLOTS
      const slot = slots[at] ?? { epoch, count: 0, rows: [] }
      slots[at] = slot
      if (slot.epoch !== epoch) restart(slot, epoch)
      count(slot, Math.min(HIGHEST_US, Math.max(1, Math.round(ms * 1000))))
    },
    quantiles: (shares) => {
      const oldest = Math.floor(clock() / SLOT_MS) - SLOTS + 1
      const young = slots.filter((slot) => slot !== undefined && slot.epoch >= oldest)
      const total = young.reduce((sum, slot) => sum + slot.count, 0)
      if (total === 0) return shares.map(() => Number.NaN)
      const sums = sumOf(young)
      return shares.map((share) => middleUs(placeOf(sums, share * total)) / 1e6)
    },
  }
}

function restart(slot: Slot, epoch: number): void {
  slot.epoch = epoch
  slot.count = 0
  for (const row of slot.rows) row?.fill(0)
}

function count(slot: Slot, us: number): void {
  // The power of two below, as far as it has steps.
  const row = us < STEPS ? 0 : 32 - STEP_BITS - Math.clz32(us)
  const step = row === 0 ? us : (us >>> (row - 1)) - STEPS
  let counts = slot.rows[row]
  if (counts === undefined) {
    counts = new Uint32Array(STEPS)
    slot.rows[row] = counts
  }
  counts[step] = (counts[step] as number) + 1
  slot.count += 1
}

/** Used again by each page: it has a row for every power, and hundreds of series are summed for one. */
const scratch = new Float64Array(ROWS * STEPS)

function sumOf(slots: readonly Slot[]): Float64Array {
  scratch.fill(0)
  for (const { rows } of slots)
    rows.forEach((counts, row) => {
      if (counts === undefined) return
      const from = row * STEPS
      for (let step = 0; step < STEPS; step += 1)
        scratch[from + step] = (scratch[from + step] as number) + (counts[step] as number)
    })
  return scratch
}

/** The first place up to which there are so many values, or one. */
function placeOf(sums: Float64Array, wanted: number): number {
  const rank = Math.max(1, Math.ceil(wanted))
  let seen = 0
  let place = -1
  while (seen < rank && place < sums.length - 1) {
    place += 1
    seen += sums[place] as number
  }
  return place
}

function middleUs(place: number): number {
  const row = Math.floor(place / STEPS)
  const step = place % STEPS
  if (row === 0) return step
  const width = 2 ** (row - 1)
  return (STEPS + step) * width + (width - 1) / 2
}
