import { describe, expect, it } from 'vitest'
import type { FeedbackFact, Impression } from '../../../src/learn/facts.ts'
import { drawOrder, isDrawn } from '../../../src/learn/impressions/draw.ts'
import { marginalRows } from '../../../src/learn/impressions/exploration.ts'
import { openExamination, swapWeights } from '../../../src/learn/memory/examination.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'

const NOW_MS = 20_000 * 86_400_000 + 5

function shown(scores: readonly number[], order: readonly number[], draw: object): Impression {
  return {
    queryId: 'q',
    from: 0,
    scores: order.map((place) => scores[place]),
    exploration: draw,
  } as Impression
}

describe('the weights of pairs that might have been swapped', () => {
  it('are the share of the swapped order, from the exact probabilities of the draw', () => {
    const scores = [0.5, 0.45]
    const draw = { epsilon: 0.4, temperature: 0.1, relative: false }
    // P(first stays first) under the draw alone, by the dynamic programme.
    const stays = marginalRows(scores, 0.1)[0] as number
    const greedy = 0.6 + 0.4 * stays
    const swapped = 0.4 * (1 - stays)
    expect(swapWeights(shown(scores, [0, 1], draw))[0]).toBeCloseTo(swapped, 12)
    expect(swapWeights(shown(scores, [1, 0], draw))[0]).toBeCloseTo(greedy, 12)
  })

  it('are in the span of the draw, also below zero: the greatest score of the page, whatever its sign', () => {
    const scores = [-1, -2, ...Array.from({ length: 10 }, (_, at) => -10 - at)]
    const order = scores.map((_, at) => at)
    const draw = { epsilon: 0.4, temperature: 0.1, relative: true }
    const scaled = scores.map((score) => score / 19)
    const same = swapWeights(shown(scaled, order, { ...draw, relative: false }))
    const weights = swapWeights(shown(scores, order, draw))
    expect(weights).toHaveLength(9)
    for (const [at, weight] of weights.entries()) expect(weight).toBeCloseTo(same[at] as number, 12)
  })

  it('are there for neighbours among the first ten, and nothing for equal scores', () => {
    const draw = { epsilon: 1, temperature: 0.1, relative: true }
    const scores = Array.from({ length: 14 }, (_, at) => 20 - at)
    const order = scores.map((_, at) => at)
    expect(swapWeights(shown(scores, order, draw))).toHaveLength(9)
    expect(swapWeights(shown([1, 1], [0, 1], draw))).toEqual([0])
    expect(swapWeights(shown([0, 0], [0, 1], draw))).toEqual([0])
    expect(swapWeights(shown([7], [0], draw))).toEqual([])
  })
})

it('only clicks of who searched count, on a first page: hits of further ones stand elsewhere than the weights say', async () => {
  const store = temporaryStore()
  const examination = openExamination(store)
  const clickOn = (from: number, unit = 'u') => {
    const draw = { seed: 1, epsilon: 1, temperature: 0.1, relative: false }
    const impression = { ...shown([0.5, 0.45], [0, 1], draw), from, unit: 'u' }
    const entry = { status: 'learned', action: 'click' }
    const fact = { kind: 'feedback', receivedMs: NOW_MS, entry, unit, impression, hit: 0 }
    examination.take(fact as FeedbackFact)
  }
  await store.write(() => {
    for (const from of [10, 0, 20]) clickOn(from)
    clickOn(0, 'another')
    examination.save()
  })
  expect(examination.estimate(0)).toMatchObject({ samples: 1 })
})

it('one pair says how fast the chance falls, within 1.96 standard errors', async () => {
  const store = temporaryStore()
  const first = (value: number) => [value, ...new Array<number>(8).fill(0)]
  const sums = { upper: first(200), upperSquares: first(160), lower: first(100) }
  await store.write(() =>
    store.tables.examinations.put(3, { ...sums, lowerSquares: first(80), clicks: 300 }),
  )
  const { eta = 0, low = 0, high = 0, samples } = openExamination(store).estimate(0)
  // log(200 / 100) = η · log 2, with the variance 160 / 200² + 80 / 100²
  const error = Math.sqrt(0.004 + 0.008) / Math.log(2)
  expect([eta, samples]).toEqual([1, 300])
  expect(high - eta).toBeCloseTo(1.96 * error, 10)
  expect(eta - low).toBeCloseTo(1.96 * error, 10)
})

/** Searches whose orders are drawn, and people who look at position p with 1/p^η. */
async function simulate(
  eta: number,
  searches: number,
  seed: number,
  store: Store = temporaryStore(),
) {
  const epsilon = 0.5
  const examination = openExamination(store)
  const random = seeded(seed)
  await store.write(() => {
    examination.reset?.()
    for (let search = 0; search < searches; search += 1) {
      const scores = Array.from({ length: 6 }, () => random()).sort((a, b) => b - a)
      // The better the score the better the document, or clicks would tell nothing wrong anyway.
      const worth = scores.map((score) => 0.05 + 0.8 * score * random())
      const settings = { seed: Math.floor(random() * 2 ** 32), epsilon, temperature: 0.2 }
      const greedy = scores.map((_, at) => at)
      const order = isDrawn(settings) ? drawOrder(scores, { ...settings, relative: false }) : greedy
      const impression = shown(scores, order, { ...settings, relative: false })
      for (const [hit, place] of order.entries())
        if (random() < (worth[place] as number) * (hit + 1) ** -eta)
          examination.take({
            kind: 'feedback',
            sequence: 1,
            receivedMs: NOW_MS,
            sessionId: 's',
            unit: 'u',
            entry: {
              ...{ signalId: 'g', queryId: 'q', action: 'click', rating: 1, timeMs: NOW_MS },
              status: 'learned',
            },
            impression,
            hit,
          })
    }
    examination.save()
  })
  return examination.estimate(NOW_MS)
}

describe('the estimate', () => {
  it.each([0.5, 1, 1.5])(
    'finds an η of %d within its interval, which is narrow enough',
    async (eta) => {
      const { low = 0, high = 0, samples } = await simulate(eta, 20_000, 11)
      expect(low).toBeLessThan(eta)
      expect(high).toBeGreaterThan(eta)
      expect(high - low).toBeLessThan(0.3)
      expect(samples).toBeGreaterThan(10_000)
    },
  )

  it('covers the truth about as often as it says', async () => {
    const store = temporaryStore()
    let covered = 0
    for (let run = 0; run < 40; run += 1) {
      const { low = 0, high = 0 } = await simulate(1, 1000, 100 + run, store)
      if (low < 1 && high > 1) covered += 1
    }
    // 95 % of 40 is 38; five standard deviations below.
    expect(covered).toBeGreaterThan(31)
  })

  it('says nothing from a few clicks', async () => {
    expect(await simulate(1, 10, 5)).toMatchObject({ eta: undefined, low: undefined })
  })
})
