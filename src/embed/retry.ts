import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError, serviceError } from '../errors.ts'

const FIRST_WAIT_MS = 200
const WAIT_MS_MAX = 10_000

/** How an endpoint refused: its status, and how long it wants to be left alone. */
interface EndpointError extends Error {
  status: number
  waitMs: number | undefined
}

/** The error for a status of 400 and above. `retryAfter` is the header: seconds or a date. */
export function endpointError(status: number, retryAfter: string | undefined): EndpointError {
  const error = new Error(`The embedder answered with status ${status}.`)
  return Object.assign(error, { status, waitMs: readWait(retryAfter) })
}

/**
 * Calls until it succeeds, at most `attemptsMax` times, with a random wait that doubles (full jitter) unless
 * the endpoint said how long. Only what can pass is tried again: 408, 425, 429, 5xx, time-outs, lost connections.
 * Throws EMBEDDER_UNAVAILABLE, or the signal's reason when it was aborted.
 */
export async function retrying<T>(
  call: () => Promise<T>,
  attemptsMax: number,
  signal?: AbortSignal,
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
      await sleep(waitMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted())
    }
  }
}

/** Milliseconds to wait before trying again; undefined when there is no point. */
function waitBefore(error: unknown, attempt: number): number | undefined {
  const { status, waitMs } = error as Partial<EndpointError>
  if (status !== undefined && status < 500 && ![408, 425, 429].includes(status)) return undefined
  return waitMs ?? Math.random() * Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (attempt - 1))
}

function unavailable(cause: unknown, waitMs: number | undefined): ServiceError {
  const status = (cause as Partial<EndpointError>).status
  const why = status === undefined ? "can't be reached" : `answers with status ${status}`
  const retry = waitMs === undefined ? {} : { retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)) }
  return serviceError('EMBEDDER_UNAVAILABLE', `The embedder ${why}.`, { cause, ...retry })
}

function readWait(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const seconds = Number(retryAfter)
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}
