import type { App } from '../app.ts'
import { serviceError } from '../errors.ts'
import { ownValue } from '../object.ts'
import type { ArrivingBody } from '../schema/answer.ts'
import { sharedMs } from '../shared-clock.ts'
import { type BodyReader, bodyFormat, incomplete, readBody, streamBody } from './body.ts'
import { type BodyCoding, bodyCoding, decodedStream, decodedWhole, readPieces } from './decode.ts'
import type { Entry } from './entry.ts'
import { type Flight, type Flights, metaOf, signalOf } from './flight.ts'
import { explainMissing, misspelt } from './misspelt.ts'
import { parseParameters, parseQuery } from './query.ts'
import { readSent, type SentBody } from './reading.ts'
import { hashStream, hashUnread, keptAnswer, repeatKey } from './repeat.ts'
import { JSON_TYPE, type Prepared, prepareReply } from './reply.ts'
import type { AnyCall, Reply } from './route.ts'
import type { ServedApp } from './served.ts'

/** What it takes to answer. */
export interface Answering {
  app: ServedApp
  flights: Pick<Flights, 'hold' | 'enter'>
}

/**
 * Answers one request of a route: parameters, then the body, then the handler. A repeated key is looked up for every POST.
 * A `stream` route gets a body of one of its own content types as chunks, and a JSON body whole when it
 * has a body schema. Throws whatever was wrong.
 */
export function answerRoute(
  { app, flights }: Answering,
  entry: Entry,
  flight: Flight,
): Prepared | Promise<Prepared> {
  if (entry.guarded && app.lifecycle.state === 'starting')
    throw serviceError('STARTING', 'The service is starting; try again soon.', { retryAfterS: 1 })
  const { exchange } = flight
  const params = parseParameters(entry.parameterNames, exchange.parameters)
  entry.checkParams?.(params)
  const query = parseQuery(exchange.query)
  // The check takes out what it does not know.
  const named = entry.tellUnread === undefined ? NO_NAMES : Object.keys(query)
  try {
    entry.checkQuery?.(query)
  } catch (cause) {
    const { missing = {}, query: known } = entry.route
    const sent = () => parseQuery(exchange.query)
    throw explainMissing(cause, (path) => misspelt(path, sent(), known) ?? ownValue(missing, path))
  }
  const call = newCall({ app, flights }, flight, { params, query, named })
  if (entry.bodyKind === 'none') {
    const key = repeatKey(exchange)
    if (key !== undefined) return onceUnread(entry, flight, call, key)
    // Clients send bodies here, too: the exchange then knows when one has ended.
    if (entry.route.method !== 'GET') exchange.onBody(passUnread)
    return handle(entry, flight, call)
  }
  const coding = bodyCoding(exchange)
  const format = bodyFormat(exchange, entry.consumes)
  const arrival = { call, coding, flights }
  if (entry.bodyKind === 'stream' && (format === 'other' || entry.checkBody === undefined))
    return streamed(entry, flight, arrival)
  return collected(entry, flight, arrival)
}

function newCall(
  { app, flights }: Answering,
  flight: Flight,
  { params, query, named }: Pick<AnyCall, 'params' | 'query' | 'named'>,
): AnyCall {
  return {
    // The wire knows only its own part of the app; handlers get the whole.
    app: app as unknown as App,
    params,
    query,
    named,
    body: undefined,
    suspicious: false,
    stream: NO_CHUNKS,
    noteDone: undefined,
    hold: (bytes, of) => flights.hold(flight, bytes, of),
    header: (name) => flight.exchange.header(name),
    requestId: flight.requestId,
    receivedMs: sharedMs(flight.startedMs),
    // Not a getter: each one would give its object a hidden class of its own, which keeps the whole request
    // in memory until the next full collection.
    signal: () => signalOf(flight),
    isLeft: () => flight.aborted,
    isLate: () => flight.late,
  }
}

interface Arrival {
  call: AnyCall
  coding: BodyCoding | undefined
  flights: Answering['flights']
}

async function streamed(
  entry: Entry,
  flight: Flight,
  { call, coding }: Arrival,
): Promise<Prepared> {
  // The time limit of a body that is worked off while it arrives starts again with each piece.
  const progress = (): void => {
    flight.deadlineMs = performance.now() + call.app.config.requestTimeoutMs
  }
  const sent = streamBody(flight.exchange, progress)
  const { chunks, drop } =
    coding === undefined ? sent : decodedStream(sent, { coding, limit: entry.bodyLimit, progress })
  flight.dropBody = drop
  call.stream = chunks
  const key = repeatKey(flight.exchange)
  if (key === undefined) return handle(entry, flight, call)
  const { stream, body } = hashStream(flight.exchange, chunks)
  call.stream = stream
  return once(entry, flight, call, { key, body })
}

async function collected(
  entry: Entry,
  flight: Flight,
  { call, coding, flights }: Arrival,
): Promise<Prepared> {
  const { exchange } = flight
  const key = repeatKey(exchange)
  const enter = (bytes: number) => flights.enter(flight, bytes)
  const reading = { app: call.app, entry, exchange, call, enter, hashed: key !== undefined }
  const reader: BodyReader<SentBody> = {
    limit: entry.bodyLimit,
    hold: call.hold,
    read: (pieces) => readSent(reading, pieces),
    dropBy: (drop) => {
      flight.dropBody = drop
    },
  }
  const { hash, refusal } = await (coding === undefined
    ? readBody(exchange, reader)
    : readDecoded(flight, coding, reader))
  if (key === undefined) return handle(entry, flight, call)
  return once(entry, flight, call, { key, body: hash, refusal })
}

function readDecoded<T>(flight: Flight, coding: BodyCoding, reader: BodyReader<T>): Promise<T> {
  const body = decodedWhole(flight.exchange, { coding, limit: reader.limit })
  flight.dropBody = body.drop
  return readPieces(body, reader)
}

/** A body that the route does not read tells requests apart all the same: another one is another request. */
async function onceUnread(
  entry: Entry,
  flight: Flight,
  call: AnyCall,
  key: string,
): Promise<Prepared> {
  const body = await hashUnread(flight)
  if (flight.aborted) throw incomplete()
  return once(entry, flight, call, { key, body })
}

/** A request with a key, and why its body is refused. */
interface Keyed {
  key: string
  body: string | ArrivingBody
  refusal?: Error | undefined
}

async function once(
  entry: Entry,
  flight: Flight,
  call: AnyCall,
  { key, body, refusal }: Keyed,
): Promise<Prepared> {
  const { idempotency } = call.app
  const kept = await idempotency.run(key, entry.name, body, (noteDone) => {
    // Of a body that waited for its turn too long nothing is left, which would be taken for all of it.
    if (typeof body !== 'string' && flight.aborted) throw incomplete()
    call.noteDone = noteDone
    return keptAnswer(flight, () => {
      if (refusal !== undefined) throw refusal
      return handle(entry, flight, call)
    })
  })
  const { status, body: bytes, errorCode } = kept
  const headers = { ...kept.headers, ...(kept.replayed ? { 'idempotent-replay': 'true' } : {}) }
  return { status, contentType: JSON_TYPE, body: bytes, headers, errorCode }
}

function handle(
  { route, tellUnread }: Entry,
  flight: Flight,
  call: AnyCall,
): Prepared | Promise<Prepared> {
  const prepare = (reply: Reply) =>
    prepareReply(tellUnread === undefined ? reply : tellUnread(call, reply), metaOf(flight))
  const reply = route.handle(call)
  return reply instanceof Promise ? reply.then(prepare) : prepare(reply)
}

const NO_NAMES: readonly string[] = []

function passUnread(): void {}

const NO_CHUNKS: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
}
