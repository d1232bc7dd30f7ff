import { openBreath } from '../breath.ts'
import { serviceError } from '../errors.ts'
import { readJson } from '../json/json.ts'
import { refuseUnkeepable } from '../json/unkeepable.ts'
import { joined } from './bytes.ts'
import type { Exchange } from './exchange.ts'
import { hashPieces, hashRequest } from './repeat.ts'
import type { AnyCall, Route } from './route.ts'
import type { ServedApp } from './served.ts'
import type { Check } from './validate.ts'

/** From here on another thread reads what it can read: less is read in the time that a search takes. */
export const LARGE_BYTES = 128 << 10

/** What of a route decides how its body is read. */
export interface ReadRoute {
  route: Route
  checkBody: Check | undefined
  /** What to do about a body that is no JSON. */
  advice: string
}

export interface Reading {
  app: ServedApp
  entry: ReadRoute
  exchange: Exchange
  call: AnyCall
  /** Whether what was sent may be asked to be told from another request by its hash. */
  hashed: boolean
}

/** Reads a body, checks it, and gives it to the call. Answers its hash, or nothing where none is wanted. */
export function readSent(reading: Reading, pieces: Uint8Array[]): string | Promise<string> {
  const { app, entry, exchange, call, hashed } = reading
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  if (entry.route.readLarge !== undefined && bytes >= LARGE_BYTES)
    return readLarge(reading, lastingly(pieces))
  const whole = joined(pieces)
  readWhole(app, entry, call, whole)
  return hashed ? hashRequest(exchange, whole) : ''
}

function readWhole(app: ServedApp, entry: ReadRoute, call: AnyCall, bytes: Uint8Array): void {
  const { route, checkBody } = entry
  if (bytes.length === 0 && route.bodyOptional !== true)
    throw serviceError('VALIDATION_FAILED', 'A JSON body is required.', {
      details: [{ path: '', message: 'is required' }],
    })
  const { value, suspicious } =
    bytes.length === 0
      ? { value: {}, suspicious: false }
      : readJson(bytes, app.config.jsonDepthMax, { advice: entry.advice })
  if (suspicious && route.content !== 'items') refuseUnkeepable(value, route.content)
  checkBody?.(value)
  call.body = value
  call.suspicious = suspicious
}

/** The pieces are gone afterwards: the other thread has them. */
async function readLarge(reading: Reading, pieces: Uint8Array<ArrayBuffer>[]): Promise<string> {
  const { entry, exchange, call, hashed } = reading
  const hash = hashed ? await hashPieces(exchange, pieces, openBreath()) : ''
  const body = await entry.route.readLarge?.(call.app, pieces)
  entry.checkBody?.(body)
  call.body = body
  return hash
}

/** The same pieces, for longer than this call: the memory of the last one may be lent, and next receives what anybody sends. */
function lastingly(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  const last = pieces.length - 1
  return pieces.map((piece, at) => (at === last ? new Uint8Array(piece) : ownMemory(piece)))
}

/** The same bytes, with nothing else in their memory. */
function ownMemory(piece: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, length } = piece
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === length
  return isAlone ? (piece as Uint8Array<ArrayBuffer>) : new Uint8Array(piece)
}
