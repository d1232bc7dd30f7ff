import { variableOf } from '../config.ts'
import { serviceError } from '../errors.ts'
import type { Exchange, Outflow } from './exchange.ts'
import type { StreamReply } from './route.ts'

/** Answers that go on. */
export interface Streams {
  /**
   * Throws OVERLOADED when too many go on already. A client that takes nothing for too long is cut off: what it
   * has yet to take is never more than one piece.
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
        if (!(await taken(outflow, limits.eventStreamStallMs, leave.signal))) return outflow.cut()
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

/** False when the client did not take what was sent within the limit. */
function taken(outflow: Outflow, limitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (inTime: boolean) => (): void => {
      clearTimeout(limit)
      signal.removeEventListener('abort', left)
      resolve(inTime)
    }
    const left = settle(true)
    const limit = setTimeout(settle(false), limitMs)
    signal.addEventListener('abort', left)
    outflow.onReady(settle(true))
  })
}

function tooMany({ eventStreamsMax }: StreamLimits): string {
  const setting = variableOf('eventStreamsMax')
  return `As many clients follow the events as may at a time: ${eventStreamsMax}, the setting ${setting}.`
}
