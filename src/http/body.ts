import { performance } from 'node:perf_hooks'
import { type ServiceError, serviceError } from '../errors.ts'
import { openPieces } from '../pieces.ts'
import type { Exchange } from './exchange.ts'

/** A refused body up to this size is read to its end and dropped, so that the client sees the answer. */
const DRAINED_BYTES_MAX = 64 << 20
/** How long a body may go on passing before an answer that ends the connection, and how long nothing may come meanwhile. */
const PASS_MS = 5000
const PASS_PAUSE_MS = 1000
const STREAM_PAUSE_BYTES = 1 << 20
const STREAM_RESUME_BYTES = 1 << 18
/**
 * Once a client was made to wait, the library takes it for idle ten seconds later, though it waits for us: to go on, or, when
 * all of its body has come, for its answer. Asking for more before then begins these ten seconds anew.
 */
const AGAIN_MS = 4000

export type BodyFormat = 'json' | 'other'

/**
 * Reads the content type of a body. None at all is JSON, and so is an empty one, which names none either.
 * Throws UNSUPPORTED_MEDIA_TYPE for anything but JSON in UTF-8 and the types in `consumes`.
 */
export function bodyFormat(exchange: Exchange, consumes: readonly string[]): BodyFormat {
  const sent = exchange.header('content-type')
  if (sent === undefined || sent === '' || sent === 'application/json') return 'json'
  const [type = '', ...parameters] = sent.toLowerCase().split(';')
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  const readable = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  const name = type.trim()
  if (readable && consumes.includes(name)) return 'other'
  if (readable && /^application\/([\w.!#$&^-]+\+)?json$/.test(name)) return 'json'
  const types = ['application/json', ...consumes]
  throw serviceError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Send the body in UTF-8 with the header content-type: ${types.join(' or ')}.`,
  )
}

/** Body length that the client announced; undefined for a chunked body. */
export function announcedBytes(exchange: Exchange): number | undefined {
  const sent = exchange.header('content-length')
  return sent === undefined ? undefined : Number(sent)
}

/** True when the rest of an unread body is too long, or of unknown length, to be worth reading. */
export function isTooLongToDrain(exchange: Exchange): boolean {
  if (exchange.bodyEnded) return false
  const announced = announcedBytes(exchange)
  if (announced !== undefined) return announced > DRAINED_BYTES_MAX
  return exchange.header('transfer-encoding') !== undefined
}

/** True for a method whose bodies nobody asks for. */
export function isBodiless({ method }: Exchange): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * True when the connection ends with the answer while the client may still be sending: what lies unread then makes the
 * system reset the connection, and many clients never see the answer. Nobody asks for the end of a body with GET or HEAD,
 * which is short if there is one.
 */
export function losesAnswer(exchange: Exchange): boolean {
  if (exchange.bodyEnded || isBodiless(exchange)) return false
  const announced = announcedBytes(exchange)
  if (announced === undefined) return exchange.header('transfer-encoding') !== undefined
  if (announced === 0 || announced > DRAINED_BYTES_MAX) return false
  return exchange.header('connection')?.toLowerCase() === 'close'
}

/** Lets an unread body pass and resolves at its end, or when the client leaves, pauses, or sends too much or for too long. */
export function passBody(exchange: Exchange): Promise<void> {
  const deadlineMs = performance.now() + PASS_MS
  let passed = 0
  return new Promise((resolve) => {
    const pause = setTimeout(resolve, PASS_PAUSE_MS)
    const end = (): void => {
      clearTimeout(pause)
      resolve()
    }
    exchange.onLeave(end)
    exchange.onBody((chunk, last) => {
      passed += chunk.length
      if (last || passed > DRAINED_BYTES_MAX || performance.now() > deadlineMs) end()
      else pause.refresh()
    })
  })
}

/** The largest body of a route, and the setting that says so. */
export interface BodyLimit {
  bytesMax: number
  setting: string
}

export interface BodyReader<T> {
  limit: BodyLimit
  /** Called before a piece is kept; throws when the bodies under way would take too much together. */
  hold: (bytes: number) => void
  /** The last piece is valid during this call only, so that a body that came in one piece is never copied. */
  read: (pieces: Uint8Array[]) => T | Promise<T>
  /** Told how to give the body up: nobody hears of the client leaving once it was told that it took too long. */
  dropBy: (drop: () => void) => void
}

/**
 * Collects a body within its limit and resolves with what `read` makes of it.
 * Rejects with BODY_TOO_LARGE as soon as that is known, with BODY_INCOMPLETE when the client leaves or the body is
 * given up, and with what `hold` and `read` throw.
 */
export function readBody<T>(exchange: Exchange, reader: BodyReader<T>): Promise<T> {
  const { limit, hold, read, dropBy } = reader
  const { bytesMax } = limit
  return new Promise((resolve, reject) => {
    if ((announcedBytes(exchange) ?? 0) > bytesMax) {
      reject(bodyTooLarge(limit))
      return
    }
    const pieces = openPieces()
    let received = 0
    let isOver = false
    const refuse = (cause: unknown): void => {
      isOver = true
      pieces.takeAll()
      reject(cause)
    }
    const keep = (chunk: Uint8Array): void => {
      hold(chunk.length)
      pieces.add(chunk)
    }
    // Every answer drops the body: of one that is whole there is nothing to say, and an error takes its time to make.
    const giveUp = (): void => {
      if (!isOver) refuse(incomplete())
    }
    exchange.onLeave(giveUp)
    dropBy(giveUp)
    exchange.onBody((chunk, last) => {
      if (isOver) return
      received += chunk.length
      if (received > bytesMax) refuse(bodyTooLarge(limit))
      else
        try {
          if (!last) keep(chunk)
          else {
            isOver = true
            resolve(read([...pieces.takeAll(), chunk]))
          }
        } catch (cause) {
          refuse(cause)
        }
    })
  })
}

export interface BodyStream {
  chunks: AsyncIterable<Uint8Array>
  /** Forgets what is held and lets the rest pass unread; to be called when the answer goes out. */
  drop: () => void
}

/**
 * Hands a body over while it arrives, holding at most about 1 MiB: beyond that the client is made to wait. `progress` hears of
 * each chunk that was taken. The iteration throws BODY_INCOMPLETE when the client leaves.
 */
export function streamBody(exchange: Exchange, progress: () => void): BodyStream {
  const waiting = openPieces()
  let held = 0
  let state: 'open' | 'complete' | 'left' | 'dropped' = 'open'
  let isPaused = false
  let again: NodeJS.Timeout | undefined
  let wake: () => void = () => {}
  const pause = (): void => {
    isPaused = true
    exchange.pause()
    again ??= setInterval(() => {
      if (isPaused) exchange.pause()
      else if (state === 'complete') exchange.resume()
    }, AGAIN_MS)
  }
  const resume = (): void => {
    if (!isPaused) return
    isPaused = false
    exchange.resume()
  }
  exchange.onLeave(() => {
    state = 'left'
    clearInterval(again)
    wake()
  })
  exchange.onBody((chunk, last) => {
    if (state === 'dropped') return
    waiting.add(chunk)
    held += chunk.length
    if (last) state = 'complete'
    else if (held > STREAM_PAUSE_BYTES && !isPaused) pause()
    wake()
  })
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = waiting.take()
      if (chunk !== undefined) {
        held -= chunk.length
        if (held < STREAM_RESUME_BYTES) resume()
        progress()
        yield chunk
      } else if (state === 'complete') return
      else if (state !== 'open') throw incomplete()
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  const drop = (): void => {
    if (state === 'open') state = 'dropped'
    waiting.takeAll()
    clearInterval(again)
    resume()
    wake()
  }
  return { chunks: chunks(), drop }
}

/** A body over its limit, which it `exceeds`. */
export function bodyTooLarge(
  { bytesMax, setting }: BodyLimit,
  exceeds = 'is larger than',
): ServiceError {
  const message = `The body ${exceeds} ${bytesMax} bytes, the setting ${setting}.`
  return serviceError('BODY_TOO_LARGE', message)
}

/** A body whose end nobody will see. */
export function incomplete(): ServiceError {
  return serviceError('BODY_INCOMPLETE', 'The connection closed before the whole body was there.')
}
