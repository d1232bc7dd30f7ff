import { ERRORS, type ErrorDetail, ServiceError } from '../errors.ts'
import { beginningOf } from '../word.ts'
import { type Body, isBytes } from './bytes.ts'
import type { Answer, RawReply, Reply, StreamReply } from './route.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** An answer before compression and the headers that every answer carries. */
export interface Prepared {
  status: number
  contentType: string
  body: Body
  headers?: Record<string, string> | undefined
  /** Label of the metrics page; undefined for a success. */
  errorCode?: string | undefined
  /** What comes instead of a body. */
  stream?: StreamReply
}

/** Figures of the request that every JSON answer repeats. */
export interface Meta {
  tookMs: number
  requestId: string
}

/** Turns what a handler returned into bytes: the envelope, or a reply outside of it. */
export function prepareReply(reply: Reply, meta: Meta): Prepared {
  const kind = (reply as { kind?: unknown }).kind
  if (kind === 'raw') return prepareRaw(reply as RawReply)
  if (kind === 'answer') return prepareAnswer(reply as Answer, meta)
  if (kind === 'stream') return prepareStream(reply as StreamReply)
  return {
    status: 200,
    contentType: JSON_TYPE,
    body: `{"success":true,"data":${JSON.stringify(reply)},"meta":${metaJson(meta)}}`,
  }
}

function prepareRaw(reply: RawReply): Prepared {
  const { status = 200, contentType, body, headers } = reply
  return { status, contentType, body, headers }
}

function prepareStream(stream: StreamReply): Prepared {
  // Whoever stands between must neither keep the pieces back nor keep them.
  const headers = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  return { status: 200, contentType: stream.contentType, body: '', headers, stream }
}

function prepareAnswer(reply: Answer, meta: Meta): Prepared {
  const { status = 200, data, top, headers, error } = reply
  const success = status < 400
  const code = success ? undefined : (reply.code ?? 'UNHEALTHY')
  let head = `{"success":${success},`
  if (error !== undefined) head += `"error":${JSON.stringify(error)},"code":"${code}",`
  let tail = ','
  if (top !== undefined)
    for (const [key, value] of Object.entries(top))
      if (value !== undefined) tail += `${JSON.stringify(key)}:${JSON.stringify(value)},`
  tail += `"meta":${metaJson(meta)}}`
  const body = isBytes(data)
    ? { head: `${head}"data":`, data, tail }
    : `${head}"data":${JSON.stringify(data)}${tail}`
  return { status, contentType: JSON_TYPE, body, headers, errorCode: code }
}

/** A failure as clients see it: one sentence, one code, the places that were wrong; never a cause. */
export function prepareFailure(failure: ServiceError, meta: Meta): Prepared {
  const { status, code, details, retryAfterS, codings } = failure
  const listed = details === undefined ? '' : `"details":${JSON.stringify(cleanDetails(details))},`
  const retry = retryAfterS ?? (status === 503 || status === 429 ? 1 : undefined)
  return {
    status,
    contentType: JSON_TYPE,
    body: `{"success":false,"error":${JSON.stringify(cut(failure.message, SENTENCE_MAX))},"code":"${code}",${listed}"meta":${metaJson(meta)}}`,
    errorCode: code,
    headers: {
      ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(codings === undefined ? {} : { 'accept-encoding': codings.join(', ') }),
    },
  }
}

function cleanDetails(details: ErrorDetail[]): ErrorDetail[] {
  return details.map(({ path, message }) => ({
    path: cut(path, PLACE_MAX),
    message: cut(message, SENTENCE_MAX),
  }))
}

/** Characters of a failure: what it names may be a client's own words, of any length. */
const SENTENCE_MAX = 1000
const PLACE_MAX = 256

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${beginningOf(text, most - 1)}…`
}

/**
 * Anything that is not a ServiceError is INTERNAL; where the record store has failed for good, that is why. The caller
 * logs it whole.
 */
export function asServiceError(cause: unknown, storeFailure: unknown): ServiceError {
  if (cause instanceof ServiceError && cause.code in ERRORS) return cause
  if (storeFailure !== undefined)
    return new ServiceError(
      'STORE_UNAVAILABLE',
      'The record store has failed: nothing can be read or written until the service is restarted.',
      { cause },
    )
  return new ServiceError('INTERNAL', 'Something went wrong on our side; it was logged.', { cause })
}

function metaJson({ tookMs, requestId }: Meta): string {
  return `{"took":${Math.round(tookMs)},"requestId":"${requestId}"}`
}
