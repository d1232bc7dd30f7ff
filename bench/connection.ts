import { connect, type Socket } from 'node:net'

/** A whole answer. `body` is present only when it was asked to be kept. */
export interface Answered {
  status: number
  bodyBytes: number
  body: Buffer | undefined
}

/** One keep-alive connection with one request at a time. */
export interface Connection {
  /** Sends a whole serialised request; `keep` keeps the body of its answer. */
  send: (bytes: Buffer, keep: boolean) => void
  close: () => void
}

/** Where to connect and whom to tell. `failed` is called once; the connection is then gone. */
export interface ConnectionEvents {
  answered: (answer: Answered) => void
  failed: (cause: Error) => void
}

interface Reading {
  /** Bytes of a header that has not ended yet, or of a chunked body. */
  held: Buffer | undefined
  status: number
  chunked: boolean
  bodyBytes: number
  bodyLeft: number
  keep: boolean
  parts: Buffer[]
}

const HEADER_END = '\r\n\r\n'
const CHUNKED_END = Buffer.from('0\r\n\r\n')
const READ_BYTES = 64 * 1024

/**
 * Opens a connection that reads just enough of HTTP/1.1 to know where an answer ends: the status, content-length or
 * chunked coding. One read buffer is used again for every read, so nothing is allocated for a body nobody keeps.
 */
export function openConnection(
  port: number,
  host: string,
  events: ConnectionEvents,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const reading = fresh()
    let open = false
    const socket = connect({
      port,
      host,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (length: number, buffer: Uint8Array) => {
          read(reading, Buffer.from(buffer.buffer, buffer.byteOffset, length), events, socket)
          return true
        },
      },
    })
    let closing = false
    const fail = (cause: Error) => {
      if (closing) return
      closing = true
      socket.destroy()
      if (open) events.failed(cause)
      else reject(cause)
    }
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the server closed the connection')))
    socket.on('connect', () => {
      open = true
      resolve({
        send: (bytes, keep) => {
          reading.keep = keep
          socket.write(bytes)
        },
        close: () => {
          closing = true
          socket.destroy()
        },
      })
    })
  })
}

function fresh(): Reading {
  return {
    held: undefined,
    status: 0,
    chunked: false,
    bodyBytes: 0,
    bodyLeft: -1,
    keep: false,
    parts: [],
  }
}

function read(reading: Reading, data: Buffer, events: ConnectionEvents, socket: Socket): void {
  if (reading.bodyLeft < 0) {
    const body = readHeader(reading, data, socket)
    if (body === undefined) return
    data = body
  }
  if (reading.chunked) readChunked(reading, data, events)
  else readSized(reading, data, events)
}

/** Takes the header in; returns what of the body came with it, undefined while the header has not ended. */
function readHeader(reading: Reading, data: Buffer, socket: Socket): Buffer | undefined {
  const whole = reading.held === undefined ? data : Buffer.concat([reading.held, data])
  const end = whole.indexOf(HEADER_END)
  if (end < 0) {
    reading.held = Buffer.from(whole)
    return undefined
  }
  reading.held = undefined
  const header = whole.toString('latin1', 0, end)
  reading.status = Number(header.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(header)
  reading.chunked = length === null && /\r\ntransfer-encoding: *chunked/i.test(header)
  if (length === null && !reading.chunked) {
    socket.destroy(new Error('an answer came without content-length or chunked coding'))
    return undefined
  }
  reading.bodyBytes = length === null ? 0 : Number(length[1])
  reading.bodyLeft = reading.bodyBytes
  return whole.subarray(end + HEADER_END.length)
}

function readSized(reading: Reading, data: Buffer, events: ConnectionEvents): void {
  reading.bodyLeft -= data.length
  if (reading.keep && data.length > 0) reading.parts.push(Buffer.from(data))
  if (reading.bodyLeft <= 0) finish(reading, Buffer.concat, events)
}

function readChunked(reading: Reading, data: Buffer, events: ConnectionEvents): void {
  reading.parts.push(Buffer.from(data))
  reading.bodyBytes += data.length
  const tail = Buffer.concat(reading.parts.slice(-2)).subarray(-CHUNKED_END.length)
  if (tail.equals(CHUNKED_END)) finish(reading, (parts) => unchunk(Buffer.concat(parts)), events)
}

function finish(
  reading: Reading,
  join: (parts: Buffer[]) => Buffer,
  events: ConnectionEvents,
): void {
  const { status, bodyBytes, keep, parts } = reading
  Object.assign(reading, { bodyLeft: -1, parts: parts.length === 0 ? parts : [] })
  events.answered({ status, bodyBytes, body: keep ? join(parts) : undefined })
}

function unchunk(coded: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = coded.indexOf('\r\n', at)
    const size = line < 0 ? 0 : Number.parseInt(coded.toString('latin1', at, line), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(coded.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
