import { expect, it } from 'vitest'
import type { Impression } from '../../../src/learn/facts.ts'
import {
  decodeImpression,
  encodeImpression,
  finishImpression,
  readShown,
} from '../../../src/learn/impressions/impression.ts'

const HITS = [
  { indexId: 3, id: 'ä"b', score: 1 / 3 },
  { indexId: 70_000, id: '🙂', score: -0.25 },
]
const FEATURES = Float32Array.from([1, 2.5, 3, 4, 5, -6])
const REPLAY = { indices: [3, 70_000], request: { query: 'é' } }
const KNOWN = {
  ...{ queryId: 'q', queryHash: 'h', query: 'é', searchType: 'hybrid', timeMs: 17 },
  ...{ adaptations: [], variants: [] as [string, string][], unit: 'ann' },
}
const FOUND = {
  ...{ total: 9, generation: 4, tookMs: 2, from: 10 },
  exploration: { seed: 1, epsilon: 0.1, temperature: 0.2, explored: false, relative: true },
  interleaved: { testId: 't', seed: 2, teams: 'ab' },
  shadowScores: [0.5, 0.25],
}
const IMPRESSION: Impression = { ...KNOWN, ...FOUND, hits: HITS, features: 3 }

function expectAll(bytes: Uint8Array): void {
  const { impression, features, replay } = decodeImpression(bytes)
  expect(impression).toEqual(IMPRESSION)
  expect(features()).toEqual(FEATURES)
  expect(replay()).toEqual(REPLAY)
  expect(readShown(bytes)).toEqual(IMPRESSION)
}

it('an impression is read as it was written, wherever its bytes lie', () => {
  const bytes = encodeImpression(IMPRESSION, FEATURES, REPLAY)
  expectAll(bytes)
  const moved = Buffer.concat([Buffer.from([7]), bytes])
  expectAll(new Uint8Array(moved.buffer, moved.byteOffset + 1, bytes.length))
})

it('what a worker finishes is the same', () => {
  const head = JSON.stringify(KNOWN).slice(0, -1)
  const hits = HITS.map(({ id, ...hit }) => ({ ...hit, idJson: JSON.stringify(id) }))
  const start = { head, replay: JSON.stringify(REPLAY) }
  expectAll(finishImpression(start, { ...FOUND, hits, features: FEATURES }))
  const none = finishImpression(start, { ...FOUND, hits: [], features: new Float32Array() })
  expect(readShown(none)).toEqual({ ...IMPRESSION, hits: [], features: 0 })
})

it('impressions of the first layout are read, too', () => {
  const head = Buffer.from(JSON.stringify(IMPRESSION))
  const replay = Buffer.from(JSON.stringify(REPLAY))
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(head.length, 0)
  lengths.writeUInt32LE(replay.length, 4)
  expectAll(Buffer.concat([lengths, head, replay, new Uint8Array(FEATURES.buffer)]))
})
