/**
 * Moments at which the main thread is free: a search was just handed to a thread, and whatever came in with it is done.
 * Until its answer comes back, work that may wait disturbs nobody, or at least fewer than at any other time.
 */
export interface Lulls {
  /** Notes that a search was handed over. */
  note: () => void
  /** Resolves at the next such moment; at once while nobody searches, after `WAIT_MS` if none comes. */
  next: () => Promise<void>
}

/** So long after the last search somebody may still be searching. */
const SEARCHING_MS = 20
/** How long such a moment is waited for: with ten searches a second or fewer, hardly any meets the work wherever it is done. */
const WAIT_MS = 5

export function openLulls(): Lulls {
  let waiting: (() => void)[] = []
  let notedMs = Number.NEGATIVE_INFINITY

  return {
    note: () => {
      notedMs = performance.now()
      if (waiting.length === 0) return
      const ready = waiting
      waiting = []
      // Behind what has come in already.
      setImmediate(() => {
        for (const resolve of ready) resolve()
      })
    },
    next: () => {
      if (performance.now() - notedMs > SEARCHING_MS) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, WAIT_MS)
        waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    },
  }
}
