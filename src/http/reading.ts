import { openBreath } from '../breath.ts'
import { ServiceError, serviceError } from '../errors.ts'
import { LARGE_BYTES, readGradually } from '../json/gradual.ts'
import { type ReadJson, readJson } from '../json/json.ts'
import { refuseUnkeepable } from '../json/unkeepable.ts'
import { ownValue } from '../object.ts'
import { joined } from './bytes.ts'
import type { Exchange } from './exchange.ts'
import { explainMissing, misspelt } from './misspelt.ts'
import { hashPieces, hashRequest } from './repeat.ts'
import type { AnyCall, Route } from './route.ts'
import type { ServedApp } from './served.ts'
import type { Check } from './validate.ts'

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
  /** Waits for room to read a large body. */
  enter: (bytes: number) => Promise<void>
  /** Whether the hash of what was sent is wanted, which tells one request from another. */
  hashed: boolean
}

/** A body that was read. */
export interface SentBody {
  /** Empty where none is wanted. */
  hash: string
  /** Why it is refused, where its hash is wanted: that is the answer to this body, as any other. */
  refusal?: ServiceError
}

/** Reads a body, checks it, and gives it to the call. Throws what is wrong with it, where its hash is not wanted. */
export function readSent(reading: Reading, pieces: Uint8Array[]): SentBody | Promise<SentBody> {
  const { app, entry, exchange, call, hashed } = reading
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  if (bytes >= LARGE_BYTES) return readLarge(reading, lastingly(pieces), bytes)
  const whole = joined(pieces)
  const hash = hashed ? hashRequest(exchange, whole) : ''
  try {
    take(entry, call, readWhole(app, entry, whole))
  } catch (cause) {
    return refusedBody(reading, hash, cause)
  }
  return { hash }
}

function refusedBody({ hashed }: Reading, hash: string, cause: unknown): SentBody {
  if (hashed && cause instanceof ServiceError) return { hash, refusal: cause }
  throw cause
}

function readWhole(
  { config }: ServedApp,
  { route, advice }: ReadRoute,
  bytes: Uint8Array,
): ReadJson {
  if (bytes.length > 0) return readJson(bytes, config.jsonDepthMax, { advice })
  if (route.bodyOptional === true) return { value: {}, suspicious: false }
  throw serviceError('VALIDATION_FAILED', 'A JSON body is required.', {
    details: [{ path: '', message: 'is required' }],
  })
}

function take(
  { route, checkBody }: ReadRoute,
  call: AnyCall,
  { value, suspicious }: ReadJson,
): void {
  if (suspicious && route.content !== 'items') refuseUnkeepable(value, route.content)
  try {
    checkBody?.(value)
  } catch (cause) {
    throw explained(cause, { value, named: call.named, route })
  }
  call.body = value
  call.suspicious = suspicious
}

const IN_BODY = 'is required in the body; what the address says of it is not read'

interface Sent {
  value: unknown
  /** Names in the address. */
  named: readonly string[]
  route: Route
}

/**
 * What a body lacks may stand in the address, where other routes read it, be sent without what belongs around it, or
 * under a name that is spelt in another way.
 */
function explained(cause: unknown, { value, named, route }: Sent): unknown {
  const { missing = {}, body } = route
  return explainMissing(cause, (path) =>
    named.includes(path) ? IN_BODY : (misspelt(path, value, body) ?? ownValue(missing, path)),
  )
}

/** The pieces may be gone afterwards: another thread has them. */
async function readLarge(
  reading: Reading,
  pieces: Uint8Array<ArrayBuffer>[],
  bytes: number,
): Promise<SentBody> {
  const { app, entry, exchange, call, hashed } = reading
  const { route, advice } = entry
  if (route.readLarge === undefined) await reading.enter(bytes)
  const hash = hashed ? await hashPieces(exchange, pieces, openBreath()) : ''
  try {
    const read =
      route.readLarge === undefined
        ? await readGradually(joined(pieces), app.config.jsonDepthMax, { advice })
        : { value: await route.readLarge(call.app, pieces), suspicious: false }
    take(entry, call, read)
  } catch (cause) {
    return refusedBody(reading, hash, cause)
  }
  return { hash }
}

/**
 * The pieces for longer than this call: the memory of the last one may be lent, and next receives what anybody sends.
 */
function lastingly(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  const last = pieces.length - 1
  return pieces.map((piece, at) => (at === last ? new Uint8Array(piece) : ownMemory(piece)))
}

/** A copy of the bytes that has its memory to itself. */
function ownMemory(piece: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, length } = piece
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === length
  return isAlone ? (piece as Uint8Array<ArrayBuffer>) : new Uint8Array(piece)
}
