const [seconds, nanoseconds] = process.hrtime()
/** What `performance.now()` of this thread is behind; it counts from the thread's start. */
const AHEAD_MS = seconds * 1000 + nanoseconds / 1e6 - performance.now()

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
