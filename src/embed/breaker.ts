import { serviceError } from '../errors.ts'
import { isPassing, WAIT_MS_MAX, waitOf } from './retry.ts'

/**
 * A circuit breaker: runs a call, unless the calls before it failed in a row; then it throws EMBEDDER_UNAVAILABLE
 * without a call. A call that its caller gave up by the signal counts for nothing.
 */
export type Breaker = <T>(call: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** In a row; a call that is tried again counts each time. */
const FAILURES_MAX = 5
const FIRST_REST_MS = 1000
const REST_MS_MAX = 30_000
/** An endpoint that wants to be left alone for longer is asked all the same. */
const ASKED_REST_MS_MAX = 300_000

/**
 * Opens a breaker, which leaves an endpoint alone that does not work: searches and writes need not wait for it, and
 * it may be too busy. After the rest one call at a time tries whether it is back; each that fails doubles the next
 * rest.
 */
export function openBreaker(clock: () => number = () => performance.now()): Breaker {
  let failures = 0
  let restMs = 0
  let untilMs = 0
  let isTrying = false
  let last: unknown

  function rest(askedMs: number): void {
    restMs = Math.min(REST_MS_MAX, restMs === 0 ? FIRST_REST_MS : restMs * 2)
    untilMs = clock() + Math.max(restMs, Math.min(askedMs, ASKED_REST_MS_MAX))
  }
  function note(error: unknown, isTrial: boolean): void {
    last = error
    const askedMs = waitOf(error) ?? 0
    // Others that were under way when it began to rest fail, too.
    const wasResting = failures >= FAILURES_MAX
    failures += 1
    // Nobody waits so long to try again.
    if (askedMs > WAIT_MS_MAX) failures = Math.max(failures, FAILURES_MAX)
    if (isTrial || (!wasResting && failures >= FAILURES_MAX)) rest(askedMs)
  }
  function recover(): void {
    failures = 0
    restMs = 0
  }
  return async (call, signal) => {
    const isTrial = failures >= FAILURES_MAX
    if (isTrial && (isTrying || clock() < untilMs)) throw leftAlone(untilMs - clock(), last)
    isTrying ||= isTrial
    try {
      const value = await call()
      recover()
      return value
    } catch (error) {
      // Whoever refuses a text works.
      if (!isPassing(error)) recover()
      else if (signal?.aborted !== true) note(error, isTrial)
      throw error
    } finally {
      if (isTrial) isTrying = false
    }
  }
}

/** What failed last stands in the log. */
function leftAlone(leftMs: number, cause: unknown): Error {
  return serviceError(
    'EMBEDDER_UNAVAILABLE',
    'The embedder failed again and again, and is left alone for a moment.',
    { retryAfterS: Math.max(1, Math.ceil(leftMs / 1000)), cause },
  )
}
