import type { SessionTotals } from '../../schema/session.ts'
import type { Store } from '../../store/store.ts'

/** What sessions did so far, exact at every moment and durable with the next write. */
export interface Totals {
  /** Counts at once, in memory; reaches the disk with the next flush. For a known session. */
  add: (sessionId: string, delta: Partial<SessionTotals>) => void
  /** Inside `store.write`: counts with what the transaction stores, or not at all. */
  addWithin: (sessionId: string, delta: Partial<SessionTotals>) => void
  of: (sessionId: string) => SessionTotals
  /**
   * Writes what `add` counted in a transaction of its own, if there is something; when that fails, it is still counted.
   * `release` for whoever is to remove sessions.
   */
  flush: (write?: Store['write']) => Promise<void>
}

type Deltas = Map<string, SessionTotals>
type Key = keyof SessionTotals

/** The number of the last flush: tells whether what was flushed is visible in the table. */
const FLUSHES = 'totals'
/** Longer ones are nobody's, and may not even fit a key. */
const ID_CHARACTERS_MAX = 128
/** Sessions that wait for a flush; beyond it their searches are not counted. */
const WAITING_MAX = 100_000

export function openTotals(store: Store): Totals {
  const { meta, sessionTotals } = store.tables
  let waiting: Deltas = new Map()
  // Flushed, but perhaps not committed yet: counted from here until the table shows them.
  let flushed: { flush: number; deltas: Deltas }[] = []

  const flushes = (): number => meta.get(FLUSHES) ?? 0
  function count(deltas: Deltas, sessionId: string, delta: Partial<SessionTotals>): void {
    const known = deltas.get(sessionId)
    if (known === undefined) deltas.set(sessionId, sumTotals(delta))
    else for (const key in delta) known[key as Key] += delta[key as Key] ?? 0
  }
  /** Outside of transactions, where only what is committed can be seen. */
  function forgetFlushed(): void {
    const seen = flushes()
    flushed = flushed.filter(({ flush }) => flush > seen)
  }
  function flushWithin(): void {
    const before = flushes()
    // A flush whose number is not there has failed: what it wrote is written again.
    for (const { flush, deltas } of flushed)
      if (flush > before) for (const [sessionId, delta] of deltas) count(waiting, sessionId, delta)
    flushed = flushed.filter(({ flush }) => flush <= before)
    if (waiting.size === 0) return
    for (const [sessionId, delta] of waiting)
      sessionTotals.put(sessionId, sumTotals(sessionTotals.get(sessionId), delta))
    meta.put(FLUSHES, before + 1)
    flushed.push({ flush: before + 1, deltas: waiting })
    waiting = new Map()
  }
  return {
    add: (sessionId, delta) => {
      const id = sessionId.toLowerCase()
      if (waiting.size < WAITING_MAX || waiting.has(id)) count(waiting, id, delta)
    },
    addWithin: (sessionId, delta) => {
      const id = sessionId.toLowerCase()
      sessionTotals.put(id, sumTotals(sessionTotals.get(id), delta))
    },
    of: (sessionId) => {
      if (sessionId.length > ID_CHARACTERS_MAX) return sumTotals()
      const id = sessionId.toLowerCase()
      const seen = flushes()
      let totals = sumTotals(sessionTotals.get(id), waiting.get(id))
      for (const { flush, deltas } of flushed)
        if (flush > seen) totals = sumTotals(totals, deltas.get(id))
      return totals
    },
    flush: async (write = store.write) => {
      forgetFlushed()
      if (waiting.size > 0 || flushed.length > 0) await write(flushWithin)
    },
  }
}

/** Adds two totals, whatever of them is there. */
export function sumTotals(
  { searches = 0, clicks = 0, feedback = 0, events = 0 }: Partial<SessionTotals> = {},
  delta: Partial<SessionTotals> = {},
): SessionTotals {
  return {
    searches: searches + (delta.searches ?? 0),
    clicks: clicks + (delta.clicks ?? 0),
    feedback: feedback + (delta.feedback ?? 0),
    events: events + (delta.events ?? 0),
  }
}
