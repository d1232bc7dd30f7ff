import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError, serviceError } from '../errors.ts'

const FIRST_WAIT_MS = 200
/** An endpoint that wants to be left alone for longer is not waited for. */
export const WAIT_MS_MAX = 10_000

/** How an endpoint refused: its status, and how long it wants to be left alone. */
interface EndpointError extends Error {
  status: number
  waitMs: number | undefined
}

/** The error for a status that is no success. `retryAfter` is the header: seconds or a date. */
export function endpointError(status: number, retryAfter: string | undefined): EndpointError {
  const error = new Error(`The embedder answered with status ${status}.`)
  return Object.assign(error, { status, waitMs: readWait(retryAfter) })
}

/** A call that was not answered when its time was over. */
interface LateCall extends Error {
  /** What that time was, by the setting that it comes from. */
  limit: string
}

/** The error for such a call. */
export function lateCall(cause: unknown, limit: string): LateCall {
  return Object.assign(new Error(`The embedder did not answer ${limit}.`, { cause }), { limit })
}

export interface Patience {
  attemptsMax: number
  /** By `performance.now()`: nothing is tried again after it. */
  deadlineMs: number
  signal?: AbortSignal | undefined
}

/**
 * Calls until it succeeds, with a random wait that doubles (full jitter) unless the endpoint said how long. Only what
 * can pass is tried again. Throws EMBEDDER_UNAVAILABLE, or the signal's reason when it was aborted.
 */
export async function retrying<T>(
  call: () => Promise<T>,
  { attemptsMax, deadlineMs, signal }: Patience,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ServiceError) throw error
      const waitMs = waitBefore(error, attempt)
      if (attempt >= attemptsMax || waitMs === undefined || waitMs > WAIT_MS_MAX)
        throw unavailable(error, waitMs)
      if (performance.now() + waitMs >= deadlineMs) throw unavailable(error, waitMs)
      await sleep(waitMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted())
    }
  }
}

/** Milliseconds to wait before trying again; undefined when there is no point. */
function waitBefore(error: unknown, attempt: number): number | undefined {
  if (!isPassing(error)) return undefined
  return waitOf(error) ?? Math.random() * Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (attempt - 1))
}

/** Whether the failure may pass: 408, 425, 429, 5xx, time-outs, lost connections; not an answer that can't be read. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return false
  const { status } = error as Partial<EndpointError>
  return status === undefined || status >= 500 || [408, 425, 429].includes(status)
}

/** How long the endpoint wants to be left alone. */
export function waitOf(error: unknown): number | undefined {
  return (error as Partial<EndpointError>).waitMs
}

function unavailable(cause: unknown, waitMs: number | undefined): ServiceError {
  const { status, limit } = cause as Partial<EndpointError & LateCall>
  const unanswered = limit === undefined ? "can't be reached" : `did not answer ${limit}`
  const why = status === undefined ? unanswered : `answers with status ${status}`
  const retry = waitMs === undefined ? {} : { retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)) }
  return serviceError('EMBEDDER_UNAVAILABLE', `The embedder ${why}.`, { cause, ...retry })
}

function readWait(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const seconds = Number(retryAfter)
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}
