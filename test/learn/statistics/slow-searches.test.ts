import { describe, expect, it } from 'vitest'
import {
  LATENCY_BUCKETS,
  latencyBucket,
  latencyQuantile,
} from '../../../src/learn/statistics/latency-histogram.ts'
import { gumbel, type Random, seeded } from '../../../src/learn/statistics/random.ts'
import {
  slowerThanControl,
  slowerThanLimit,
  slowShares,
} from '../../../src/learn/statistics/slow-searches.ts'
import { addUnit, NO_UNITS, type UnitSums } from '../../../src/learn/statistics/sums.ts'
import { normal } from './normal.ts'

interface Arm {
  counts: Uint32Array
  sums: UnitSums
  quantile: number
}

const newArm = (): Arm => ({
  ...{ counts: new Uint32Array(LATENCY_BUCKETS), sums: NO_UNITS, quantile: 0.95 },
})

/** Counts the searches of one unit. */
function addSearches(arm: Arm, latencies: readonly number[]): void {
  for (const tookMs of latencies) arm.counts[latencyBucket(tookMs)]! += 1
  const x = latencies.reduce((sum, tookMs) => sum + tookMs, 0)
  arm.sums = addUnit(arm.sums, { x, y: latencies.length })
}

function armOf(units: readonly (readonly number[])[]): Arm {
  const arm = newArm()
  for (const latencies of units) addSearches(arm, latencies)
  return arm
}

describe('the 95th percentile against a limit', () => {
  it('says nothing of few units, however often they searched', () => {
    const slow = Array.from({ length: 49 }, () => new Array<number>(200).fill(900))
    const read = (units: number[][]) =>
      slowerThanLimit({ treatment: armOf(units), harm: 'increase', limitMs: 100 })
    expect(read([slow.flat()])).toBeUndefined()
    expect(read(slow)).toBeUndefined()
    expect(read([...slow, [900]])).toMatchObject({ breached: true })
  })

  it('counts searches that are alike within a unit as one', () => {
    // A unit in ten is slow throughout: ten searches of each say no more than one.
    const read = (units: number, searches: number) => {
      const treatment = armOf(
        Array.from({ length: units }, (_, n) => new Array<number>(searches).fill(n % 10 ? 9 : 90)),
      )
      return slowerThanLimit({ treatment, harm: 'increase', limitMs: 30 })!.harmAtLeast
    }
    expect(read(400, 1)).toBeLessThan(0)
    expect(Math.abs(read(400, 10) - read(400, 1))).toBeLessThan(0.003)
    expect(read(4000, 1)).toBeGreaterThan(0.02)
  })

  it('is on the safe side within the bucket of the limit', () => {
    const arm = armOf(Array.from({ length: 500 }, () => [100]))
    const read = (harm: 'increase' | 'decrease', limitMs: number) =>
      slowerThanLimit({ treatment: arm, harm, limitMs })!.breached
    expect([read('increase', 99.9), read('increase', 90)]).toEqual([false, true])
    expect([read('decrease', 100.1), read('decrease', 110)]).toEqual([false, true])
  })
})

it('a median is judged as one, against a limit and against control', () => {
  // Two in five are slow: far more than may lie above a 95th percentile, and fewer than above a median.
  const some = armOf(Array.from({ length: 500 }, (_, n) => [n % 5 < 2 ? 90 : 9]))
  const most = armOf(Array.from({ length: 500 }, (_, n) => [n % 5 < 4 ? 90 : 9]))
  const read = (treatment: Arm, quantile: number) => {
    const [asked, control] = [
      { ...treatment, quantile },
      { ...some, quantile },
    ]
    const limited = slowerThanLimit({ treatment: asked, harm: 'increase', limitMs: 30 })
    const compared = slowerThanControl({
      control,
      treatment: asked,
      harm: 'increase',
      tolerance: 0,
    })
    return [limited?.breached, compared?.breached]
  }
  expect(read(some, 0.95)).toEqual([true, false])
  expect(read(some, 0.5)).toEqual([false, false])
  expect(read(most, 0.5)).toEqual([true, true])
})

it('what is tolerated is rounded up to whole buckets of 4 %, whichever way harm lies', () => {
  const { counts } = armOf(Array.from({ length: 60 }, () => [100]))
  const arm = { counts, effect: 1 }
  const further = (harm: 'increase' | 'decrease', tolerance: number) =>
    slowShares({ control: arm, treatment: arm, quantile: 0.95, harm, tolerance })!.bucket -
    latencyBucket(100)
  const tolerances = [0, 0.04, 0.05, 0.08, 0.2]
  expect(tolerances.map((tolerance) => further('increase', tolerance))).toEqual([0, 1, 2, 2, 5])
  expect(tolerances.map((tolerance) => further('decrease', tolerance))).toEqual([0, -2, -2, -3, -6])
})

interface Design {
  tolerance: number
  /** Deviation of ln(latency) between searches, and between units. */
  within: number
  between?: number
  /** Searches of a unit. */
  searches?: number
  /** So many times as slow is the treatment. */
  slower?: number
  total?: number
}

/** How many of so many tests, read every 20 searches, are ever found: by the test, and by the quantiles as they are. */
function everFound(tests: number, design: Design, random: Random) {
  const { tolerance, within, between = 0, searches = 1, slower = 1, total = 3000 } = design
  const found = { test: 0, raw: 0 }
  for (let test = 0; test < tests; test += 1) {
    const [control, treatment] = [newArm(), newArm()]
    let [breached, raw] = [false, false]
    for (let count = 0, next = 60; count < total && !(breached && raw); count += searches) {
      const treated = random() < 0.5
      const own = between * normal(random)
      const latencies = Array.from({ length: searches }, () =>
        Math.exp(2 + own + within * normal(random) + (treated ? Math.log(slower) : 0)),
      )
      addSearches(treated ? treatment : control, latencies)
      if (count < next) continue
      next = count + 20
      const request = { control, treatment, harm: 'increase', tolerance } as const
      breached ||= slowerThanControl(request)?.breached ?? false
      const [before = 0, after = 0] = [control, treatment].map((arm) =>
        latencyQuantile(arm.counts, 0.95),
      )
      raw ||= after > before * (1 + tolerance)
    }
    found.test += breached ? 1 : 0
    found.raw += raw ? 1 : 0
  }
  return found
}

describe('the 95th percentile against control, read every 20 searches', () => {
  it('of equal arms rarely alarms, where the quantiles as they are differ in nearly half of the tests', () => {
    const found = everFound(200, { tolerance: 0.2, within: 0.7 }, seeded(1))
    expect(found.test).toBeLessThanOrEqual(2)
    expect(found.raw).toBeGreaterThan(80)
  })

  it.each([
    ['searches of their own', { tolerance: 0, within: 0.7 }],
    ['units with searches alike', { tolerance: 0, within: 0.5, between: 0.7, searches: 5 }],
    ['units that are very different', { tolerance: 0, within: 1, between: 1.2, searches: 10 }],
  ])('keeps its level without any tolerance, of %s', (_, design) => {
    expect(everFound(200, design, seeded(2)).test).toBeLessThanOrEqual(10)
  })

  it('keeps its level where the treatment is as much slower as it may be', () => {
    const found = everFound(200, { tolerance: 0.2, within: 0.7, slower: 1.2 }, seeded(3))
    expect(found.test).toBeLessThanOrEqual(10)
  })

  it('finds a treatment that is twice as slow', () => {
    const design = { tolerance: 0.2, slower: 2 }
    expect(everFound(100, { ...design, within: 0.7, total: 1500 }, seeded(4)).test).toBe(100)
    const alike = { ...design, within: 0.5, between: 0.5, searches: 5, total: 5000 }
    expect(everFound(50, alike, seeded(5)).test).toBe(50)
  })

  it('looks the other way where faster is the harm, past what is tolerated', () => {
    const random = seeded(6)
    const units = (factor: number) =>
      armOf(Array.from({ length: 2000 }, () => [factor * Math.exp(2 + gumbel(random) / 3)]))
    const request = { control: units(1), treatment: units(0.5) }
    const breached = (harm: 'increase' | 'decrease', tolerance: number) =>
      slowerThanControl({ ...request, harm, tolerance })!.breached
    expect(breached('decrease', 0.2)).toBe(true)
    expect(breached('decrease', 0.8)).toBe(false)
    expect(breached('decrease', 1.5)).toBe(false)
    expect(breached('increase', 0)).toBe(false)
  })
})
