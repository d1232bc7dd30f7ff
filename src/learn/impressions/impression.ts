import type { Impression, ReplayRecord, ShownHit } from '../facts.ts'

/*
 * An impression as bytes, numbers little-endian:
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 4 | the layout, 0x80000002 |
 * | 4 | 4 | length of the head, unsigned |
 * | 8 | 4 | length of the replay record, unsigned |
 * | 12 | 4 | hits, unsigned |
 * | 16 | 12 for each hit | score as float64, id of its index as int32 |
 * | … | … | the head: the impression as JSON, with the hits' ids as its hits |
 * | … | … | what a replay needs, as JSON |
 * | … | … | features, float32, row-major, a row for each hit |
 *
 * Rows of before begin with the length of the head, then that of the replay record; their head holds whole hits.
 */
const LAYOUT = 0x8000_0002
const START_BYTES = 16
const HIT_BYTES = 12
const FIRST_LAYOUT_START_BYTES = 8

/** An impression and the features of its hits. */
export interface StoredImpression {
  impression: Impression
  /** Row-major; read from the bytes when they are asked for. */
  features: () => Float32Array
  /** What running the search again needs; read from the bytes when it is asked for. */
  replay: () => ReplayRecord
}

const NO_REPLAY: ReplayRecord = { indices: [], request: {} }

export function encodeImpression(
  { hits, ...rest }: Impression,
  features: Float32Array,
  replay = NO_REPLAY,
): Buffer {
  const ids = hits.map(({ id }) => id)
  return encode(hits, JSON.stringify({ ...rest, hits: ids }), JSON.stringify(replay), features)
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
  const { hits, features, exploration, interleaved, shadowScores } = found
  const { total, generation, tookMs, from } = found
  let ids = ''
  for (const { idJson } of hits) ids += ids === '' ? idJson : `,${idJson}`
  const width = hits.length === 0 ? 0 : features.length / hits.length
  let json = `${head},"hits":[${ids}],"total":${total},"generation":${generation}`
  json += `,"tookMs":${tookMs},"from":${from},"features":${width}`
  if (exploration !== undefined) json += `,"exploration":${JSON.stringify(exploration)}`
  if (interleaved !== undefined) json += `,"interleaved":${JSON.stringify(interleaved)}`
  if (shadowScores !== undefined) json += `,"shadowScores":${JSON.stringify(shadowScores)}`
  return encode(hits, `${json}}`, replay, features)
}

function encode(
  hits: readonly Pick<ShownHit, 'indexId' | 'score'>[],
  head: string,
  replay: string,
  features: Float32Array,
): Buffer {
  const headBytes = Buffer.byteLength(head)
  const replayBytes = Buffer.byteLength(replay)
  const headStart = START_BYTES + HIT_BYTES * hits.length
  const end = headStart + headBytes + replayBytes
  const bytes = Buffer.allocUnsafe(end + features.byteLength)
  bytes.writeUInt32LE(LAYOUT, 0)
  bytes.writeUInt32LE(headBytes, 4)
  bytes.writeUInt32LE(replayBytes, 8)
  bytes.writeUInt32LE(hits.length, 12)
  let at = START_BYTES
  for (const { indexId, score } of hits) {
    bytes.writeDoubleLE(score, at)
    bytes.writeInt32LE(indexId, at + 8)
    at += HIT_BYTES
  }
  bytes.write(head, headStart)
  bytes.write(replay, headStart + headBytes)
  bytes.set(new Uint8Array(features.buffer, features.byteOffset, features.byteLength), end)
  return bytes
}

interface Places {
  isFirstLayout: boolean
  headStart: number
  replayStart: number
  featuresStart: number
}

function placesOf(bytes: Buffer): Places {
  const isFirstLayout = bytes.readUInt32LE(0) !== LAYOUT
  const at = isFirstLayout ? 0 : 4
  const hits = isFirstLayout ? 0 : bytes.readUInt32LE(12)
  const headStart = isFirstLayout ? FIRST_LAYOUT_START_BYTES : START_BYTES + HIT_BYTES * hits
  const replayStart = headStart + bytes.readUInt32LE(at)
  const featuresStart = replayStart + bytes.readUInt32LE(at + 4)
  return { isFirstLayout, headStart, replayStart, featuresStart }
}

function readHead(bytes: Buffer, { isFirstLayout, headStart, replayStart }: Places): Impression {
  const impression = JSON.parse(bytes.toString('utf8', headStart, replayStart)) as Impression
  if (isFirstLayout) return impression
  const ids = impression.hits as unknown as string[]
  impression.hits = ids.map((id, hit) => {
    const at = START_BYTES + HIT_BYTES * hit
    return { indexId: bytes.readInt32LE(at + 8), id, score: bytes.readDoubleLE(at) }
  })
  return impression
}

/** Reads what was shown, and nothing else: the bytes may change afterwards. */
export function readShown(bytes: Uint8Array): Impression {
  const buffer = bufferOf(bytes)
  return readHead(buffer, placesOf(buffer))
}

/** Reads an impression; `bytes` must stay as they are for as long as features or replay may be asked for. */
export function decodeImpression(bytes: Uint8Array): StoredImpression {
  const buffer = bufferOf(bytes)
  const places = placesOf(buffer)
  const { replayStart, featuresStart } = places
  return {
    impression: readHead(buffer, places),
    // A copy of its own: four-byte numbers want an aligned start.
    features: () => new Float32Array(Uint8Array.prototype.slice.call(buffer, featuresStart).buffer),
    replay: () => JSON.parse(buffer.toString('utf8', replayStart, featuresStart)) as ReplayRecord,
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
