import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addEvidence,
  type DailyEvidence,
  type EvidenceChange,
  gainOf,
  UNCOUNTED,
  weighEvidence,
} from '../../../src/learn/memory/click-memory-evidence.ts'

const HALF_LIFE = { memoryHalfLifeMs: 30 * 86_400_000 }
const thousands = (max: number) => fc.integer({ min: 0, max }).map((count) => count * 1000)
const change = fc
  .record({
    day: fc.integer({ min: 20_000, max: 20_025 }),
    gain: thousands(3000),
    examination: thousands(1000),
    looks: fc.integer({ min: 0, max: 3 }),
  })
  .map((one): EvidenceChange => ({ ...one, choices: one.gain > 0 ? 1_000_000 : 0 }))

function fold(changes: EvidenceChange[]): DailyEvidence {
  let evidence: DailyEvidence = []
  for (const each of changes) evidence = addEvidence(evidence, each, HALF_LIFE)
  return evidence
}

it('the order of what came does not matter, to the bit', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.integer(), (changes, turn) => {
      const at = changes.length === 0 ? 0 : Math.abs(turn) % changes.length
      const turned = [...changes.slice(at), ...changes.slice(0, at)].reverse()
      expect(fold(turned)).toEqual(fold(changes))
    }),
  )
})

it('what was added can be taken out again exactly', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), fc.array(change), (kept, taken) => {
      let evidence = fold([...kept, ...taken])
      for (const { day, gain, examination, looks, choices } of taken) {
        const chosen = { day, gain: -gain, examination: 0, looks: 0, choices: -choices }
        const seen = { day, gain: 0, examination: -examination, looks: -looks, choices: 0 }
        evidence = addEvidence(addEvidence(evidence, chosen, HALF_LIFE), seen, HALF_LIFE)
      }
      expect(evidence).toEqual(fold(kept))
    }),
  )
})

it('what is taken from a day that has nothing is not owed to it', () => {
  const on = (gain: number, examination: number, looks: number) => {
    return { day: 5, gain, examination, looks, choices: Math.sign(gain) }
  }
  expect(addEvidence([], on(-1, 2, 3), HALF_LIFE)).toEqual([5, 0, 2, 3, 0])
  expect(addEvidence([4, 1, 1, 1, 1], on(2, -1, -1), HALF_LIFE)).toEqual([
    4, 1, 1, 1, 1, 5, 2, 0, 0, 1,
  ])
  expect(addEvidence([4, 1, 1, 1, 1], on(-2, -1, -1), HALF_LIFE)).toEqual([4, 1, 1, 1, 1])
})

it('of a day whose choices were not counted nobody can say how many there are, until all are gone', () => {
  const more = { day: 4, gain: 100, examination: 0, looks: 0, choices: 1 }
  const longer = addEvidence([4, 300, 500, 5, UNCOUNTED], more, HALF_LIFE)
  expect(longer).toEqual([4, 400, 500, 5, UNCOUNTED])
  const less = { ...more, gain: -400, choices: -2 }
  expect(addEvidence(longer, less, HALF_LIFE)).toEqual([4, 0, 500, 5, 0])
})

it('days beyond the bound join the next, and weigh as if they stood apart', () => {
  const each = { gain: 3_000_000, examination: 2_000_000, looks: 4_000_000, choices: 1_000_000 }
  const years = 3 * 365
  const evidence = fold(Array.from({ length: years }, (_, day) => ({ day, ...each })))
  expect(evidence).toHaveLength(32 * 5)
  expect([evidence[0], evidence.at(-5)]).toEqual([years - 32, years - 1])
  const weighed = weighEvidence(evidence, years - 1, { ...HALF_LIFE, chances: { eta: 1 } })
  let apart = 0
  for (let age = 0; age < years; age += 1) apart += 2 ** (-age / 30)
  expect(weighed.gain).toBeCloseTo(3 * apart, 3)
  expect(weighed.examination).toBeCloseTo(2 * apart, 3)
  expect([weighed.looks / 4, weighed.choices]).toEqual([
    expect.closeTo(apart, 3),
    expect.closeTo(apart, 3),
  ])
  // What joined another day comes out of that one, as much as is left of it there.
  const taken = { day: years - 62, gain: -3_000_000, examination: 0, looks: 0, choices: 0 }
  expect(gainOf(evidence) - gainOf(addEvidence([...evidence], taken, HALF_LIFE))).toBe(1_500_000)
})

it('what rounding leaves of days that joined others is nothing once all is taken out again', () => {
  const each = { gain: 1_000_000, examination: 300_000, looks: 300_000, choices: 1_000_000 }
  const days = Array.from({ length: 400 }, (_, day) => ({ day, ...each }))
  const less = { gain: -1_000_000, examination: -300_000, looks: -300_000, choices: -1_000_000 }
  let evidence = fold(days)
  for (const { day } of days) evidence = addEvidence(evidence, { day, ...less }, HALF_LIFE)
  expect(evidence).toEqual([])
})

it('the choices of days that were not counted stay uncounted where they join another', () => {
  const each = { gain: 1_000_000, examination: 0, looks: 0 }
  const choicesOn = (day: number) => (day === 0 ? UNCOUNTED : 1_000_000)
  const days = Array.from({ length: 33 }, (_, day) => ({ day, ...each, choices: choicesOn(day) }))
  expect(fold(days).slice(0, 5)).toEqual([1, 1_977_160, 0, 0, UNCOUNTED])
})

it('each day weighs what its age leaves of it; days to come weigh like today', () => {
  const evidence = fold([
    { day: 10, gain: 1_000_000, examination: 2_000_000, looks: 4_000_000, choices: 2_000_000 },
    { day: 12, gain: 1_000_000, examination: 0, looks: 0, choices: UNCOUNTED },
    { day: 15, gain: 500_000, examination: 0, looks: 0, choices: 1_000_000 },
  ])
  const weighed = weighEvidence(evidence, 14, {
    memoryHalfLifeMs: 2 * 86_400_000,
    chances: { eta: 1 },
  })
  const gain = 0.25 + 0.5 + 0.5
  expect(weighed).toEqual({ gain, examination: 0.5, looks: 1, choices: 1.5, uncounted: 0.5 })
})

it('looks at one position weigh 1/p^η whatever η is; those at several as if all had been at their middle', () => {
  const weigh = (looks: [position: number, count: number][], eta: number) => {
    const changes = looks.map(([position, count]) => {
      const each = count * 1_000_000
      return { day: 1, gain: 0, examination: each / position, looks: each, choices: 0 }
    })
    return weighEvidence(fold(changes), 1, { memoryHalfLifeMs: 1, chances: { eta } }).examination
  }
  for (const eta of [0, 0.5, 1, 2]) expect(weigh([[4, 3]], eta)).toBeCloseTo(3 * 4 ** -eta, 12)
  expect(
    weigh(
      [
        [1, 2],
        [4, 2],
      ],
      0,
    ),
  ).toBe(4)
  expect(
    weigh(
      [
        [1, 2],
        [4, 2],
      ],
      1,
    ),
  ).toBe(2.5)
  expect(
    weigh(
      [
        [1, 2],
        [4, 2],
      ],
      2,
    ),
  ).toBeCloseTo(4 * (2.5 / 4) ** 2, 12)
})

it('looks weigh by the chance of their position, where it is another than η has it', () => {
  const places = [1, 1, 1, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01]
  const weighed = (position: number, looks: number) => {
    const each = looks * 1_000_000
    const seen = { examination: each / position, looks: each }
    const evidence = fold([{ day: 1, gain: 0, ...seen, choices: 0 }])
    const weighing = { memoryHalfLifeMs: 1, chances: { eta: 1, places } }
    return weighEvidence(evidence, 1, weighing).examination
  }
  expect(weighed(1, 2)).toBe(2)
  expect(weighed(3, 6)).toBeCloseTo(6, 12)
  expect(weighed(4, 8)).toBeCloseTo(0.16, 12)
  // Behind the tenth it goes on falling.
  expect(weighed(20, 10)).toBeCloseTo(0.05, 12)
})

it('evidence from before looks were counted weighs what it did', () => {
  const before = [1, 0, 250_000, 250_000, 0]
  for (const eta of [0, 1, 2])
    expect(weighEvidence(before, 1, { memoryHalfLifeMs: 1, chances: { eta } }).examination).toBe(
      0.25,
    )
})
