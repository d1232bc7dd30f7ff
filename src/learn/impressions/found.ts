import type { Impression, ShownPage } from '../facts.ts'
import { EXPLORED_MAX } from './exploration.ts'
import { pageOf, pageOfIndex, readIds } from './shown-page.ts'

/*
 * What a worker found, as bytes, numbers little-endian:
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 8 | total, float64 |
 * | 8 | 8 | generation, float64 |
 * | 16 | 4 | how long it took in ms, unsigned |
 * | 20 | 4 | hits before the first one, unsigned |
 * | 24 | 4 | hits, unsigned |
 * | 28 | 4 | features of a hit, unsigned |
 * | 32 | 4 | length of the ids, unsigned |
 * | 36 | 4 | what else there is: the bits below; from bit 8 on, how many of the first hits are pinned |
 * | 40 | 8 for each hit | score, float64 |
 * | … | 4 for each hit | id of its index, int32 |
 * | … | 4 for each feature | features, float32, a row for each hit |
 * | … | 4 for each hit | what the model in shadow would have said, float32; if `SHADOW` |
 * | … | 1 for each hit | where it stood in greedy order, as far as hits may move; if `EXPLORED` |
 * | … | 1 for each hit | its team's letter; if `DEALT` |
 * | … | … | the hits' ids, as JSON, with commas between them |
 */
const START_BYTES = 40
const EXPLORED = 1
const DEALT = 2
const SHADOW = 4
const PINNED_SHIFT = 8

/** What a search found. */
export interface Found {
  total: number
  generation: number
  tookMs: number
  /** Hits before the first one. */
  from: number
  scores: Float64Array
  indexIds: Int32Array
  /** Row-major. */
  features: Float32Array
  shadowScores?: Float32Array | undefined
  /** Where the first hits stood in greedy order, if the order was drawn. */
  order?: readonly number[] | undefined
  /** The team of each hit. */
  teams?: string | undefined
  /** How many hits, from the first on, are pinned. */
  pinned?: number | undefined
}

// What was found is put together in one place and handed on at once: every step of its own costs as much as a hundred
// of these numbers.
const PLACE_BYTES = 16 << 10
let place = openPlace(PLACE_BYTES)

function openPlace(bytes: number) {
  const buffer = new ArrayBuffer(bytes)
  return {
    view: new DataView(buffer),
    bytes: new Uint8Array(buffer),
    integers: new Int32Array(buffer),
    floats: new Float32Array(buffer),
    doubles: new Float64Array(buffer),
  }
}

/**
 * Hands on the bytes of what was found, up to the ids: `idsBytes` of them must follow. They are to be copied before the
 * next call.
 */
export function writeFound(
  found: Found,
  idsBytes: number,
  write: (bytes: Uint8Array) => void,
): void {
  const { total, generation, tookMs, from, scores, features, shadowScores, order, teams } = found
  const hits = scores.length
  const numbers = START_BYTES + 12 * hits + 4 * features.length
  const room = numbers + 4 * hits + 2 * hits
  if (room > place.bytes.length) place = openPlace(2 * Math.ceil(room / 8) * 8)
  const { view, bytes, integers, floats, doubles } = place
  let more = (found.pinned ?? 0) << PINNED_SHIFT
  if (order !== undefined) more |= EXPLORED
  if (teams !== undefined) more |= DEALT
  if (shadowScores !== undefined) more |= SHADOW
  view.setFloat64(0, total, true)
  view.setFloat64(8, generation, true)
  view.setUint32(16, tookMs, true)
  view.setUint32(20, from, true)
  view.setUint32(24, hits, true)
  view.setUint32(28, hits === 0 ? 0 : features.length / hits, true)
  view.setUint32(32, idsBytes, true)
  view.setUint32(36, more, true)
  // Every list begins where its numbers are aligned.
  doubles.set(scores, START_BYTES / 8)
  integers.set(found.indexIds, START_BYTES / 4 + 2 * hits)
  floats.set(features, START_BYTES / 4 + 3 * hits)
  let end = numbers
  if (shadowScores !== undefined) {
    floats.set(shadowScores, end / 4)
    end += 4 * hits
  }
  // A hit that kept its place stands where it stood.
  if (order !== undefined) for (let at = 0; at < hits; at++) bytes[end++] = order[at] ?? at
  if (teams !== undefined) for (let at = 0; at < hits; at++) bytes[end++] = teams.charCodeAt(at)
  write(bytes.subarray(0, end))
}

/** Adds what lies in `bytes` from `offset` on to what was known of an impression before. */
export function readFound(known: Partial<Impression>, bytes: Buffer, offset: number): Impression {
  const hits = bytes.readUInt32LE(offset + 24)
  const width = bytes.readUInt32LE(offset + 28)
  const more = bytes.readUInt32LE(offset + 36)
  const scoresAt = offset + START_BYTES
  const indexIdsAt = scoresAt + 8 * hits
  const shadowAt = indexIdsAt + 4 * hits + 4 * hits * width
  const orderAt = shadowAt + ((more & SHADOW) === 0 ? 0 : 4 * hits)
  const teamsAt = orderAt + ((more & EXPLORED) === 0 ? 0 : hits)
  const idsAt = teamsAt + ((more & DEALT) === 0 ? 0 : hits)
  const idsEnd = idsAt + bytes.readUInt32LE(offset + 32)
  const ids = bytes.toString('utf8', idsAt, idsEnd)
  const impression = known as Impression
  impression.total = bytes.readDoubleLE(offset)
  impression.generation = bytes.readDoubleLE(offset + 8)
  // Threads whose clocks were apart wrote less than nothing before.
  impression.tookMs = Math.max(0, bytes.readInt32LE(offset + 16))
  impression.from = bytes.readUInt32LE(offset + 20)
  impression.features = width
  impression.page = readPage(bytes, { hits, indexIdsAt, ids })
  impression.scores = []
  for (let hit = 0; hit < hits; hit++)
    impression.scores.push(bytes.readDoubleLE(scoresAt + 8 * hit))
  const pinned = more >> PINNED_SHIFT
  if (pinned > 0) impression.pinned = pinned
  const { exploration, interleaved } = impression
  // A page of one hit is neither drawn nor dealt, whatever was asked for.
  if (exploration !== undefined && hits < 2) delete impression.exploration
  else if (exploration !== undefined) {
    exploration.explored = (more & EXPLORED) !== 0
    if (pinned > 0) exploration.pinned = pinned
    const moved = Math.min(hits, EXPLORED_MAX)
    if (exploration.explored) exploration.order = [...bytes.subarray(orderAt, orderAt + moved)]
  }
  if (interleaved !== undefined && (more & DEALT) === 0) delete impression.interleaved
  else if (interleaved !== undefined)
    interleaved.teams = bytes.toString('latin1', teamsAt, teamsAt + hits)
  if ((more & SHADOW) !== 0)
    impression.shadowScores = Array.from({ length: hits }, (_, hit) =>
      shadowScore(bytes, shadowAt + 4 * hit),
    )
  return impression
}

function readPage(
  bytes: Buffer,
  { hits, indexIdsAt, ids }: { hits: number; indexIdsAt: number; ids: string },
): ShownPage {
  const indexIdOf = (hit: number) => bytes.readInt32LE(indexIdsAt + 4 * hit)
  const first = hits === 0 ? 0 : indexIdOf(0)
  for (let hit = 1; hit < hits; hit++)
    if (indexIdOf(hit) !== first)
      return pageOf(readIds(ids).map((id, at) => ({ indexId: indexIdOf(at), id })))
  return pageOfIndex(first, ids)
}

/** Six figures are more than any model means. */
function shadowScore(bytes: Buffer, at: number): number {
  return Number(bytes.readFloatLE(at).toPrecision(6))
}

/** The features in what was found, row-major: a copy of their own, because four-byte numbers want an aligned start. */
export function readFeatures(bytes: Buffer, offset: number): Float32Array {
  const hits = bytes.readUInt32LE(offset + 24)
  const width = bytes.readUInt32LE(offset + 28)
  const from = offset + START_BYTES + 12 * hits
  return new Float32Array(
    Uint8Array.prototype.slice.call(bytes, from, from + 4 * hits * width).buffer,
  )
}
