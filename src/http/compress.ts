import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { qualitiesOf } from './qualities.ts'

/** Below this a compressed answer saves less than the work costs. */
export const COMPRESS_BYTES_MIN = 1536
const GZIP_LEVEL = 1
const BROTLI_QUALITY = 3

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

export type Coding = 'br' | 'gzip'

/** The best coding that an Accept-Encoding header allows (RFC 9110 §12.5.3); undefined for none. */
export function chooseCoding(accept: string | undefined): Coding | undefined {
  if (accept === undefined) return undefined
  const qualities = qualitiesOf(accept)
  const rest = qualities.get('*') ?? 0
  const brotli = qualities.get('br') ?? rest
  const zip = qualities.get('gzip') ?? rest
  if (brotli > 0 && brotli >= zip) return 'br'
  return zip > 0 ? 'gzip' : undefined
}

/** Compresses off the main thread, quickly rather than tightly. */
export function compress(body: string | Uint8Array, coding: Coding): Promise<Uint8Array> {
  if (coding === 'gzip') return gzipAsync(body, { level: GZIP_LEVEL })
  return brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
}
