import type * as uWS from 'uWebSockets.js'
import { LONG_BYTES } from '../answer-room.ts'
import { type Body, bodyBytes, openParts, passingBody } from './bytes.ts'
import type { Outflow, Outgoing } from './exchange.ts'
import { STATUS_LINES } from './status-lines.ts'

/* How answers go into the library: whole, in parts as fast as the client takes them, or as a stream without an end. */

/** `left` tells whether the client broke off an answer that was still going on, which ends it. */
export function openOutflow(res: uWS.HttpResponse): { outflow: Outflow; left: () => boolean } {
  let ended = false
  let ready: (() => void) | undefined
  const finish = (): boolean => {
    const first = !ended
    ended = true
    return first
  }
  res.onWritable(() => {
    ready?.()
    return true
  })
  const outflow: Outflow = {
    write: (piece) => {
      if (ended) return true
      let taken = true
      res.cork(() => {
        taken = res.write(piece)
      })
      return taken
    },
    onReady: (then) => {
      ready = then
    },
    end: () => {
      if (finish()) res.cork(() => res.end())
    },
    cut: () => {
      if (finish()) res.close()
    },
  }
  return { outflow, left: finish }
}

export function writeHead(
  res: uWS.HttpResponse,
  status: number,
  headers: [string, string][],
): void {
  res.writeStatus(STATUS_LINES[status] ?? String(status))
  for (const [name, value] of headers) res.writeHeader(name, value)
}

/** Returns what to call when the client leaves, if the answer still waits for it. */
export function writeAnswer(
  res: uWS.HttpResponse,
  headOnly: boolean,
  outgoing: Outgoing,
): (() => void) | undefined {
  const { status, headers, body, close, taken } = outgoing
  writeHead(res, status, headers)
  if (status === 204 || status === 304) endWithoutBody(res, undefined, close)
  else if (headOnly) endWithoutBody(res, bodyBytes(body), close)
  else if (bodyBytes(body) <= LONG_BYTES || close) res.end(passingBody(body), close)
  else return writeParts(res, body, taken)
  taken?.()
  return undefined
}

/**
 * The library's own length is of no use here: given a number, it waits for a body so long and takes no further request, and
 * given none it announces exabytes. A connection that closes waits for nothing, and of a length of 0 nothing is said.
 */
function endWithoutBody(res: uWS.HttpResponse, bytes: number | undefined, close = false): void {
  if (close) {
    res.endWithoutBody(bytes ?? 0, true)
    return
  }
  if (bytes !== undefined) res.writeHeader('Content-Length', String(bytes))
  res.endWithoutBody()
}

/** Parts of one answer in one turn of the event loop: half a millisecond. */
const TURN_PARTS = 4

/** Some parts in each turn of the event loop, as fast as the client takes them. */
function writeParts(
  res: uWS.HttpResponse,
  body: Body,
  taken: Outgoing['taken'],
): (() => void) | undefined {
  const bytes = bodyBytes(body)
  const partFrom = openParts(body)
  let isOver = false
  let next: NodeJS.Immediate | undefined
  const finish = (): void => {
    if (isOver) return
    isOver = true
    clearImmediate(next)
    taken?.()
  }
  const writeFrom = (start: number): boolean => {
    let place = start
    for (let parts = 0; parts < TURN_PARTS; parts += 1) {
      const part = partFrom(place)
      const [ok, isOut] = res.tryEnd(part, bytes)
      if (isOut) finish()
      if (isOut || !ok) return ok
      place += part.length
    }
    next = setImmediate(() => res.cork(() => writeFrom(place)))
    return true
  }
  res.onWritable(writeFrom)
  writeFrom(0)
  return isOver ? undefined : finish
}
