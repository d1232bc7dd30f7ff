import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { type Body, joined, piecesOf, wholeBody } from './bytes.ts'
import { qualitiesOf } from './qualities.ts'

/** Below this a compressed answer saves less than the work costs. */
export const COMPRESS_BYTES_MIN = 1536
const GZIP_LEVEL = 1
const BROTLI_QUALITY = 3

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

export type Coding = 'br' | 'gzip'

/**
 * The coding that an Accept-Encoding header likes best (RFC 9110 §12.5.3); undefined for none, and where it likes an
 * answer as it is better. Of those that it likes as well, the smallest.
 */
export function chooseCoding(accept: string | undefined): Coding | undefined {
  if (accept === undefined) return undefined
  const qualities = qualitiesOf(accept)
  const rest = qualities.get('*') ?? 0
  const brotli = qualities.get('br') ?? rest
  const zip = qualities.get('gzip') ?? rest
  const best = Math.max(brotli, zip)
  if (!(best > 0) || best < (qualities.get('identity') ?? 0)) return undefined
  return brotli === best ? 'br' : 'gzip'
}

/** Compresses off the main thread, quickly rather than tightly. */
export function compress(sent: Body, coding: Coding): Promise<Uint8Array> {
  const isParted = typeof sent === 'object' && 'head' in sent && Array.isArray(sent.data)
  if (isParted) return compressPieces(piecesOf(sent), coding)
  const body = wholeBody(sent)
  if (coding === 'gzip') return gzipAsync(body, { level: GZIP_LEVEL })
  return brotliAsync(body, { params: BROTLI })
}

const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
/** Coded bytes that come back at a time. */
const CODED_BYTES = 256 << 10

/** Compresses a body that comes in pieces, without putting them together first. */
async function compressPieces(pieces: readonly Uint8Array[], coding: Coding): Promise<Uint8Array> {
  const coder =
    coding === 'gzip'
      ? createGzip({ level: GZIP_LEVEL, chunkSize: CODED_BYTES })
      : createBrotliCompress({ params: BROTLI, chunkSize: CODED_BYTES })
  const coded: Uint8Array[] = []
  await pipeline(pieces, coder, async (parts: AsyncIterable<Uint8Array>) => {
    for await (const part of parts) coded.push(part)
  })
  return joined(coded)
}
