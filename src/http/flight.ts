import { performance } from 'node:perf_hooks'
import type { AnswerRoom } from '../answer-room.ts'
import { variableOf } from '../config.ts'
import { type ServiceError, serviceError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { RouteMeter } from '../metrics/metrics.ts'
import type { Exchange } from './exchange.ts'
import type { ReadingRoom } from './reading-room.ts'
import type { Meta } from './reply.ts'

const REQUEST_ID = /^[\w.:-]{1,128}$/

/** One request from its first byte to the end of its handler. */
export interface Flight {
  exchange: Exchange
  meter: RouteMeter
  startedMs: number
  deadlineMs: number
  requestId: string
  /** The flight's place among those under way. */
  at: number
  /** Bytes of its body that are kept for it. */
  heldBytes: number
  /** Bytes of its body that have room to be read. */
  readBytes: number
  /** Bytes of its answer that are counted already. */
  answerBytes: number
  /** True once its answer is a stream, which was counted when it began. */
  streams: boolean
  /** Lets the rest of an unread body pass. */
  dropBody: () => void
  aborted: boolean
  /** The client was told that it took too long; its handler may still be at work, for nobody. */
  late: boolean
  /** Made when first asked for: few handlers need it. */
  controller: AbortController | undefined
}

export interface Flights {
  begin: (exchange: Exchange, meter: RouteMeter, requestId: string) => Flight
  end: (flight: Flight) => void
  /**
   * Counts bytes of a body that are kept until the flight ends, or until they are taken back as negative ones. Throws
   * OVERLOADED when all bodies under way would take more than they may together, unless it is the only one. Those of an
   * `answer` had room when it was made.
   */
  hold: (flight: Flight, bytes: number, of?: 'answer') => void
  /** Waits for room to read a large body, which it then has until the flight ends. Rejects once the flight is aborted. */
  enter: (flight: Flight, bytes: number) => Promise<void>
  count: () => number
  /** Bytes of bodies that are kept now. */
  heldBytes: () => number
  /** Resolves when no request under way is to be answered, or after `limitMs`; tells how many are left. */
  drained: (limitMs: number) => Promise<number>
  close: () => void
}

export interface FlightLimits {
  /** Time from the first byte of a request until it is late. */
  timeoutMs: number
  /** Bytes of bodies that all requests under way may keep together. */
  heldBytesMax: number
  answers: Pick<AnswerRoom, 'add'>
  room: ReadingRoom
}

/**
 * Keeps every request under way. One timer looks for those past their deadline: a timer per request costs
 * more than the rest of the bookkeeping together. They lie in an array, not in a Set: each time a Set makes room
 * it leaves a table behind that points to the next, and what these hold outlives every small collection.
 */
export function openFlights(limits: FlightLimits, onLate: (flight: Flight) => void): Flights {
  const { timeoutMs, heldBytesMax, answers, room } = limits
  const flights: Flight[] = []
  let heldBytes = 0
  let waiters: (() => void)[] = []
  const unanswered = (): number => flights.filter(({ late }) => !late).length
  const wakeIfAnswered = (): void => {
    if (waiters.length === 0 || unanswered() > 0) return
    for (const wake of waiters) wake()
    waiters = []
  }
  const sweep = (): void => {
    const now = performance.now()
    for (const flight of flights)
      if (flight.deadlineMs <= now) {
        flight.deadlineMs = Number.POSITIVE_INFINITY
        flight.late = true
        onLate(flight)
      }
    wakeIfAnswered()
  }
  const timer = setInterval(sweep, Math.min(1000, Math.max(20, timeoutMs / 10))).unref()
  return {
    begin: (exchange, meter, requestId) => {
      const flight = newFlight(exchange, meter, requestId, timeoutMs)
      flight.at = flights.push(flight) - 1
      return flight
    },
    end: (flight) => {
      heldBytes -= flight.heldBytes
      room.leave(flight.readBytes)
      if (flight.answerBytes > 0) answers.add(-flight.answerBytes)
      const last = flights.pop()
      if (last !== undefined && last !== flight) {
        last.at = flight.at
        flights[last.at] = last
      }
      wakeIfAnswered()
    },
    hold: (flight, bytes, of) => {
      if (of === 'answer') {
        answers.add(bytes)
        flight.answerBytes += bytes
        return
      }
      const isTooMuch = bytes > 0 && heldBytes + bytes > heldBytesMax
      if (isTooMuch && heldBytes > flight.heldBytes) throw tooMuch()
      heldBytes += bytes
      flight.heldBytes += bytes
    },
    enter: async (flight, bytes) => {
      await room.enter(bytes, signalOf(flight))
      flight.readBytes = bytes
    },
    count: () => flights.length,
    heldBytes: () => heldBytes,
    drained: async (limitMs) => {
      if (unanswered() > 0)
        await new Promise<void>((resolve) => {
          const limit = setTimeout(resolve, limitMs)
          waiters.push(() => {
            clearTimeout(limit)
            resolve()
          })
        })
      return unanswered()
    },
    close: () => clearInterval(timer),
  }
}

function newFlight(
  exchange: Exchange,
  meter: RouteMeter,
  requestId: string,
  timeoutMs: number,
): Flight {
  const startedMs = performance.now()
  return {
    exchange,
    meter,
    requestId,
    startedMs,
    at: -1,
    heldBytes: 0,
    readBytes: 0,
    answerBytes: 0,
    deadlineMs: startedMs + timeoutMs,
    streams: false,
    dropBody: nothingToDrop,
    aborted: false,
    late: false,
    controller: undefined,
  }
}

function tooMuch(): ServiceError {
  const message = `The bodies of all requests under way take more than the setting ${variableOf('bodiesBytesMax')} allows; try again soon.`
  return serviceError('OVERLOADED', message, { retryAfterS: 1 })
}

function nothingToDrop(): void {}

/** The name that its client gave it, where that is one, or a new one. */
export function requestIdOf(exchange: Exchange): string {
  const sent = exchange.header('x-request-id')
  return sent !== undefined && REQUEST_ID.test(sent) ? sent : newId()
}

/** What a JSON answer that goes out now says about the request. */
export function metaOf({ startedMs, requestId }: Flight): Meta {
  return { tookMs: performance.now() - startedMs, requestId }
}

/** Ends a flight early: aborts its signal. */
export function abort(flight: Flight): void {
  flight.aborted = true
  flight.controller?.abort()
}

/** Is aborted when the flight ends early. */
export function signalOf(flight: Flight): AbortSignal {
  flight.controller ??= new AbortController()
  if (flight.aborted) flight.controller.abort()
  return flight.controller.signal
}
