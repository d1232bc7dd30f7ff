import { expect, it } from 'vitest'
import { encodeImpression } from '../../../src/learn/impressions/impression.ts'
import { columnsFor } from '../../../src/learn/models/estimate.ts'
import { blankRow, shownPages } from '../../../src/learn/models/pages.ts'
import { native } from '../../../src/native.ts'
import { openReader } from '../../../src/store/reader.ts'
import { temporaryStore } from '../../store/open.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { impressionOf, partsOf } from '../impressions/parts.ts'

const HITS = 3

const impression = (features: number) => impressionOf({ unit: 'u', features })

it('rows from before a feature was added say that nothing is known of it, others are not read', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  for (const width of [4, 15, 16, 18, 19, 20, 21]) {
    const shown = impression(width)
    const rows = Float32Array.from({ length: HITS * width }, (_, at) => width * 100 + at)
    await store.write(() => {
      store.tables.impressions.put(shown.queryId, encodeImpression(partsOf(shown, rows)))
    })
  }
  const names = native.featureNames()
  const blank = blankRow(names, 0.25)
  const pages = shownPages(openReader(dataDir), {
    blank,
    chances: { eta: 1 },
    sinceMs: 0,
    limit: 100,
  })
  const row = (width: number, hit: number) => [
    ...Array.from({ length: width }, (_, at) => width * 100 + hit * width + at),
    ...names.slice(width).map((name) => (name === 'clickRate' ? 0.25 : 0)),
  ]
  const expected = [20, 19, 18, 16].map((width) => [0, 1, 2].flatMap((hit) => row(width, hit)))
  expect(pages.map(({ features }) => Array.from(features))).toEqual(expected)
  const rates = columnsFor(pages, names, ['clickRate'])
  expect([...rates]).toEqual([2019, 2039, 2059, ...new Array<number>(9).fill(0.25)])
})

it('pages are those since a moment, which counts, and fifty of one unit at most', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  const blank = blankRow(native.featureNames(), 0.25)
  const shown = Array.from({ length: 53 }, (_, at) => ({
    ...impression(blank.length),
    ...{ timeMs: 1000 + at, unit: at < 2 ? 'early' : 'busy' },
  }))
  await store.write(() => {
    const rows = new Float32Array(HITS * blank.length)
    for (const each of shown)
      store.tables.impressions.put(each.queryId, encodeImpression(partsOf(each, rows)))
  })
  const unitsSince = (sinceMs: number) => {
    const pages = shownPages(openReader(dataDir), {
      blank,
      chances: { eta: 1 },
      sinceMs,
      limit: 1000,
    })
    return ['early', 'busy'].map((name) => pages.filter(({ unit }) => unit === name).length)
  }
  expect(unitsSince(1001)).toEqual([1, 50])
  expect(unitsSince(1002)).toEqual([0, 50])
  expect(unitsSince(1004)).toEqual([0, 49])
})

it('hits of equal scores are expected where they stood before the draw', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  const blank = blankRow(native.featureNames(), 0.25)
  const exploration = { seed: 1, epsilon: 0.1, temperature: 1, explored: true, relative: false }
  const shown = { ...impression(blank.length), exploration: { ...exploration, order: [2, 0, 1] } }
  await store.write(() => {
    const rows = new Float32Array(HITS * blank.length)
    store.tables.impressions.put(shown.queryId, encodeImpression(partsOf(shown, rows)))
  })
  const [page] = shownPages(openReader(dataDir), {
    blank,
    chances: { eta: 1 },
    sinceMs: 0,
    limit: 1,
  })
  // Of ten searches nine show the greedy order, and one any: each place is as likely.
  const any = (1 + 1 / 2 + 1 / 3) / 3
  const expected = [1 / 3, 1, 1 / 2].map((greedy) => 0.9 * greedy + 0.1 * any)
  page?.expected.forEach((each, hit) => void expect(each).toBeCloseTo(expected[hit] ?? 0, 6))
  expect(page?.expected).toHaveLength(3)
})
