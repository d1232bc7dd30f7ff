import type { Impression } from './facts.ts'

/*
 * An impression as bytes:
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 4 | length of the head, unsigned |
 * | 4 | … | the head: the impression as JSON |
 * | … | … | features, little-endian float32, row-major, a row for each hit |
 */
const LENGTH_BYTES = 4

/** An impression and the features of its hits. */
export interface StoredImpression {
  impression: Impression
  features: Float32Array
}

export function encodeImpression(impression: Impression, features: Float32Array): Buffer {
  return encodeHead(JSON.stringify(impression), features)
}

/** What a search found, for the impression of it. */
export interface Found {
  hits: { indexId: number; idJson: string; score: number }[]
  total: number
  generation: number
  tookMs: number
  /** Hits before the first one. */
  from: number
  added: Impression['added']
  exploration?: Impression['exploration']
  interleaved?: Impression['interleaved']
  shadowScores?: number[]
  features: Float32Array
}

/** Finishes an impression: `head` is JSON of what was known before the search, without its last brace. */
export function finishImpression(head: string, found: Found): Buffer {
  const { hits, features, ...rest } = found
  const shown = hits.map(
    ({ indexId, idJson, score }) => `{"indexId":${indexId},"id":${idJson},"score":${score}}`,
  )
  const width = hits.length === 0 ? 0 : features.length / hits.length
  const tail = JSON.stringify({ ...rest, features: width })
  return encodeHead(`${head},"hits":[${shown.join(',')}],${tail.slice(1)}`, features)
}

function encodeHead(head: string, features: Float32Array): Buffer {
  const headBytes = Buffer.byteLength(head)
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + headBytes + features.byteLength)
  bytes.writeUInt32LE(headBytes, 0)
  bytes.write(head, LENGTH_BYTES)
  bytes.set(
    new Uint8Array(features.buffer, features.byteOffset, features.byteLength),
    LENGTH_BYTES + headBytes,
  )
  return bytes
}

export function decodeImpression(bytes: Uint8Array): StoredImpression {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = LENGTH_BYTES + buffer.readUInt32LE(0)
  const impression = JSON.parse(buffer.toString('utf8', LENGTH_BYTES, end)) as Impression
  // A copy of its own: four-byte numbers want an aligned start.
  const features = new Float32Array(Uint8Array.prototype.slice.call(buffer, end).buffer)
  return { impression, features }
}
