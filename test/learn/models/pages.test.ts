import { v7 as uuid } from 'uuid'
import { expect, it } from 'vitest'
import type { Impression } from '../../../src/learn/facts.ts'
import { encodeImpression, partsOf } from '../../../src/learn/impressions/impression.ts'
import { shownPages } from '../../../src/learn/models/pages.ts'
import { openReader } from '../../../src/store/reader.ts'
import { temporaryFolder, temporaryStore } from '../../store/open.ts'

const HITS = ['a', 'b', 'c'].map((id) => ({ indexId: 1, id, score: 1 }))

function impression(features: number): Impression {
  const plain = { query: 'q', queryHash: 'h', searchType: 'text', tookMs: 1, total: 3, from: 0 }
  const lists = { adaptations: [], variants: [], hits: HITS }
  return { queryId: uuid(), ...plain, ...lists, generation: 1, features, timeMs: 2000, unit: 'u' }
}

it('rows from before a feature was added are read with 0 for it, others not at all', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  for (const width of [4, 15, 16, 18, 19, 20]) {
    const shown = impression(width)
    const rows = Float32Array.from({ length: HITS.length * width }, (_, at) => width * 100 + at)
    await store.write(() => {
      store.tables.impressions.put(shown.queryId, encodeImpression(partsOf(shown, rows)))
    })
  }
  const pages = shownPages(openReader(dataDir), { width: 19, eta: 1, sinceMs: 0, limit: 100 })
  const row = (width: number, hit: number) => [
    ...Array.from({ length: width }, (_, at) => width * 100 + hit * width + at),
    ...new Array<number>(19 - width).fill(0),
  ]
  const expected = [19, 18, 16].map((width) => [0, 1, 2].flatMap((hit) => row(width, hit)))
  expect(pages.map(({ features }) => Array.from(features))).toEqual(expected)
})
