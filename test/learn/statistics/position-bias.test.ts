import { expect, it } from 'vitest'
import {
  addScores,
  expectedEta,
  likelyEta,
  noScores,
  type PositionScores,
} from '../../../src/learn/statistics/position-bias.ts'

/** So many clicks at each of two places, on hits that stood at either with these chances. */
function clicked(upper: number, lower: number, chances: [number, number]): PositionScores {
  const scores = noScores()
  for (let at = 0; at < upper; at += 1) addScores(scores, 0, chances)
  for (let at = 0; at < lower; at += 1) addScores(scores, 1, chances)
  return scores
}

const BOUNDS = [0, 2] as const

it('of two places that a hit had alike, the upper one is clicked 2^η times as often', () => {
  const { eta = 0, error = 0 } = likelyEta(clicked(200, 100, [0.5, 0.5])) ?? {}
  expect(eta).toBeCloseTo(1, 2)
  // Each click is one of two kinds, with a variance of 1/3 · 2/3 of log 2.
  expect(error).toBeCloseTo(1 / (Math.log(2) * Math.sqrt((300 * 2) / 9)), 2)
  expect(likelyEta(clicked(100, 100, [0.5, 0.5]))?.eta).toBeCloseTo(0, 2)
})

it('where a hit stood seldom, a click counts the more', () => {
  // A tenth of the searches showed it below: as many clicks there as the share says are an η of 0.
  expect(likelyEta(clicked(900, 100, [0.9, 0.1]))?.eta).toBeCloseTo(0, 2)
  expect(likelyEta(clicked(900, 25, [0.9, 0.1]))?.eta).toBeCloseTo(2, 2)
})

it('a hit that could stand in one place only says nothing', () => {
  expect(clicked(5, 0, [1, 0])).toEqual(noScores())
  expect(likelyEta(noScores())).toBeUndefined()
})

it('what is beyond all bounds is not told, but reckoned with at its bound', () => {
  const always = clicked(100, 0, [0.5, 0.5])
  const never = clicked(0, 100, [0.5, 0.5])
  expect(likelyEta(always)).toBeUndefined()
  expect(likelyEta(never)).toBeUndefined()
  const expected = { mean: 1, deviation: 0.5 }
  expect(expectedEta({ ...always, parts: always.places }, expected, BOUNDS)).toBe(2)
  expect(expectedEta({ ...never, parts: never.places }, expected, BOUNDS)).toBe(0)
})

it('few clicks move what is expected a little, many to what they say', () => {
  const expected = { mean: 1, deviation: 0.5 }
  const after = (clicks: number) => {
    const { places } = clicked(clicks, clicks, [0.5, 0.5])
    return expectedEta({ places, parts: places }, expected, BOUNDS)
  }
  expect(expectedEta(noScores(), expected, BOUNDS)).toBeCloseTo(1, 12)
  expect(after(1)).toBeGreaterThan(0.9)
  expect(after(20)).toBeLessThan(0.5)
  expect(after(10_000)).toBeCloseTo(0, 2)
})

it('who looks at the first three alike and at nothing else is not taken to look further down', () => {
  const scores = noScores()
  const alike = new Array<number>(10).fill(0.1)
  const near = [...new Array<number>(3).fill(0.33), ...new Array<number>(7).fill(0.01 / 7)]
  for (let at = 0; at < 300; at += 1) addScores(scores, at % 3, near)
  expect(likelyEta(scores)?.eta).toBeLessThan(0.5)
  expect(expectedEta(scores, { mean: 1, deviation: 0.5 }, BOUNDS)).toBe(1)
  // Where people look as the model has it, both say the same.
  const even = noScores()
  for (let place = 0; place < 10; place += 1)
    for (let click = 0; click < 2520 / (place + 1); click += 1) addScores(even, place, alike)
  expect(likelyEta(even)?.eta).toBeCloseTo(1, 2)
  expect(likelyEta({ ...even, places: even.parts })?.eta).toBeCloseTo(1, 2)
})
