import { describe, expect, it } from 'vitest'
import type { Impression } from '../../../src/learn/facts.ts'
import {
  dealTeams,
  drawOrder,
  isDrawn,
  propensitiesOf,
  spanOf,
} from '../../../src/learn/impressions/draw.ts'
import { propensities } from '../../../src/learn/impressions/exploration.ts'

// Neither falling nor without ties: a model may have ranked the first among their own places.
const SCORES = [0.9, 0.8, 0.85, 0.5, 0.5, 0.49, 0.3, 0.2, 0.2, 0.1, 0.05, 0.01]

function shown(scores: number[], order: number[], exploration: Impression['exploration']) {
  const hits = order.map((at) => ({ indexId: 1, id: `d${at}`, score: scores[at] ?? 0 }))
  return { hits, exploration } as Impression
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
      const span = relative ? spanOf(scores) : 1
      const explored = isDrawn(settings)
      const greedy = scores.map((_, at) => at)
      const order = explored ? drawOrder(scores, settings, span) : greedy
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

it('hits that only one of two rankings could still supply are dealt without a team', () => {
  const deal = dealTeams(['x', 'y'], ['y', 'z', 'x', 'v', 'w'], 5)
  expect(deal.places).toHaveLength(5)
  expect(deal.teams).toMatch(/^(ab|ba)---$/)
})
