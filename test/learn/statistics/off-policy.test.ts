import { describe, expect, it } from 'vitest'
import { expectedExamination, explore } from '../../../src/learn/impressions/exploration.ts'
import {
  addSearches,
  comparePolicies,
  effectiveUnitsOf,
  IMPORTANCE_MAX,
  NO_SEARCHES,
  type PolicyOptions,
  type PolicySums,
  type PolicyVerdict,
  policyValue,
  positionBased,
} from '../../../src/learn/statistics/off-policy.ts'
import { type Random, seeded } from '../../../src/learn/statistics/random.ts'

/** Against a policy that gains nothing for sure: the difference is a policy's own value. */
function againstNothing(units: readonly PolicySums[], options: PolicyOptions): PolicyVerdict {
  const baseline = { searches: 1, weight: 1, reward: 0, mass: 1 }
  return comparePolicies(
    units.map((candidate) => ({ candidate, baseline })),
    options,
  )
}

/** Whether a verdict's interval holds the truth. */
function holds(told: PolicyVerdict, truth: number): boolean {
  if (told.verdict === 'not_yet') throw new Error('Too few effective units.')
  return told.interval.low <= truth && truth <= told.interval.high
}

describe('the value of a policy', () => {
  /** One search's part by inverse propensity. */
  function inversePropensity(logged: {
    propensity: number
    target: number
    reward: number
  }): PolicySums {
    const weight = logged.target / logged.propensity
    return { searches: 1, weight, reward: weight * logged.reward, mass: 1 }
  }

  /** Two actions with click rates .2 and .5, logged 80:20; the policy takes the second in 70 %. */
  function units(count: number, random: Random): PolicySums[] {
    return Array.from({ length: count }, () => {
      const searches = 1 + Math.floor(3 * random())
      return Array.from({ length: searches }, () => {
        const second = random() < 0.2
        return inversePropensity({
          propensity: second ? 0.2 : 0.8,
          target: second ? 0.7 : 0.3,
          reward: random() < (second ? 0.5 : 0.2) ? 1 : 0,
        })
      }).reduce(addSearches, NO_SEARCHES)
    })
  }
  const truth = 0.7 * 0.5 + 0.3 * 0.2

  it('finds the value of a policy that was never served, its interval 95 times in 100', () => {
    const random = seeded(3)
    let covered = 0
    for (let run = 0; run < 100; run += 1) {
      const logged = units(400, random)
      if (holds(againstNothing(logged, { seed: run }), truth)) covered += 1
      if (run === 0) expect(Math.abs(policyValue(logged) - truth)).toBeLessThan(0.1)
    }
    // 95 % less three standard errors of a share of 100.
    expect(covered).toBeGreaterThanOrEqual(88)
  })

  it('is worked out by hand for two searches', () => {
    const logged = [
      inversePropensity({ propensity: 0.5, target: 1, reward: 1 }),
      inversePropensity({ propensity: 0.5, target: 0.5, reward: 0 }),
    ]
    expect(policyValue(logged)).toBe(2 / 3)
    expect(effectiveUnitsOf(logged)).toBe(9 / 5)
    expect(policyValue([])).toBe(0)
  })

  it('says not yet while few units carry the weight', () => {
    const equal = Array.from({ length: 150 }, () => ({ ...NO_SEARCHES, searches: 1, weight: 2 }))
    expect(effectiveUnitsOf(equal)).toBeCloseTo(150, 9)
    const lopsided = equal.map((unit, index) => (index === 0 ? { ...unit, weight: 1000 } : unit))
    expect(againstNothing(equal, { seed: 1 }).verdict).toBe('undecided')
    expect(againstNothing(lopsided, { seed: 1 })).toMatchObject({ verdict: 'not_yet' })
    expect(againstNothing([], { seed: 1 })).toEqual({ verdict: 'not_yet', effectiveUnits: 0 })
  })

  it('clips the weight of what logging hardly ever did', () => {
    const rare = positionBased({ rewards: [1], shown: [1], expected: [1e-6], target: [1] })
    const mass = IMPORTANCE_MAX * 1e-6
    expect(rare).toEqual({ searches: 1, weight: IMPORTANCE_MAX, reward: IMPORTANCE_MAX, mass })
    const never = positionBased({ rewards: [1], shown: [1], expected: [0], target: [0] })
    expect(never.weight).toBe(0)
  })

  it('gives the same interval for the same seed, of few units and of many', () => {
    for (const count of [300, 30_000]) {
      const logged = units(count, seeded(8))
      const read = againstNothing(logged, { seed: 5 })
      expect(againstNothing(logged, { seed: 5 })).toEqual(read)
      expect(againstNothing(logged, { seed: 6 })).not.toEqual(read)
    }
  })
})

describe('the position-based estimate', () => {
  const scores = [0.9, 0.85, 0.8, 0.7, 0.6]
  const goodness = [0.1, 0.2, 0.3, 0.6, 0.4]
  const examination = scores.map((_, place) => 1 / (place + 1))
  const logging = { scores, epsilon: 0.3, temperature: 0.2 }
  const expected = expectedExamination({ ...logging, examination })
  /** Best first, worst first, and as served: hits in shown order. */
  const best = [3, 4, 2, 1, 0]
  const worst = [0, 1, 2, 4, 3]
  const served = [0, 1, 2, 3, 4]

  function valueOfOrder(order: number[]): number {
    return order.reduce((sum, hit, place) => sum + examination[place]! * goodness[hit]!, 0)
  }

  /** Examination of each hit where the order shows it. */
  function examinationIn(order: number[]): number[] {
    return scores.map((_, hit) => examination[order.indexOf(hit)]!)
  }

  function logged(count: number, seed: number, orders: number[][]): PolicySums[][] {
    const random = seeded(seed)
    return Array.from({ length: count }, () => {
      const sums = orders.map(() => NO_SEARCHES)
      for (let search = 0; search < 2; search += 1) {
        const explored = random() < logging.epsilon
        const draw = Math.floor(random() * 2 ** 32)
        const shown = examinationIn(explored ? explore(scores, draw, 0.2) : served)
        const rewards = scores.map((_, hit) => (random() < shown[hit]! * goodness[hit]! ? 1 : 0))
        orders.forEach((order, index) => {
          const target = examinationIn(order)
          const part = positionBased({ rewards, shown, expected, target })
          sums[index] = addSearches(sums[index]!, part)
        })
      }
      return sums
    })
  }

  it('finds the clicks a search of an order that was hardly ever shown', () => {
    let covered = 0
    for (let run = 0; run < 100; run += 1) {
      const units = logged(500, run, [best]).map(([sums]) => sums!)
      if (holds(againstNothing(units, { seed: run }), valueOfOrder(best))) covered += 1
    }
    // 95 % less three standard errors of a share of 100.
    expect(covered).toBeGreaterThanOrEqual(88)
  })

  it('of the served order is about the rate that was logged', () => {
    const units = logged(5000, 1, [served]).map(([sums]) => sums!)
    expect(policyValue(units)).toBeCloseTo(valueOfOrder(served), 1)
  })

  it('tells a better order from a worse one, and neither from itself', () => {
    const pairs = (first: number[], second: number[], seed: number) =>
      logged(1500, seed, [first, second]).map(([candidate, baseline]) => ({
        candidate: candidate!,
        baseline: baseline!,
      }))
    const better = comparePolicies(pairs(best, served, 2), { seed: 1 })
    expect(better.verdict).toBe('better')
    if (better.verdict !== 'not_yet')
      expect(better.difference).toBeCloseTo(better.candidate - better.baseline, 12)
    expect(comparePolicies(pairs(worst, best, 3), { seed: 1 }).verdict).toBe('worse')
    expect(comparePolicies(pairs(best, best, 4), { seed: 1 }).verdict).toBe('undecided')
  })

  describe('of an order that shows first what stood at the twentieth place', () => {
    const shownAt = Array.from({ length: 20 }, (_, place) => 1 / (place + 1))
    // Without exploration what was expected is what was shown; the last hit changes places with the first.
    const target = shownAt.map((_, hit) => shownAt[hit === 0 ? 19 : hit === 19 ? 0 : hit]!)

    /** What is told of it, and what is true, when the last hit is this good and all others are .4. */
    function valueWith(last: number): { told: number; truth: number; mass: number } {
      const random = seeded(12)
      const goodness = shownAt.map((_, hit) => (hit === 19 ? last : 0.4))
      const units = Array.from({ length: 5000 }, () => {
        const rewards = shownAt.map((seen, hit) => (random() < seen * goodness[hit]! ? 1 : 0))
        return positionBased({ rewards, shown: shownAt, expected: shownAt, target })
      })
      const truth = target.reduce((sum, seen, hit) => sum + seen * goodness[hit]!, 0)
      const { weight, mass } = units[0]!
      expect(weight).toBeCloseTo(mass, 9)
      return { told: policyValue(units), truth, mass }
    }

    it('cuts off its mass with its weight: 10 / 20 of the examination at the first place', () => {
      const whole = target.reduce((sum, seen) => sum + seen, 0)
      expect(valueWith(0.4).mass).toBeCloseTo(whole - 1 / 2, 9)
    })

    it('promises nothing of it that nobody saw', () => {
      const useless = valueWith(0)
      expect(Math.abs(useless.told / useless.truth - 1)).toBeLessThan(0.05)
      const good = valueWith(0.8)
      expect(good.told).toBeLessThan(good.truth)
      expect(good.told).toBeCloseTo(good.truth - 0.8 / 2, 1)
    })
  })

  it('never says better from a handful of units', () => {
    const pairs = logged(60, 5, [best, served]).map(([candidate, baseline]) => ({
      candidate: candidate!,
      baseline: baseline!,
    }))
    expect(comparePolicies(pairs, { seed: 1 })).toMatchObject({ verdict: 'not_yet' })
  })
})
