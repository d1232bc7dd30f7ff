import { performance } from 'node:perf_hooks'
import { LONG_BYTES } from '../answer-room.ts'
import { variableOf } from '../config.ts'
import { ERRORS, type ServiceError, serviceError } from '../errors.ts'
import type { RouteMeter } from '../metrics/metrics.ts'
import { type Admit, type Cors, openAdmission, openCors, preflightHeaders } from './access.ts'
import { answerRoute } from './answer-route.ts'
import { isBodiless, isTooLongToDrain, losesAnswer, passBody } from './body.ts'
import { type Body, bodyBytes } from './bytes.ts'
import { COMPRESS_BYTES_MIN, type Coding, chooseCoding, compress } from './compress.ts'
import { compileEntry } from './entry.ts'
import { type Exchange, KEEP_ALIVE } from './exchange.ts'
import { abort, type Flight, type Flights, metaOf, openFlights, requestIdOf } from './flight.ts'
import { openReadingRoom } from './reading-room.ts'
import { asServiceError, type Prepared, prepareFailure } from './reply.ts'
import type { Route, StreamReply } from './route.ts'
import type { ServedApp } from './served.ts'
import { openStreams, type Streams } from './stream.ts'
import { openValidators } from './validate.ts'

export type Serve = (exchange: Exchange) => void

/** The line that every request of every route runs through. */
export interface Pipeline {
  serve: (route: Route) => Serve
  /** Answers a failure for a path or a method that no route has. */
  refuse: (refusal: Refusal) => Serve
  flights: Flights
  streams: Streams
}

export interface Refusal {
  endpoint: string
  failure: ServiceError | ((exchange: Exchange) => ServiceError)
  /** Methods that the path does have; they answer a browser's preflight too. */
  allow?: string
}

interface Wire {
  app: ServedApp
  admit: Admit
  cors: Cors
  streams: Streams
  /** Whether each request is logged. */
  verbose: boolean
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** nginx's word for a client that left before the answer; only the metrics page shows it. */
const CLIENT_CLOSED = 499

/** Builds the line; `flights.close` stops its timer. */
export function openPipeline(app: ServedApp): Pipeline {
  const { config } = app
  const verbose = config.logLevel === 'debug' || config.logLevel === 'trace'
  const streams = openStreams(config, (err) => app.log.error({ err }, 'a stream broke'))
  const guards = { admit: openAdmission(config), cors: openCors(config) }
  const wire: Wire = { app, ...guards, streams, verbose }
  app.metrics.collect('svc_event_streams', 'Clients that follow the events', [], () => [
    { value: streams.count() },
  ])
  const validators = openValidators()
  const limits = {
    ...{ timeoutMs: config.requestTimeoutMs, heldBytesMax: config.bodiesBytesMax },
    answers: app.answers,
    room: openReadingRoom(app.heapBytesMax),
  }
  const flights = openFlights(limits, (flight) => {
    const late = serviceError(
      'TIMED_OUT',
      `The request took longer than the setting ${variableOf('requestTimeoutMs')} allows; ask for less at once, or try again.`,
    )
    send(wire, flight, prepareFailure(late, metaOf(flight)), 'closed')
    abort(flight)
  })
  app.metrics.collect(
    'svc_bodies_bytes',
    'Bytes of bodies that requests under way keep',
    [],
    () => [{ value: flights.heldBytes() }],
  )
  const begin = (endpoint: string, produce: (flight: Flight) => Prepared | Promise<Prepared>) => {
    const meters = new Map<string, RouteMeter>()
    return (exchange: Exchange): void => {
      // A made-up method must not make a new series.
      const method = METHODS.has(exchange.method) ? exchange.method : 'OTHER'
      const meter = meters.get(method) ?? app.metrics.route(method, endpoint)
      meters.set(method, meter)
      meter.begin()
      if (exchange.ambiguous) {
        // No answer: even with one that closes the connection, what follows would be read as a request.
        meter.end(ERRORS.VALIDATION_FAILED, 0, 0, 'VALIDATION_FAILED')
        exchange.cut()
        return
      }
      const flight = flights.begin(exchange, meter, requestIdOf(exchange))
      exchange.onLeave(() => leave(flight))
      // The library hands a body over at once or not at all.
      if (!isBodiless(exchange)) void run(wire, flights, flight, produce)
      else exchange.whenFresh(() => void run(wire, flights, flight, produce))
    }
  }
  return {
    flights,
    streams,
    serve: (route) => {
      const entry = compileEntry(app, route, validators)
      return begin(route.path, (flight) => {
        if (entry.guarded) wire.admit(flight.exchange)
        return answerRoute({ app, flights }, entry, flight)
      })
    },
    refuse: (refusal) => begin(refusal.endpoint, (flight) => refused(wire, flight, refusal)),
  }
}

/** The client is gone before its answer. */
function leave(flight: Flight): void {
  if (flight.streams) return
  flight.meter.end(CLIENT_CLOSED, performance.now() - flight.startedMs, 0, 'CLIENT_CLOSED')
  abort(flight)
}

function refused(wire: Wire, flight: Flight, { failure, allow }: Refusal): Prepared {
  const isPreflight = allow !== undefined && flight.exchange.method === 'OPTIONS'
  if (isPreflight && wire.app.config.cors !== '') {
    const headers = Object.fromEntries(preflightHeaders(allow))
    return { status: 204, contentType: '', body: '', headers }
  }
  // Without a key nobody learns which paths there are.
  wire.admit(flight.exchange)
  const told = typeof failure === 'function' ? failure(flight.exchange) : failure
  const prepared = prepareFailure(told, metaOf(flight))
  return allow === undefined ? prepared : { ...prepared, headers: { allow } }
}

/** The one catch: whatever a request ends with, an answer goes out. */
async function run(
  wire: Wire,
  flights: Flights,
  flight: Flight,
  produce: (flight: Flight) => Prepared | Promise<Prepared>,
): Promise<void> {
  const { exchange } = flight
  try {
    // The client may have left before its turn.
    if (!exchange.open) return
    let prepared: Prepared
    try {
      prepared = await produce(flight)
      if (prepared.stream !== undefined && exchange.method !== 'HEAD')
        return startStream(wire, flight, prepared, prepared.stream)
    } catch (cause) {
      wire.app.store.noteDamage(cause)
      const failure = asServiceError(cause, wire.app.store.failure())
      logFailure(wire, flight, failure)
      prepared = prepareFailure(failure, metaOf(flight))
    }
    const isLong = bodyBytes(prepared.body) >= COMPRESS_BYTES_MIN
    if (exchange.open && (isLong || prepared.status === 304)) {
      // Whatever answer comes first, a cache must know that it varies, so one that goes out uncompressed says it too.
      // A cache takes over what a 304 says.
      prepared = { ...prepared, headers: { ...prepared.headers, vary: 'accept-encoding' } }
      const coding = isLong ? chooseCoding(exchange.header('accept-encoding')) : undefined
      if (coding !== undefined) prepared = await compressed(prepared, coding)
    }
    if (exchange.open && losesAnswer(exchange)) {
      flight.dropBody()
      flights.hold(flight, -flight.heldBytes)
      await passBody(exchange)
    }
    send(wire, flight, prepared, isTooLongToDrain(exchange) ? 'closed' : 'kept')
  } finally {
    flights.end(flight)
  }
}

/** What can't be compressed goes out as it is. */
async function compressed(prepared: Prepared, coding: Coding): Promise<Prepared> {
  const body = await compress(prepared.body, coding).catch(() => undefined)
  if (body === undefined) return prepared
  return { ...prepared, body, headers: { ...prepared.headers, 'content-encoding': coding } }
}

/** Logs whole what nobody foresaw; of trouble with a name of its own, only the cause. */
function logFailure({ app }: Wire, flight: Flight, failure: ServiceError): void {
  const { requestId, exchange, meter } = flight
  if (failure.status < 500 || !exchange.open) return
  const fields = { requestId, ...meter.labels, code: failure.code }
  if (failure.status === 500)
    app.log.error({ ...fields, err: failure.cause ?? failure }, 'request failed')
  else if (failure.cause !== undefined && failure.code !== 'OVERLOADED')
    app.log.warn({ ...fields, err: failure.cause }, failure.message)
}

/** The request of a stream is counted when it begins: how long a client listens says nothing about the service. */
function startStream(wire: Wire, flight: Flight, prepared: Prepared, stream: StreamReply): void {
  const { exchange, meter } = flight
  if (!exchange.open) return
  wire.streams.start(exchange, stream, headersOf(wire, flight, prepared))
  flight.streams = true
  meter.end(prepared.status, performance.now() - flight.startedMs, 0)
}

function headersOf(
  wire: Wire,
  { exchange, requestId }: Flight,
  { contentType, headers = {} }: Prepared,
): [string, string][] {
  const common = wire.cors(exchange)
  if (contentType !== '') common.push(['content-type', contentType])
  common.push(['x-request-id', requestId], ...Object.entries(headers))
  return common
}

function send(wire: Wire, flight: Flight, prepared: Prepared, connection: 'kept' | 'closed'): void {
  const { exchange, meter } = flight
  if (!exchange.open) return
  // A body that HEAD leaves out takes no room, and no bytes of it are sent.
  const sentBytes = (body: Body) => (exchange.method === 'HEAD' ? 0 : bodyBytes(body))
  const { answers } = wire.app
  const refusal = answers.refusal(sentBytes(prepared.body), flight.answerBytes)
  const fitting = refusal === undefined ? prepared : prepareFailure(refusal, metaOf(flight))
  const { status, body, errorCode } = fitting
  const headers = headersOf(wire, flight, fitting)
  const bytes = sentBytes(body)
  const tookMs = performance.now() - flight.startedMs
  meter.end(status, tookMs, bytes, errorCode)
  if (wire.verbose) {
    const { requestId } = flight
    wire.app.log.debug({ requestId, ...meter.labels, status, tookMs, bytes }, 'request')
  }
  flight.dropBody()
  const close = connection === 'closed' || wire.app.lifecycle.state === 'stopping'
  if (!close) headers.push(KEEP_ALIVE)
  const taken = bytes > LONG_BYTES ? countAnswer(wire, flight, bytes) : undefined
  exchange.send({ status, headers, body, close, taken })
}

/** Counts a long answer until its client has it. */
function countAnswer({ app: { answers } }: Wire, flight: Flight, bytes: number): () => void {
  answers.add(bytes - flight.answerBytes)
  flight.answerBytes = 0
  return () => answers.add(-bytes)
}
