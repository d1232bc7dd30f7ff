import { describe, expect, it } from 'vitest'
import { compare } from '../../../src/learn/statistics/compare.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { addUnit, NO_UNITS, type UnitSums } from '../../../src/learn/statistics/sums.ts'
import { normal } from './normal.ts'

function sumsOf(x: number[], y: number[] = x.map(() => 1)): UnitSums {
  return x.reduce((sums, value, unit) => addUnit(sums, { x: value, y: y[unit]! }), NO_UNITS)
}

describe('a comparison', () => {
  const control = sumsOf([0, 1, 3, 2, 0, 5, 1, 4, 2, 2, 0, 7, 1, 3])
  const treatment = sumsOf([2, 4, 3, 6, 1, 8, 3, 5, 2, 9])

  it('says nothing for good with few units, and nothing at all with one', () => {
    const read = compare({ control, treatment })!
    expect(read.alwaysValid).toBeUndefined()
    expect(read.units).toEqual({ control: 14, treatment: 10 })
    expect(compare({ control, treatment: sumsOf([1]) })).toBeUndefined()
  })

  // scipy.stats.ttest_ind(treatment, control, equal_var=False) and its confidence_interval(0.95)
  it.each([
    [control, treatment, 0.05436148165421141, [-0.04395371045900953, 4.21538228188758]],
    [sumsOf([1, 2]), sumsOf([3, 5]), 0.19872738893452602, [-4.418522830071064, 9.418522830071064]],
    [
      sumsOf([0.5, 0.7, 0.2]),
      sumsOf([1.5, 2.5, 0.1, 3]),
      ...([0.1315136129335176, [-0.6740115357432379, 3.2906782024099046]] as [number, number[]]),
    ],
  ])("of means over units is Welch's t test", (before, after, p, [low, high]) => {
    const read = compare({ control: before, treatment: after })!
    expect(read.p).toBeCloseTo(p, 9)
    expect(read.interval.low).toBeCloseTo(low!, 9)
    expect(read.interval.high).toBeCloseTo(high!, 9)
  })

  it('takes means of as many counts each for means, too', () => {
    const thrice = (x: number[]) =>
      sumsOf(
        x.map((value) => 3 * value),
        x.map(() => 3),
      )
    const read = compare({ control: thrice([1, 2]), treatment: thrice([3, 5]) })!
    expect(read.p).toBeCloseTo(0.19872738893452602, 9)
  })

  it('has an interval that holds at every look from fifty units an arm on', () => {
    const arm = (units: number) => sumsOf(Array.from({ length: units }, (_, unit) => unit % 3))
    const known = (one: number, other: number) =>
      compare({ control: arm(one), treatment: arm(other) })?.alwaysValid !== undefined
    expect([known(50, 50), known(49, 50), known(50, 49)]).toEqual([true, false, false])
  })

  it('has an interval of the lift that holds 0 exactly where that of the difference does', () => {
    const random = seeded(3)
    const arm = (clicks: number) =>
      sumsOf(Array.from({ length: 60 }, () => (random() < clicks ? 1 : 0)))
    const holds = ({ low, high }: { low: number; high: number }) => low <= 0 && high >= 0
    const reads = [0.1, 0.25, 0.35, 0.5, 0.6].flatMap((clicks) =>
      Array.from({ length: 100 }, () => compare({ control: arm(0.3), treatment: arm(clicks) })!),
    )
    expect(reads.filter((read) => holds(read.liftInterval!) !== holds(read.interval))).toEqual([])
  })

  it('has a lift without an interval where control may be 0', () => {
    const rare = sumsOf([1, ...new Array<number>(59).fill(0)])
    const read = compare({ control: rare, treatment: sumsOf(new Array<number>(60).fill(1)) })!
    expect(read.lift).toBeCloseTo(59, 9)
    expect(read.liftInterval).toBeUndefined()
  })

  it('has no lift over a control of 0', () => {
    const read = compare({ control: sumsOf([0, 0, 0]), treatment })!
    expect(read.lift).toBeUndefined()
    expect(read.minimumDetectableEffect.lift).toBeUndefined()
    expect(read.p).toBeGreaterThan(0)
  })

  it('of arms that are all alike finds nothing', () => {
    const same = sumsOf(new Array<number>(100).fill(1))
    const read = compare({ control: same, treatment: same })!
    expect(read).toMatchObject({ p: 1, difference: 0 })
    expect(read.alwaysValid).toEqual({ low: 0, high: 0, p: 1 })
  })
})

describe('a comparison of units that are all alike but for rounding', () => {
  // The same share of searches in different numbers of them: no difference, though the sums' last figures differ.
  const alike = (value: number, units: number) => {
    const y = Array.from({ length: units }, (_, unit) => 1 + (unit % 3))
    return sumsOf(
      y.map((count) => count * value),
      y,
    )
  }

  it.each([0.1, 0.7, 1 / 3, 0.8, 9.99])('finds nothing where each has %d', (value) => {
    for (let units = 60; units < 160; units += 1) {
      const read = compare({ control: alike(value, 90), treatment: alike(value, units) })!
      expect(read).toMatchObject({ difference: 0, lift: 0, p: 1 })
      expect(read.alwaysValid!.p).toBe(1)
    }
  })

  it('finds what is more than rounding', () => {
    const read = compare({ control: alike(0.7, 90), treatment: alike(0.700001, 90) })!
    expect(read.difference).toBeCloseTo(1e-6, 12)
    expect(read.alwaysValid!.p).toBeLessThan(0.05)
  })
})

describe('a comparison of ratios', () => {
  const control = sumsOf([1, 0, 3, 2, 1, 0, 4, 2], [2, 1, 6, 3, 4, 1, 7, 5])
  const treatment = sumsOf([2, 1, 3, 5, 1, 2, 0, 4, 3], [3, 1, 4, 6, 3, 2, 1, 8, 4])

  it("uses the delta method's variances", () => {
    // NumPy: gradient (1/ȳ, −x̄/ȳ²) on np.cov(ddof=1) over the units; scipy.stats.norm for the rest.
    const read = compare({ control, treatment })!
    expect(read.control).toBeCloseTo(0.4482758620689655, 12)
    expect(read.treatment).toBeCloseTo(0.65625, 12)
    expect(read.interval.low).toBeCloseTo(0.025803175668131617, 10)
    expect(read.interval.high).toBeCloseTo(0.39014510019393733, 10)
    expect(read.p).toBeCloseTo(0.02524855792688018, 10)
    expect(read.lift).toBeCloseTo(0.4639423076923077, 10)
    // The roots of (x̄ − (1 + lift) · c̄)² = z² · (var x̄ + (1 + lift)² · var c̄).
    expect(read.liftInterval!.low).toBeCloseTo(0.04989079767849325, 10)
    expect(read.liftInterval!.high).toBeCloseTo(1.069961817933014, 10)
    expect(read.minimumDetectableEffect.difference).toBeCloseTo(0.26039635374470016, 10)
  })

  it('is undefined without a denominator', () => {
    expect(compare({ control: sumsOf([0, 0], [0, 0]), treatment })).toBeUndefined()
  })
})

describe('over many tests', () => {
  /** Reads of tests where treatment adds `effect` to a mean of 2, `units` an arm. */
  function reads(effect: number, units: number, tests: number, seed: number) {
    const random = seeded(seed)
    const arm = (shift: number) =>
      sumsOf(Array.from({ length: units }, () => 2 + shift + normal(random)))
    return Array.from(
      { length: tests },
      () => compare({ control: arm(0), treatment: arm(effect) })!,
    )
  }

  it('the interval of the lift covers the true one in 95 of 100', () => {
    const covered = reads(0.2, 200, 2000, 5).filter(
      ({ liftInterval }) => liftInterval!.low < 0.1 && liftInterval!.high > 0.1,
    )
    // Four standard errors of a share of 2 000.
    expect(Math.abs(covered.length / 2000 - 0.95)).toBeLessThan(0.0195)
  })

  it('an effect of the minimum detectable size is found in 80 of 100', () => {
    const { difference } = reads(0, 200, 1, 6)[0]!.minimumDetectableEffect
    const found = reads(difference, 200, 2000, 7).filter(({ p }) => p < 0.05)
    expect(Math.abs(found.length / 2000 - 0.8)).toBeLessThan(0.06)
  })
})
