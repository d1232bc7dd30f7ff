import { HOUR_MS } from './duration.ts'
import { isAhead } from './moment.ts'

/** So long the clock must have shown less: one that is set back by mistake is mostly right again by then. */
const SETTLED_MS = HOUR_MS

/**
 * Whether a moment that was noted here lies ahead for good, as by a clock that has been set back since, and that for one or
 * two hours: what waits for it, or counts from it, begins anew then.
 */
export function openStaysAhead(clock: () => number): (timeMs: number) => boolean {
  /** The latest time that it showed in the span before this one, and in this one. */
  let [before, latest] = [Number.POSITIVE_INFINITY, clock()]
  let beganMs = performance.now()
  return (timeMs) => {
    const nowMs = clock()
    if (performance.now() - beganMs < SETTLED_MS) latest = Math.max(latest, nowMs)
    else {
      ;[before, latest] = [latest, nowMs]
      beganMs = performance.now()
    }
    return isAhead(timeMs, nowMs) && timeMs > Math.max(before, latest)
  }
}
