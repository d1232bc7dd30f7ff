import { expect, it } from 'vitest'
import {
  type DailyEvidence,
  MILLION,
  UNCOUNTED,
} from '../../../src/learn/memory/click-memory-evidence.ts'
import { scoreAt, writeValues } from '../../../src/learn/memory/click-scores.ts'
import { DAY_MS } from '../learner.ts'

const SETTINGS = {
  ...{ memoryStrength: 6, memoryPriorWeight: 5, memoryPriorRate: 0.05, memoryHalfLifeMs: DAY_MS },
  ...{ chances: { eta: 1 }, clickGain: 0.3 },
}
const TODAY = 20_000

/** A document that was shown so often at a position, and chosen as often as clicks of that gain are. */
function shown(
  position: number,
  looks: number,
  gain: number,
  choices = gain / SETTINGS.clickGain,
): DailyEvidence {
  return [TODAY, gain, looks / position, looks, choices].map((each, at) =>
    at === 0 ? each : each * MILLION,
  )
}

function scored(documents: DailyEvidence[], settings: object = {}, day = TODAY) {
  const all = { ...SETTINGS, ...settings }
  const scores = documents.map((_, at) => scoreAt(at, documents, day, all))
  const values = new Float64Array(documents.length)
  expect(writeValues(documents, day, all, values)).toBe(documents.length)
  expect([...values]).toEqual(scores.map(({ value }) => value))
  return scores
}

/** Clicks on the first places of a page that one person was shown. */
function page(...clicked: number[]): DailyEvidence[] {
  return Array.from({ length: 10 }, (_, at) => shown(at + 1, 1, clicked.includes(at + 1) ? 0.3 : 0))
}

it('one click is worth the same wherever the hit stood: who clicked has looked', () => {
  const first = scored(page(1))[0]
  const last = scored(page(10))[9]
  expect(first).toMatchObject({ gain: 0.3, examination: 1 })
  expect(last).toMatchObject({ gain: 0.3, examination: 1 })
  expect(first?.value).toBeCloseTo(6 * ((0.3 + 5 * 0.05) / 6 - 0.05), 9)
  expect(last?.value).toBeCloseTo(first?.value ?? 0, 9)
})

it('who bought has looked as often as who clicked, or came back at once: once', () => {
  const others = [shown(1, 20, 1.5), shown(2, 20, 0)]
  const byGain = [0.1, 0.3, 1].map((each) => scored([...others, shown(10, 20, 4 * each, 4)]))
  const [short, clicked, bought] = byGain.map((page) => page[2])
  expect(clicked?.examination).toBeGreaterThan(4)
  expect(short?.examination).toBe(clicked?.examination)
  expect(bought?.examination).toBe(clicked?.examination)
  expect(bought?.value).toBeGreaterThan(clicked?.value ?? 1)
  expect(short?.value).toBeLessThan(clicked?.value ?? 0)
  // Nor do those who bought say more than others of who looked at what else is there.
  for (const page of byGain) expect(page[1]?.examination).toBe(byGain[0]?.[1]?.examination)
  // Not more often than it was shown, though it was chosen again later.
  expect(scored([shown(10, 1, 1, 2)])[0]?.examination).toBeCloseTo(1, 9)
})

it('of gains from before choices were counted each is as many as clicks would be', () => {
  const looks = (gain: number, count: number, settings = {}) =>
    scored([shown(10, count, gain, UNCOUNTED)], settings)[0]?.examination ?? 0
  expect(looks(0.6, 20)).toBe(scored([shown(10, 20, 0.6)])[0]?.examination)
  expect(looks(1, 1)).toBeCloseTo(1, 9)
  expect(looks(0.1, 1)).toBeLessThan(0.45)
  // Where clicks are worth something else, or nothing.
  expect(looks(1, 10, { clickGain: 1 })).toBeGreaterThan(1)
  expect(looks(1, 10, { clickGain: 1 })).toBeLessThan(2)
  expect(looks(1, 10, { clickGain: 0 })).toBeCloseTo(looks(1, 10, { clickGain: 1 }), 9)
})

it('where people click on all that they look at, no click says that nobody looked', () => {
  const shownFar = shown(10, 60, 0)
  const dense = Array.from({ length: 9 }, (_, at) => shown(at + 1, 60, (0.3 * 60) / (at + 1)))
  const sparse = dense.map((_, at) => shown(at + 1, 60, at === 4 ? (0.3 * 60) / 5 : 0))
  const [inDense, inSparse] = [dense, sparse].map((page) => scored([...page, shownFar])[9])
  // Six may have looked.
  expect(inSparse?.examination).toBeGreaterThan(5)
  expect(inDense?.examination).toBeLessThan(3)
  expect(inDense?.value).toBeGreaterThan(inSparse?.value ?? 0)
  // What stands first has been looked at, whatever people do.
  expect(scored([...dense, shown(1, 60, 0)])[9]?.examination).toBe(60)
})

it('more gain never scores less, nor more looks without a gain more', () => {
  const others = [shown(1, 10, 2), shown(3, 10, 0.3)]
  const value = (looks: number, gain: number) =>
    scored([...others, shown(2, looks, gain)])[2]?.value ?? 0
  const byGain = Array.from({ length: 40 }, (_, at) => value(12, at * 0.15))
  expect(byGain).toEqual(byGain.toSorted((a, b) => a - b))
  const byLooks = Array.from({ length: 40 }, (_, at) => value(at + 1, 0))
  expect(byLooks).toEqual(byLooks.toSorted((a, b) => b - a))
})

it('a third of an examination without a gain is none; more, or a gain, is what it is', () => {
  const of = (evidence: DailyEvidence, day = TODAY) =>
    scored([evidence, shown(1, 1, 0.3)], {}, day)[0]
  expect(of(shown(3, 1, 0))).toEqual({
    ...{ value: 0, gain: 0, examination: 0, rate: 0.05 },
  })
  expect(of([TODAY, 0, 333_334, MILLION, 0])?.value).toBeLessThan(0)
  expect(of(shown(3, 1, 0.3))?.value).toBeGreaterThan(0)
  // A day later half of it is left.
  expect(of(shown(2, 1, 0))?.examination).toBeGreaterThan(0.4)
  expect(of(shown(2, 1, 0), TODAY + 1)?.examination).toBe(0)
})

it('evidence from before looks were counted weighs as it did', () => {
  const before = [TODAY, 300_000, 250_000, 250_000, UNCOUNTED]
  expect(scored([before])[0]?.examination).toBe(0.25)
})
