import { createHash, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { serviceError } from '../errors.ts'
import type { Exchange } from './exchange.ts'

const REQUEST_HEADERS =
  'content-type, content-encoding, authorization, idempotency-key, if-match, if-none-match, last-event-id, x-request-id'
const REPLY_HEADERS = 'x-request-id, retry-after, etag, idempotent-replay, accept-encoding'
const PREFLIGHT_SECONDS = '600'

/** Throws UNAUTHORIZED unless the request carries one of the configured keys; open when none is configured. */
export type Admit = (exchange: Exchange) => void

/** Compares digests in constant time, so that neither a key's length nor its beginning leaks. */
export function openAdmission(config: Pick<Config, 'apiKeys'>): Admit {
  const keys = config.apiKeys
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
    .map(digest)
  if (keys.length === 0) return () => {}
  return (exchange) => {
    const [, token] = /^Bearer +(.+)$/i.exec(exchange.header('authorization') ?? '') ?? []
    const sent = digest(token ?? '')
    let admitted = false
    for (const key of keys) admitted = timingSafeEqual(key, sent) || admitted
    if (!admitted || token === undefined)
      throw serviceError('UNAUTHORIZED', 'This service asks for a valid API key as a bearer token.')
  }
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Headers that let a browser's page of the configured origin read the answer; none when CORS is off. */
export type Cors = (exchange: Exchange) => [string, string][]

/** `cors` is empty (off), `*`, or a comma list of origins. */
export function openCors(config: Pick<Config, 'cors'>): Cors {
  const origins = config.cors
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
  if (origins.length === 0) return () => []
  const any = origins.includes('*')
  return (exchange) => {
    const origin = exchange.header('origin')
    if (any) return [['access-control-allow-origin', '*'], ...exposed]
    const vary: [string, string] = ['vary', 'origin']
    if (origin === undefined || !origins.includes(origin)) return [vary]
    return [['access-control-allow-origin', origin], vary, ...exposed]
  }
}

const exposed: [string, string][] = [['access-control-expose-headers', REPLY_HEADERS]]

/** The answer to a browser's preflight. */
export function preflightHeaders(allow: string): [string, string][] {
  return [
    ['access-control-allow-methods', allow],
    ['access-control-allow-headers', REQUEST_HEADERS],
    ['access-control-max-age', PREFLIGHT_SECONDS],
  ]
}
