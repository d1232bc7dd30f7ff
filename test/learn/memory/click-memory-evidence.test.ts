import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addEvidence,
  type DailyEvidence,
  examinationOf,
  gainOf,
  weighEvidence,
} from '../../../src/learn/memory/click-memory-evidence.ts'

const change = fc.record({
  day: fc.integer({ min: 20_000, max: 20_025 }),
  gain: fc.integer({ min: 0, max: 3_000_000 }),
  examination: fc.integer({ min: 0, max: 1_000_000 }),
})

function fold(changes: { day: number; gain: number; examination: number }[]): DailyEvidence {
  let evidence: DailyEvidence = []
  for (const { day, gain, examination } of changes)
    evidence = addEvidence(evidence, day, gain, examination)
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
      for (const { day, gain, examination } of taken) {
        evidence = addEvidence(evidence, day, -gain, 0)
        evidence = addEvidence(evidence, day, 0, -examination)
      }
      expect(evidence).toEqual(fold(kept))
    }),
  )
})

it('what is taken from a day that has nothing is not owed to it', () => {
  expect(addEvidence([], 5, -1, 2)).toEqual([5, 0, 2])
  expect(addEvidence([4, 1, 1], 5, 2, -1)).toEqual([4, 1, 1, 5, 2, 0])
  expect(addEvidence([4, 1, 1], 5, -2, -1)).toEqual([4, 1, 1])
})

it('days beyond the bound join the next, and nothing is lost', () => {
  const changes = Array.from({ length: 100 }, (_, day) => ({ day, gain: 1, examination: 2 }))
  const evidence = fold(changes)
  expect(evidence).toHaveLength(32 * 3)
  expect(evidence.slice(0, 6)).toEqual([68, 69, 138, 69, 1, 2])
  expect([gainOf(evidence), examinationOf(evidence)]).toEqual([100, 200])
  expect(gainOf(addEvidence(evidence, 3, -1, 0))).toBe(99)
})

it('each day weighs what its age leaves of it; days to come weigh like today', () => {
  const evidence = fold([
    { day: 10, gain: 1_000_000, examination: 2_000_000 },
    { day: 12, gain: 1_000_000, examination: 0 },
    { day: 15, gain: 500_000, examination: 0 },
  ])
  const weighed = weighEvidence(evidence, 14, 2 * 86_400_000)
  expect(weighed).toEqual({ gain: 0.25 + 0.5 + 0.5, examination: 0.5 })
})
