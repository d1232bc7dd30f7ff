import { describe, expect, it } from 'vitest'
import type { Impression } from '../../../src/learn/facts.ts'
import {
  dealTeams,
  drawnScores,
  drawOrder,
  isDrawn,
  propensitiesOf,
} from '../../../src/learn/impressions/draw.ts'
import { propensities } from '../../../src/learn/impressions/exploration.ts'

// Neither falling nor without ties: a model may have ranked the first among their own places.
const SCORES = [0.9, 0.8, 0.85, 0.5, 0.5, 0.49, 0.3, 0.2, 0.2, 0.1, 0.05, 0.01]

function shown(scores: number[], order: number[], exploration: Impression['exploration']) {
  return { scores: order.map((at) => scores[at] ?? 0), exploration } as Impression
}

describe('the probabilities of a page that may have been drawn', () => {
  it.each([
    { relative: false, scores: SCORES },
    { relative: true, scores: SCORES.map((score) => score * 17) },
    { relative: true, scores: SCORES.slice(0, 2).map((score) => -score) },
  ])('follow from what is logged of it: %o', ({ relative, scores }) => {
    let drawn = 0
    for (let seed = 1; seed <= 200; seed++) {
      const settings = { seed, epsilon: 0.5, temperature: 0.1 }
      const span = relative ? Math.max(...scores.map(Math.abs)) : 1
      const explored = isDrawn(settings)
      const greedy = scores.map((_, at) => at)
      const order = explored ? drawOrder(scores, { ...settings, relative }) : greedy
      if (explored) drawn += 1
      const known = propensities({
        scores: scores.map((score) => score / span),
        order,
        ...settings,
      })
      const logged = { ...settings, relative, explored, ...(explored ? { order } : {}) }
      const told = propensitiesOf(shown(scores, order, logged))
      expect(told).toEqual(known.map((share) => Number(share.toPrecision(6))))
    }
    expect(drawn).toBeGreaterThan(60)
    expect(drawn).toBeLessThan(140)
  })

  it('are those that were logged, in impressions of before', () => {
    const exploration = { seed: 1, epsilon: 0.5, temperature: 0.1, explored: true, relative: false }
    const before = { ...exploration, propensities: [0.25, 0.5] }
    expect(propensitiesOf(shown([3, 2, 1], [1, 0, 2], before))).toEqual([0.25, 0.5, 1])
  })
})

describe('pinned hits', () => {
  const rest = SCORES.slice(0, 5)
  const settings = { epsilon: 0.5, temperature: 0.1, relative: true }

  it('keep their places, and the others are drawn as though these were not there', () => {
    const orders = new Set<string>()
    for (let seed = 1; seed <= 100; seed++) {
      const order = drawOrder([4, 3, ...rest], { ...settings, seed, pinned: 2 })
      expect(order.slice(0, 2)).toEqual([0, 1])
      orders.add(order.join())
    }
    expect(orders.size).toBeGreaterThan(10)
    const [first, second, ...others] = drawnScores([4, 3, ...rest], { ...settings, pinned: 2 })
    expect(others).toEqual(drawnScores(rest, settings))
    expect(first).toBeGreaterThan(second ?? 0)
    expect(drawOrder([4, 3, 2], { ...settings, seed: 1, pinned: 3 })).toEqual([0, 1, 2])
  })

  it('are surely where they stand, and the others as likely as without them', () => {
    for (const order of [undefined, [0, 1, 4, 2, 3, 6, 5]]) {
      const logged = {
        ...settings,
        seed: 1,
        explored: order !== undefined,
        ...(order && { order }),
      }
      const greedy = rest.map((_, at) => at)
      const moved = order?.slice(2).map((place) => place - 2)
      const told = propensitiesOf(
        shown([4, 3, ...rest], order ?? [0, 1, ...greedy.map((at) => at + 2)], {
          ...logged,
          pinned: 2,
        }),
      )
      const alone = propensitiesOf(
        shown(rest, moved ?? greedy, { ...logged, ...(moved && { order: moved }) }),
      )
      expect(told).toEqual([1, 1, ...alone])
    }
  })
})

it('hits that only one of two rankings could still supply are dealt without a team', () => {
  const deal = dealTeams(['y', 'z', 'x', 'v', 'w'], ['x', 'y'], { seed: 5, depth: 5 })
  expect(deal.places).toHaveLength(5)
  expect(deal.teams).toMatch(/^(ab|ba)---$/)
})

describe('two rankings dealt into one list', () => {
  const a = Array.from({ length: 12 }, (_, at) => `d${at}`)

  it.each([
    ['the same order', a],
    ['another order', [...a].reverse()],
    ['hits that a has further down, or not at all', ['d11', 'new', 'd9', 'd1', 'd0']],
    ['nothing', []],
  ])('hold the hits of a: b has %s', (_, b) => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const { places, teams } = dealTeams(a, b, { seed, depth: 8 })
      const dealt = places.map(([ranking, at]) => (ranking === 0 ? a[at] : b[at]))
      expect(dealt.slice(0, 8).sort()).toEqual(a.slice(0, 8))
      expect(dealt.slice(8)).toEqual(a.slice(8))
      expect(teams).toHaveLength(a.length)
      expect(teams.slice(8)).toBe('----')
      const suppliers = places.slice(0, 8).map(([ranking]) => (ranking === 0 ? /[a-]/ : /b/))
      for (const [place, supplier] of suppliers.entries()) expect(teams[place]).toMatch(supplier)
    }
  })

  it('put the first of b, as far as it is among those of a, first in half of the lists', () => {
    const lists = Array.from({ length: 100 }, (_, seed) =>
      dealTeams(a, ['d11', 'd3', 'd0'], { seed, depth: 8 }),
    )
    const firsts = lists.filter(({ places: [first] }) => first?.[0] === 1 && first[1] === 1)
    expect(firsts.length).toBeGreaterThan(30)
    expect(firsts.length).toBeLessThan(70)
  })
})
