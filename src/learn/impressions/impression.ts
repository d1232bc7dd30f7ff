import type { Impression, ReplayRecord } from '../facts.ts'

/*
 * An impression as bytes:
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 4 | length of the head, unsigned |
 * | 4 | 4 | length of the replay record, unsigned |
 * | 8 | … | the head: the impression as JSON |
 * | … | … | what a replay needs, as JSON |
 * | … | … | features, little-endian float32, row-major, a row for each hit |
 */
const LENGTHS_BYTES = 8

/** An impression and the features of its hits. */
export interface StoredImpression {
  impression: Impression
  features: Float32Array
  /** What running the search again needs; read from the bytes when it is asked for. */
  replay: () => ReplayRecord
}

const NO_REPLAY: ReplayRecord = { indices: [], request: {} }

export function encodeImpression(
  impression: Impression,
  features: Float32Array,
  replay = NO_REPLAY,
): Buffer {
  return encode(JSON.stringify(impression), JSON.stringify(replay), features)
}

/** What is known of a search before it runs, as JSON. */
export interface ImpressionStart {
  /** The impression, without its last brace. */
  head: string
  replay: string
}

/** What a search found. */
export interface Found {
  hits: { indexId: number; idJson: string; score: number }[]
  total: number
  generation: number
  tookMs: number
  /** Hits before the first one. */
  from: number
  exploration?: Impression['exploration']
  interleaved?: Impression['interleaved']
  shadowScores?: number[]
  features: Float32Array
}

/** Finishes an impression with what was found. */
export function finishImpression({ head, replay }: ImpressionStart, found: Found): Buffer {
  const { hits, features, ...rest } = found
  const shown = hits.map(
    ({ indexId, idJson, score }) => `{"indexId":${indexId},"id":${idJson},"score":${score}}`,
  )
  const width = hits.length === 0 ? 0 : features.length / hits.length
  const tail = JSON.stringify({ ...rest, features: width })
  return encode(`${head},"hits":[${shown.join(',')}],${tail.slice(1)}`, replay, features)
}

function encode(head: string, replay: string, features: Float32Array): Buffer {
  const headBytes = Buffer.byteLength(head)
  const replayBytes = Buffer.byteLength(replay)
  const end = LENGTHS_BYTES + headBytes + replayBytes
  const bytes = Buffer.allocUnsafe(end + features.byteLength)
  bytes.writeUInt32LE(headBytes, 0)
  bytes.writeUInt32LE(replayBytes, 4)
  bytes.write(head, LENGTHS_BYTES)
  bytes.write(replay, LENGTHS_BYTES + headBytes)
  bytes.set(new Uint8Array(features.buffer, features.byteOffset, features.byteLength), end)
  return bytes
}

/** Reads an impression; `bytes` must stay as they are for as long as the replay may be asked for. */
export function decodeImpression(bytes: Uint8Array): StoredImpression {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headEnd = LENGTHS_BYTES + buffer.readUInt32LE(0)
  const replayEnd = headEnd + buffer.readUInt32LE(4)
  return {
    impression: JSON.parse(buffer.toString('utf8', LENGTHS_BYTES, headEnd)) as Impression,
    // A copy of its own: four-byte numbers want an aligned start.
    features: new Float32Array(Uint8Array.prototype.slice.call(buffer, replayEnd).buffer),
    replay: () => JSON.parse(buffer.toString('utf8', headEnd, replayEnd)) as ReplayRecord,
  }
}
