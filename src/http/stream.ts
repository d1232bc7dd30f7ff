import { variableOf } from '../config.ts'
import { serviceError } from '../errors.ts'
import type { Exchange, Outflow } from './exchange.ts'
import type { StreamReply } from './route.ts'

/** Answers that go on. */
export interface Streams {
  /**
   * Throws OVERLOADED when too many go on already. A client that takes nothing for too long is cut off: what it
   * has yet to take, beside what the system keeps for it, is never more than one piece. However slow, one that takes
   * that in time gets the next.
   */
  start: (exchange: Exchange, reply: StreamReply, headers: [string, string][]) => void
  /** How many clients take one now. */
  count: () => number
  /** Ends them all; resolves when each has its end. */
  close: () => Promise<void>
}

export interface StreamLimits {
  eventStreamsMax: number
  eventStreamStallMs: number
}

/** The answers of one server that go on. `onFailure` hears of pieces that could not be made. */
export function openStreams(limits: StreamLimits, onFailure: (cause: unknown) => void): Streams {
  const going = new Map<AbortController, Promise<void>>()

  async function send(outflow: Outflow, reply: StreamReply, leave: AbortController): Promise<void> {
    try {
      for await (const piece of reply.pieces(leave.signal)) {
        if (leave.signal.aborted) break
        if (outflow.write(piece)) continue
        const waiting = { outflow, filler: reply.filler, signal: leave.signal }
        if (!(await taken(waiting, limits.eventStreamStallMs))) return outflow.cut()
      }
    } catch (cause) {
      if (!leave.signal.aborted) onFailure(cause)
    } finally {
      going.delete(leave)
      outflow.end()
    }
  }
  return {
    start: (exchange, reply, headers) => {
      if (going.size >= limits.eventStreamsMax)
        throw serviceError('OVERLOADED', tooMany(limits), { retryAfterS: 10 })
      const outflow = exchange.begin({ status: 200, headers })
      if (outflow === undefined) return
      const leave = new AbortController()
      exchange.onLeave(() => leave.abort())
      going.set(leave, send(outflow, reply, leave))
    },
    count: () => going.size,
    close: async () => {
      for (const leave of going.keys()) leave.abort()
      await Promise.all(going.values())
    },
  }
}

interface Waiting {
  outflow: Outflow
  filler: string
  signal: AbortSignal
}

/** The library itself ends a connection that for ten seconds nothing was written to. */
const NUDGE_MS = 1000

/**
 * False when the client did not take what was sent within the limit. The system tells of room once a third of all that it
 * keeps for the client has gone, which may be a megabyte: for who reads slowly that is too late. So it is asked, too.
 */
function taken({ outflow, filler, signal }: Waiting, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (inTime: boolean) => (): void => {
      clearTimeout(limit)
      clearInterval(nudge)
      signal.removeEventListener('abort', left)
      resolve(inTime)
    }
    const left = settle(true)
    const limit = setTimeout(settle(false), limitMs)
    const nudge = setInterval(
      () => {
        if (outflow.write(filler)) left()
      },
      Math.min(limitMs / 10, NUDGE_MS),
    )
    signal.addEventListener('abort', left)
    outflow.onReady(left)
  })
}

function tooMany({ eventStreamsMax }: StreamLimits): string {
  const setting = variableOf('eventStreamsMax')
  return `As many clients follow the events as may at a time: ${eventStreamsMax}, the setting ${setting}.`
}
