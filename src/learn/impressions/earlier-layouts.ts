import type { ReplayRecord, ShownHit, StoredImpression } from '../facts.ts'
import { pageOf } from './shown-page.ts'

/*
 * Impressions of earlier versions, as bytes, numbers little-endian. They are kept for `RETENTION_MS` like all others:
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
 * The first ones of all begin with the length of the head, then that of the replay record; their head holds whole hits.
 */
const LAYOUT = 0x8000_0002
const START_BYTES = 16
const HIT_BYTES = 12
const FIRST_LAYOUT_START_BYTES = 8

/** Whether these bytes were written in one of the earlier layouts. */
export function isEarlier(bytes: Buffer): boolean {
  return bytes.readUInt32LE(0) <= LAYOUT
}

/** Reads an impression of before; `bytes` must stay as they are for as long as features or replay may be asked for. */
export function decodeEarlier(bytes: Buffer): StoredImpression {
  const isFirst = bytes.readUInt32LE(0) !== LAYOUT
  const at = isFirst ? 0 : 4
  const hits = isFirst ? 0 : bytes.readUInt32LE(12)
  const headStart = isFirst ? FIRST_LAYOUT_START_BYTES : START_BYTES + HIT_BYTES * hits
  const replayStart = headStart + bytes.readUInt32LE(at)
  const featuresStart = replayStart + bytes.readUInt32LE(at + 4)
  const { hits: shown, ...head } = JSON.parse(bytes.toString('utf8', headStart, replayStart))
  const whole: (ShownHit & { score: number })[] = isFirst
    ? shown
    : shown.map((id: string, hit: number) => {
        const hitAt = START_BYTES + HIT_BYTES * hit
        return { indexId: bytes.readInt32LE(hitAt + 8), id, score: bytes.readDoubleLE(hitAt) }
      })
  const page = pageOf(whole.map(({ indexId, id }) => ({ indexId, id })))
  return {
    impression: { ...head, page, scores: whole.map(({ score }) => score) },
    // A copy of its own: four-byte numbers want an aligned start.
    features: () => new Float32Array(Uint8Array.prototype.slice.call(bytes, featuresStart).buffer),
    replay: () => JSON.parse(bytes.toString('utf8', replayStart, featuresStart)) as ReplayRecord,
  }
}
