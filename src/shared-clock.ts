/** Readings so close together are taken at once; else those that were closest after so many tries. */
const NEAR_MS = 0.005
const TRIES_MAX = 200

/** What `performance.now()` of this thread is behind; it counts from the thread's start. */
const AHEAD_MS = aheadMs(systemMs, () => performance.now())

/**
 * A moment of this thread's `performance.now()`, now by default, as all threads of the process count it: ms with
 * fractions on a clock that nobody sets. Only differences mean something. (`Date.now()` and
 * `performance.timeOrigin` part by as much as the system's clock was corrected since the start.)
 */
export function sharedMs(localMs = performance.now()): number {
  return AHEAD_MS + localMs
}

/** What the system's clock shows for a moment by `sharedMs`: epoch ms with fractions, by how it is set now. */
export function epochMs(momentMs: number): number {
  return Date.now() - (sharedMs() - momentMs)
}

/** When this thread began, by the system's clock as it was set then, and by `sharedMs`. */
const BEGAN = { epochMs: Date.now(), sharedMs: sharedMs() }

/**
 * Epoch ms as the system's clock would show them had nobody set it since this thread began, in whole ms: for what must
 * stay for some time and is found again after a restart.
 */
export function steadyMs(): number {
  return Math.floor(BEGAN.epochMs + sharedMs() - BEGAN.sharedMs)
}

function systemMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/**
 * What one clock is ahead of another, each read in turn. A thread may lose its processor between two readings: by a
 * single pair it would be behind all others for as long as it lives, and what it ends would take less than no time.
 */
export function aheadMs(first: () => number, second: () => number): number {
  let least = Number.POSITIVE_INFINITY
  let ahead = 0
  for (let tries = 0; tries < TRIES_MAX && least > NEAR_MS; tries += 1) {
    const before = first()
    const between = second()
    const apart = first() - before
    if (apart >= least) continue
    least = apart
    ahead = before + apart / 2 - between
  }
  return ahead
}
