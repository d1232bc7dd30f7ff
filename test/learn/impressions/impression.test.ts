import { expect, it } from 'vitest'
import type { Impression } from '../../../src/learn/facts.ts'
import {
  decodeImpression,
  encodeImpression,
  readShown,
} from '../../../src/learn/impressions/impression.ts'
import { partsOf, showing } from './parts.ts'

const HITS = [
  { indexId: 3, id: 'ä"b', score: 1 / 3 },
  { indexId: 70_000, id: '🙂', score: -0.25 },
]
const FEATURES = Float32Array.from([1, 2.5, 3, 4, 5, -6])
const REPLAY = { indices: [3, 70_000], request: { query: 'é' } }
const KNOWN = {
  ...{ queryId: 'q', queryHash: 'h', query: 'é', searchType: 'hybrid' as const, timeMs: 17 },
  ...{ adaptations: [], variants: [] as [string, string][], unit: 'ann' },
}
const FOUND = {
  ...{ total: 9, generation: 4, tookMs: 2, from: 10 },
  exploration: { seed: 1, epsilon: 0.1, temperature: 0.2, explored: false, relative: true },
  interleaved: { testId: 't', seed: 2, teams: 'ab' },
  shadowScores: [0.5, 0.25],
}
const IMPRESSION: Impression = { ...KNOWN, ...FOUND, ...showing(HITS), features: 3 }

function expectAll(bytes: Uint8Array): void {
  const { impression, features, replay } = decodeImpression(bytes)
  expect(impression).toEqual(IMPRESSION)
  expect(features()).toEqual(FEATURES)
  expect(replay()).toEqual(REPLAY)
  expect(readShown(bytes)).toEqual(IMPRESSION)
}

it('an impression is read as it was written, wherever its bytes lie', () => {
  const bytes = encodeImpression(partsOf(IMPRESSION, FEATURES, REPLAY))
  expectAll(bytes)
  const moved = Buffer.concat([Buffer.from([7]), bytes])
  expectAll(new Uint8Array(moved.buffer, moved.byteOffset + 1, bytes.length))
})

it('what was added is read as triples, however it was written', () => {
  const shown = partsOf(IMPRESSION, FEATURES)
  const added = [[3, 'a/"b', 0.25] as const]
  for (const replay of [
    '"added":[[3,"a/\\"b",0.25]]',
    '"addedTo":["3/a/\\"b"],"addedValues":"AAAAAAAA0D8="',
  ]) {
    const bytes = encodeImpression({ ...shown, replay: `{"indices":[3],"request":{},${replay}}` })
    expect(decodeImpression(bytes).replay()).toEqual({ indices: [3], request: {}, added })
  }
})

it('ids are read as they are, with or without what JSON escapes', () => {
  for (const ids of [['a', 'b'], ['1,2', '[', '{}', ' é '], ['a","b', 'c'], ['\\', '"'], ['🙂']]) {
    const hits = ids.map((id) => ({ indexId: 1, id, score: 1 }))
    const shown = {
      ...KNOWN,
      ...{ total: 9, generation: 4, tookMs: 2, from: 0, ...showing(hits), features: 0 },
    }
    const bytes = encodeImpression(partsOf(shown, new Float32Array()))
    expect(readShown(bytes).page.hits.map(({ id }) => id)).toEqual(ids)
  }
})

it('an order that was drawn is read with its first places, and a page of no hits with none', () => {
  const { exploration, ...rest } = IMPRESSION
  const drawn = { ...rest, exploration: { ...FOUND.exploration, explored: true, order: [1, 0] } }
  expect(readShown(encodeImpression(partsOf(drawn, FEATURES)))).toEqual(drawn)
  const found = { total: 0, generation: 4, tookMs: 2, from: 0, ...showing([]), features: 0 }
  const empty: Impression = { ...KNOWN, ...found }
  expect(readShown(encodeImpression(partsOf(empty, new Float32Array())))).toEqual(empty)
})

it('a page of one hit was neither drawn nor dealt, whatever was asked for', () => {
  const { head } = partsOf(IMPRESSION, FEATURES)
  const { exploration, interleaved, shadowScores, ...more } = IMPRESSION
  const rest = { ...more, ...showing(HITS.slice(1)) }
  const { replay, found } = partsOf(rest, FEATURES.slice(3))
  expect(JSON.parse(head)).toHaveProperty('exploration')
  expect(readShown(encodeImpression({ head, replay, found }))).toEqual(rest)
})

it('impressions of the layout before are read, too', () => {
  const { page, scores, ...rest } = IMPRESSION
  const head = Buffer.from(JSON.stringify({ ...rest, hits: HITS.map(({ id }) => id) }))
  const replay = Buffer.from(JSON.stringify(REPLAY))
  const start = Buffer.alloc(16 + 12 * HITS.length)
  start.writeUInt32LE(0x80000002, 0)
  start.writeUInt32LE(head.length, 4)
  start.writeUInt32LE(replay.length, 8)
  start.writeUInt32LE(HITS.length, 12)
  HITS.forEach(({ indexId, score }, at) => {
    start.writeDoubleLE(score, 16 + 12 * at)
    start.writeInt32LE(indexId, 24 + 12 * at)
  })
  expectAll(Buffer.concat([start, head, replay, new Uint8Array(FEATURES.buffer)]))
})

it('impressions of the first layout are read, too', () => {
  const { page, scores, ...rest } = IMPRESSION
  const head = Buffer.from(JSON.stringify({ ...rest, hits: HITS }))
  const replay = Buffer.from(JSON.stringify(REPLAY))
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(head.length, 0)
  lengths.writeUInt32LE(replay.length, 4)
  expectAll(Buffer.concat([lengths, head, replay, new Uint8Array(FEATURES.buffer)]))
})
