import { expect, it } from 'vitest'
import {
  columnsFor,
  compareRankers,
  gainPerSearch,
  loggedRanker,
  rankerOf,
} from '../../../src/learn/models/estimate.ts'
import type { Page } from '../../../src/learn/models/pages.ts'
import { trainingSet } from '../../../src/learn/models/training-set.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'

const examination = [1, 1 / 2, 1 / 3]
function page(gains: number[], more: Partial<Page> = {}): Page {
  const same = { timeMs: 0, model: '', from: 0, pinned: 0, examination, shown: examination }
  const features = Float32Array.from([1, 10, 2, 20, 3, 30])
  return { unit: 'u', ...same, expected: examination, gains, scores: [3, 2, 1], features, ...more }
}

/** Pages whose first hit is always wanted, shown in a random order as by a uniform policy. */
function uniformPages(count: number): { pages: Page[]; wanted: number[] } {
  const random = seeded(9)
  const wanted: number[] = []
  const expected = examination.map(() => (1 + 1 / 2 + 1 / 3) / 3)
  const pages = Array.from({ length: count }, (_, n) => {
    const place = Math.floor(random() * 3)
    wanted.push(place)
    const clicked = random() < examination[place]!
    const gains = examination.map((_, at) => (at === place && clicked ? 1 : 0))
    return page(gains, { unit: `u${n % 500}`, expected })
  })
  return { pages, wanted }
}

it('the value of a ranking is what it would gain, whatever was shown', () => {
  const { pages, wanted } = uniformPages(30_000)
  const best = (_: Page, at: number) => [0, 1, 2].map((hit) => (hit === wanted[at] ? 1 : 0))
  const worst = (_: Page, at: number) => [0, 1, 2].map((hit) => (hit === wanted[at] ? -1 : 0))
  // The wanted hit is looked at with 1 in the first place, and with 1/3 in the last.
  expect(gainPerSearch(pages, best)).toBeCloseTo(1, 1)
  expect(gainPerSearch(pages, worst)).toBeCloseTo(1 / 3, 1)
  const told = compareRankers(pages, { candidate: best, baseline: worst }, 100)
  expect(told.verdict).toBe('better')
  const back = compareRankers(pages, { candidate: worst, baseline: best }, 100)
  expect(back.verdict).toBe('worse')
  const same = compareRankers(pages, { candidate: best, baseline: best }, 100)
  expect(same).toMatchObject({ verdict: 'undecided', difference: 0 })
})

it('pinned hits stay where they are, whoever ranks', () => {
  const { pages, wanted } = uniformPages(3000)
  const pinned = pages.map((each) => ({ ...each, pinned: 3 }))
  const best = (_: Page, at: number) => [0, 1, 2].map((hit) => (hit === wanted[at] ? 1 : 0))
  const told = compareRankers(pinned, { candidate: best, baseline: loggedRanker }, 100)
  expect(told).toMatchObject({ difference: 0, interval: { low: 0, high: 0 } })
  // Of two that may change places one is pinned.
  const first = pages.map((each) => ({ ...each, pinned: 2 }))
  expect(gainPerSearch(first, best)).toBe(gainPerSearch(pages, loggedRanker))
})

it('few users never say better', () => {
  const { pages, wanted } = uniformPages(50)
  const best = (_: Page, at: number) => [0, 1, 2].map((hit) => (hit === wanted[at] ? 1 : 0))
  const told = compareRankers(pages, { candidate: best, baseline: loggedRanker }, 100)
  expect(told.verdict).toBe('not_yet')
  expect(gainPerSearch([], loggedRanker)).toBe(0)
})

it('rows and scores find their pages again', () => {
  const pages = [page([1, 0, 0]), page([0, 0, 1])]
  const columns = columnsFor(pages, ['a', 'b'], ['b'])
  expect([...columns]).toEqual([10, 20, 30, 10, 20, 30])
  const ranker = rankerOf(pages, Float32Array.from([1, 2, 3, 4, 5, 6]))
  expect([...(ranker(pages[1]!, 1) as Float32Array)]).toEqual([4, 5, 6])
})

it('a training set has grades, and weights by how seldom a hit is looked at', () => {
  const rare = page([0, 0.3, 1], { expected: [1, 0.5, 0.05] })
  const rows = trainingSet([rare], 'by row')
  expect([...rows.labels]).toEqual([0, 1, 4])
  expect([...rows.groups]).toEqual([3])
  // Clipped at 10.
  expect([...rows.weights]).toEqual([1, 2, 10])
  expect([...trainingSet([rare], 'by page').weights]).toEqual([6, 6, 6])
  expect([...rows.features]).toEqual([1, 10, 2, 20, 3, 30])
})
