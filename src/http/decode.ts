import { pipeline } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import { type ServiceError, serviceError } from '../errors.ts'
import { openPieces } from '../pieces.ts'
import {
  announcedBytes,
  type BodyLimit,
  type BodyReader,
  type BodyStream,
  bodyTooLarge,
  incomplete,
  streamBody,
} from './body.ts'
import type { Exchange } from './exchange.ts'

/* Bodies that come compressed (RFC 9110 §8.4). */

/** What unpacks each coding, outside of the main thread. */
const DECODERS = { gzip: createGunzip, deflate: createInflate } as const
const FORMATS = { gzip: 'gzip', deflate: 'deflate (the zlib format)' } as const

export type BodyCoding = keyof typeof DECODERS

/** Names of the codings that are read. */
export const CODINGS = Object.keys(DECODERS) as readonly BodyCoding[]

/** Bytes that are unpacked at a time: each piece costs a hop to another thread. */
const PIECE_BYTES = 64 << 10

/**
 * A body that is worked off while it arrives has no limit as a whole. Beyond the limit of bodies that are kept, it
 * may unpack to this many times what was sent: documents unpack to 5 or 30 times, what is made to do harm to a
 * thousand.
 */
const EXPANSION_MAX = 100

const STORED = ' Documents of its beginning may have been stored.'

/**
 * How a body is compressed; undefined for not at all.
 * Throws UNSUPPORTED_MEDIA_TYPE for codings that are not read, and for more than one; the answer's Accept-Encoding tells those
 * that are, which a 415 about the type of a body must not have (RFC 9110 §12.5.3).
 */
export function bodyCoding(exchange: Exchange): BodyCoding | undefined {
  const sent = exchange.header('content-encoding')
  if (sent === undefined) return undefined
  const names = sent
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-gzip$/, 'gzip'))
    .filter((name) => name !== '' && name !== 'identity')
  const [name, ...others] = names
  if (name === undefined) return undefined
  if (others.length === 0 && Object.hasOwn(DECODERS, name)) return name as BodyCoding
  throw serviceError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Send the body with the header content-encoding: ${CODINGS.join(' or ')}, or uncompressed without it.`,
    { codings: CODINGS },
  )
}

/**
 * A body whose limit is that of the bytes that it unpacks to. Throws BODY_TOO_LARGE when the client announces one that can't be
 * within it, as does the iteration when it is not.
 */
export function decodedWhole(
  exchange: Exchange,
  { coding, limit }: { coding: BodyCoding; limit: BodyLimit },
): BodyStream {
  const tooLarge = () => bodyTooLarge(limit, 'unpacks to more than')
  // What can't be made shorter becomes a little longer.
  const longest = limit.bytesMax + (limit.bytesMax >> 8) + 1024
  if ((announcedBytes(exchange) ?? 0) > longest) throw tooLarge()
  const check = (unpacked: number): void => {
    if (unpacked > limit.bytesMax) throw tooLarge()
  }
  return decode(
    streamBody(exchange, () => undefined),
    { coding, check },
  )
}

/** A body that is worked off while it arrives; `progress` hears of each piece. */
export function decodedStream(
  body: BodyStream,
  { coding, limit, progress }: { coding: BodyCoding; limit: BodyLimit; progress: () => void },
): BodyStream {
  const { bytesMax, setting } = limit
  const check = (unpacked: number, sent: number): void => {
    progress()
    if (unpacked <= bytesMax || unpacked <= EXPANSION_MAX * sent) return
    throw serviceError(
      'BODY_TOO_LARGE',
      `The body unpacks to over ${EXPANSION_MAX} times what was sent, and to more than ${bytesMax} bytes, the setting ${setting}: send it in parts, or uncompressed.${STORED}`,
    )
  }
  return decode(body, { coding, check, advice: STORED })
}

/** Resolves with what `read` makes of all pieces together; `hold` may refuse each. */
export async function readPieces<T>(
  { chunks }: BodyStream,
  { hold, read }: Pick<BodyReader<T>, 'hold' | 'read'>,
): Promise<T> {
  const pieces = openPieces()
  for await (const piece of chunks) {
    hold(piece.length)
    pieces.add(piece)
  }
  return read(pieces.takeAll())
}

interface Decoding {
  coding: BodyCoding
  /** Called before a piece is handed over, with the bytes unpacked so far and those that they came from; may throw. */
  check: (unpacked: number, sent: number) => void
  /** What else to say of broken data. */
  advice?: string
}

/**
 * Unpacks a body as fast as the pieces are taken. The iteration throws what `chunks` and `check` throw, BODY_INCOMPLETE when the
 * data ends in its middle, MALFORMED_ENCODING when it is none or something follows it.
 */
function decode({ chunks, drop }: BodyStream, { coding, check, advice = '' }: Decoding) {
  const decoder = DECODERS[coding]({ chunkSize: PIECE_BYTES })
  let received = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      received += chunk.length
      yield chunk
    }
  }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let unpacked = 0
    try {
      for await (const piece of decoder as AsyncIterable<Uint8Array>) {
        unpacked += piece.length
        check(unpacked, decoder.bytesWritten)
        yield piece
      }
    } catch (cause) {
      // No data at all is an empty body, which some routes take.
      if (received > 0 || !isCut(cause)) throw broken(cause, coding, advice)
    }
    if (decoder.bytesWritten < received) throw trailing(coding, advice)
  }
  // Whoever reads the decoder hears of what goes wrong; it may also be ended when nobody does.
  decoder.on('error', () => undefined)
  pipeline(counted(), decoder, () => undefined)
  return {
    chunks: pieces(),
    drop: () => {
      drop()
      // What was taken already would still be unpacked, for nobody.
      decoder.destroy(incomplete())
    },
  }
}

function isCut(cause: unknown): boolean {
  return (cause as { code?: unknown }).code === 'Z_BUF_ERROR'
}

/** What zlib says of data that is not right, in the service's words; anything else as it is. */
function broken(cause: unknown, coding: BodyCoding, advice: string): unknown {
  const format = FORMATS[coding]
  if (isCut(cause))
    return serviceError(
      'BODY_INCOMPLETE',
      `The body ends in the middle of its ${format} data: send it whole.${advice}`,
      { cause },
    )
  const { code } = cause as { code?: unknown }
  if (code !== 'Z_DATA_ERROR' && code !== 'Z_NEED_DICT') return cause
  return serviceError(
    'MALFORMED_ENCODING',
    `The body is not valid ${format}, which its Content-Encoding names: compress it so, or leave the header out.${advice}`,
    { cause },
  )
}

function trailing(coding: BodyCoding, advice: string): ServiceError {
  return serviceError(
    'MALFORMED_ENCODING',
    `The body goes on behind the end of its ${FORMATS[coding]} data: compress all of it.${advice}`,
  )
}
