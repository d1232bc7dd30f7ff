import { describe, expect, it } from 'vitest'
import {
  alwaysValid,
  guardrail,
  limitGuardrail,
  steadyContrast,
} from '../../../src/learn/statistics/always-valid.ts'
import { compare } from '../../../src/learn/statistics/compare.ts'
import { contrastOf, estimateOf } from '../../../src/learn/statistics/estimate.ts'
import { type Random, seeded } from '../../../src/learn/statistics/random.ts'
import type { UnitSums } from '../../../src/learn/statistics/sums.ts'

describe('the always-valid interval', () => {
  /**
   * The boundary written out in Python from the paper, its ρ by bisection on s = ln((s + 1)/α²), its p value by
   * bisection on the level at which the interval touches 0. Standard error .01.
   */
  it.each([
    [500, 0.038232183330378006, 0.03, 0.17739960732118668],
    [500, 0.038232183330378006, 0.05, 0.004812037852214366],
    [5000, 0.030351224130285515, 0.03, 0.05495430379039069],
    [5000, 0.030351224130285515, 0.05, 4.3934187209440885e-5],
    [50_000, 0.03246310754613128, 0.03, 0.1069150756705263],
    [50_000, 0.03246310754613128, 0.05, 3.9489581339748585e-5],
  ])('after %i units is ± %d', (units, width, difference, p) => {
    const read = alwaysValid({ units, difference, standardError: 0.01 })
    expect(read.high - difference).toBeCloseTo(width, 12)
    expect(difference - read.low).toBeCloseTo(width, 12)
    expect(Math.abs(read.p / p - 1)).toBeLessThan(1e-9)
  })

  it('is the narrowest against a fixed-horizon one at 5 000 units', () => {
    const width = (units: number) => alwaysValid({ units, difference: 0, standardError: 0.01 }).high
    expect(width(5000)).toBeLessThan(width(4990))
    expect(width(5000)).toBeLessThan(width(5010))
  })

  it('excludes 0 exactly when its p value is below .05', () => {
    for (const difference of [-0.031, -0.0303, 0, 0.0303, 0.0304, 0.2]) {
      const read = alwaysValid({ units: 5000, difference, standardError: 0.01 })
      expect(read.low > 0 || read.high < 0).toBe(read.p < 0.05)
    }
  })
})

describe('the guardrail', () => {
  const arm = (value: number) => ({ units: 2500, value, variance: 0.125 })

  it('is the one-sided boundary', () => {
    // The boundary written out in Python from the paper; standard error .01, 5 000 units.
    const read = guardrail({ control: arm(0.5), treatment: arm(0.47), harm: 'decrease' })!
    expect(read.harmAtLeast).toBeCloseTo(0.03 - 0.027785153234980133, 12)
    expect(read.breached).toBe(true)
    expect(read.p).toBeLessThan(0.05)
  })

  it('looks one way only, and past what is tolerated', () => {
    const worse = { control: arm(0.5), treatment: arm(0.4) }
    expect(guardrail({ ...worse, harm: 'decrease' })!.breached).toBe(true)
    expect(guardrail({ ...worse, harm: 'increase' })!.breached).toBe(false)
    expect(guardrail({ ...worse, harm: 'decrease', tolerance: 0.1 })!.breached).toBe(true)
    expect(guardrail({ ...worse, harm: 'decrease', tolerance: 0.2 })!.breached).toBe(false)
  })

  it('says nothing with few units', () => {
    const few = { units: 49, value: 0, variance: 1 }
    expect(guardrail({ control: arm(1), treatment: few, harm: 'decrease' })).toBeUndefined()
  })
})

describe('a fixed limit', () => {
  const arm = { units: 5000, value: 0.53, variance: 0.5 }

  it('is the same boundary, of one arm alone', () => {
    // The standard error is .01, and 5 000 units are those of the arm.
    const read = limitGuardrail({ treatment: arm, harm: 'increase', limit: 0.5 })!
    expect(read.harmAtLeast).toBeCloseTo(0.03 - 0.027785153234980133, 12)
    expect(read).toMatchObject({ breached: true })
    const other = { treatment: arm, limit: 0.5, harm: 'decrease' } as const
    expect(limitGuardrail(other)!).toMatchObject({ breached: false, p: 1 })
    expect(limitGuardrail({ ...other, treatment: { ...arm, units: 49 } })).toBeUndefined()
  })

  it('is not crossed by an arm that lies on it but for rounding, in the sum or in the limit', () => {
    for (const [value, limit] of [
      [0.1 + 0.2, 0.3],
      [0.7, 1.1 + 2.2 - 2.6],
    ] as const)
      for (const harm of ['increase', 'decrease'] as const) {
        const treatment = { units: 90, value, variance: 0 }
        expect(limitGuardrail({ treatment, harm, limit })).toMatchObject({ breached: false, p: 1 })
        const control = { ...treatment, value: limit }
        expect(guardrail({ control, treatment, harm })).toMatchObject({ breached: false, p: 1 })
      }
  })

  it('is not crossed by an arm in which nothing happened yet, while something does in control', () => {
    const idle = { units: 60, value: 0, variance: 0 }
    const request = { treatment: idle, harm: 'decrease', limit: 0.02 } as const
    expect(limitGuardrail(request)!.breached).toBe(true)
    const control = { units: 60, value: 0.05, variance: 0.0475 }
    expect(limitGuardrail({ ...request, control })!.breached).toBe(false)
  })

  it.each(['decrease', 'increase'] as const)(
    'is rarely taken to be crossed by an arm that lies on it, looking for a %s, where its value is in nearly each',
    (harm) => {
      const tests = 400
      const random = seeded(6)
      const ever = { beyond: 0, value: 0 }
      for (let test = 0; test < tests; test += 1) {
        const arms = [emptyArm(), emptyArm()]
        let [beyond, value] = [false, false]
        for (let unit = 1; unit <= 4000; unit += 1) {
          count(arms[unit % 2]!, clicksPerSearch(random))
          if (unit % 20 > 0 || unit < 100) continue
          const [control, treatment] = arms.map((sums) => estimateOf(sums)!)
          // A unit's mean rate is .35.
          beyond ||= limitGuardrail({ control, treatment: treatment!, harm, limit: 0.35 })!.breached
          value ||= harm === 'increase' ? treatment!.value > 0.35 : treatment!.value < 0.35
        }
        ever.beyond += beyond ? 1 / tests : 0
        ever.value += value ? 1 / tests : 0
      }
      expect(ever.beyond).toBeLessThanOrEqual(0.05)
      expect(ever.value).toBeGreaterThan(0.8)
    },
  )
})

interface Alarms {
  alwaysValid: number
  guardrail: number
  naive: number
}

interface Design {
  /** Share of units in control. */
  share: number
  draw: (random: Random) => { x: number; y: number }
}

/** Share of A/A tests, each read 100 times while it grows to 5 000 units, that ever alarm. */
function everAlarmed({ share, draw }: Design, seed: number): Alarms {
  const tests = 2000
  const random = seeded(seed)
  const alarms = { alwaysValid: 0, guardrail: 0, naive: 0 }
  for (let test = 0; test < tests; test += 1) {
    const arms = [emptyArm(), emptyArm()]
    const ever = { alwaysValid: false, guardrail: false, naive: false }
    for (let look = 0; look < 100; look += 1) {
      for (let unit = 0; unit < 50; unit += 1) count(arms[random() < share ? 0 : 1]!, draw(random))
      if (arms.some(({ units }) => units < 50)) continue
      const control = estimateOf(arms[0]!)!
      const treatment = estimateOf(arms[1]!)!
      const { p } = alwaysValid(steadyContrast(control, treatment))
      const { difference, standardError } = contrastOf(control, treatment)
      ever.alwaysValid ||= p < 0.05
      ever.guardrail ||= guardrail({ control, treatment, harm: 'decrease' })!.breached
      ever.naive ||= Math.abs(difference) > 1.96 * standardError
    }
    for (const alarm of ['alwaysValid', 'guardrail', 'naive'] as const)
      alarms[alarm] += ever[alarm] ? 1 / tests : 0
  }
  return alarms
}

function emptyArm(): UnitSums {
  return { units: 0, x: 0, xx: 0, y: 0, yy: 0, xy: 0 }
}

/** In place: a simulation adds millions. */
function count(sums: UnitSums, { x, y }: { x: number; y: number }): void {
  sums.units += 1
  sums.x += x
  sums.xx += x * x
  sums.y += y
  sums.yy += y * y
  sums.xy += x * y
}

/** Clicks and searches of a unit with its own click rate. */
function clicksPerSearch(random: Random): { x: number; y: number } {
  const rate = 0.1 + 0.5 * random()
  let x = 0
  let y = 0
  do {
    y += 1
    if (random() < rate) x += 1
  } while (random() < 0.6)
  return { x, y }
}

function conversion(random: Random): { x: number; y: number } {
  return { x: random() < 0.03 ? 1 : 0, y: 1 }
}

describe('tests of nothing, read 100 times each', () => {
  it('rarely alarm on clicks per search, where naive p values alarm in every third', () => {
    const alarms = everAlarmed({ share: 0.5, draw: clicksPerSearch }, 1)
    expect(alarms.alwaysValid).toBeLessThanOrEqual(0.05)
    expect(alarms.guardrail).toBeLessThanOrEqual(0.05)
    expect(alarms.naive).toBeGreaterThan(0.25)
  })

  it('rarely alarm on a rare conversion in a small arm, which first has none at all', () => {
    const alarms = everAlarmed({ share: 0.9, draw: conversion }, 2)
    expect(alarms.alwaysValid).toBeLessThanOrEqual(0.05)
    expect(alarms.guardrail).toBeLessThanOrEqual(0.05)
    expect(alarms.naive).toBeGreaterThan(0.25)
  })
})

describe('a test of something', () => {
  it('is found for good by the time it has 5 000 units', () => {
    const random = seeded(4)
    let found = 0
    for (let test = 0; test < 100; test += 1) {
      const control = emptyArm()
      const treatment = emptyArm()
      for (let unit = 0; unit < 2500; unit += 1) {
        count(control, { x: random() < 0.3 ? 1 : 0, y: 1 })
        count(treatment, { x: random() < 0.37 ? 1 : 0, y: 1 })
      }
      if (compare({ control, treatment })!.alwaysValid!.p < 0.05) found += 1
    }
    expect(found).toBeGreaterThan(95)
  })
})
