import { describe, expect, it } from 'vitest'
import { type Random, seeded } from '../../../src/learn/statistics/random.ts'
import { sampleRatio } from '../../../src/learn/statistics/sample-ratio.ts'

/** Counts one unit in an arm with the chance that its share gives it. */
function deal(units: number[], shares: readonly number[], random: Random): void {
  let left = random() - shares[0]!
  let arm = 0
  while (left >= 0 && arm + 1 < shares.length) left -= shares[++arm]!
  units[arm]! += 1
}

/** The units after which the ratio is first found unhealthy; undefined when it never is. */
function foundAfter(chances: readonly number[], shares: readonly number[], seed: number) {
  const random = seeded(seed)
  const units = shares.map(() => 0)
  for (let unit = 1; unit <= 100_000; unit += 1) {
    deal(units, chances, random)
    if (unit % 100 === 0 && sampleRatio(units, shares).status === 'unhealthy') return unit
  }
  return undefined
}

describe('the sample ratio', () => {
  // The mixture in exact fractions: Python's fractions.Fraction, unit by unit.
  it.each([
    [[60, 40], [1, 1], 0.656615883396853],
    [[540, 460], [1, 1], 0.28641887806004335],
    [[40, 0], [0.5, 0.5], 1.3764044881740058e-7],
    [[150, 60, 180], [0.3, 0.2, 0.5], 0.03212796859498634],
    [[900, 60], [9, 1], 0.0025325301140601457],
    [[120, 80, 190], [0.3, 0.2, 0.5], 1],
  ])('of %j over %j is the sequential multinomial test', (units, shares, p) => {
    expect(Math.abs(sampleRatio(units, shares).p! / p - 1)).toBeLessThan(1e-9)
  })

  it.each([
    // Mendel's peas, 1866: round, wrinkled, yellow, green. The figures that are known of them: .47, 3, .925.
    [[315, 108, 101, 32], [9, 3, 3, 1], 0.4700239808153477, 3, 0.925425895103616],
    // The help of R's chisq.test, which prints 9.9901, 4 and .04059.
    [[89, 37, 30, 28, 2], [40, 20, 20, 15, 5], 9.99014336917563, 4, 0.0405940433447812],
    [[87, 160], [1, 1], 21.5748987854251, 1, 3.402762106238372e-6],
    [[40, 0], [1, 1], 40, 1, 2.539628589470865e-10],
    [[500, 0, 500], [1, 0, 1], 0, 1, 1],
  ])('of %j over %j tells the chi-square test of one look', (units, shares, statistic, df, p) => {
    const { chiSquare } = sampleRatio(units, shares)
    expect(chiSquare).toEqual({
      statistic: expect.closeTo(statistic, 10),
      degreesOfFreedom: df,
      p: expect.any(Number),
    })
    expect(Math.abs(chiSquare!.p / p - 1)).toBeLessThan(1e-9)
  })

  it('goes by the test that holds at all looks; one look warns where it is far beyond its level', () => {
    const { status, p, chiSquare } = sampleRatio([125, 75], [1, 1])
    expect(status).toBe('ok')
    expect(p).toBeCloseTo(0.0373, 4)
    expect(chiSquare?.p).toBeLessThan(0.001)
    const further = sampleRatio([127, 73], [1, 1])
    expect(further.status).toBe('warning')
    expect(further.p).toBeGreaterThan(0.01)
    expect(further.chiSquare?.p).toBeLessThan(0.0003)
    expect(sampleRatio([300, 200], [1, 1]).status).toBe('unhealthy')
  })

  it('has the levels .01 and .001, and .0003 for one look', () => {
    const of = (units: number) => sampleRatio([units, 10_000 - units], [1, 1])
    const first = (status: string) => {
      for (let units = 5000; ; units += 1) if (of(units).status === status) return units
    }
    const [warning, unhealthy] = [first('warning'), first('unhealthy')]
    expect(of(warning).chiSquare?.p).toBeLessThan(0.0003)
    expect(of(warning - 1).chiSquare?.p).toBeGreaterThanOrEqual(0.0003)
    expect(of(warning - 1).p).toBeGreaterThanOrEqual(0.01)
    expect(of(unhealthy).p).toBeLessThan(0.001)
    expect(of(unhealthy - 1).p).toBeGreaterThanOrEqual(0.001)
  })

  it('waits for 8 units an arm, but not for an arm that gets none', () => {
    expect(sampleRatio([8, 7], [1, 1])).toEqual({ status: 'insufficient_data' })
    expect(sampleRatio([8, 8], [1, 1]).status).toBe('ok')
    expect(sampleRatio([40, 0], [1, 1]).status).toBe('unhealthy')
    expect(sampleRatio([0, 0], [1, 1]).status).toBe('insufficient_data')
  })

  it('leaves an arm out that gets no units by design', () => {
    expect(sampleRatio([500, 0, 500], [1, 0, 1]).status).toBe('ok')
  })

  it('finds a planted 51:49 within 100 000 units', () => {
    const found = Array.from({ length: 40 }, (_, seed) => foundAfter([0.51, 0.49], [1, 1], seed))
    expect(found.filter((units) => units === undefined)).toEqual([])
  })

  it('finds a third arm that loses a twentieth of its units, and a large error early', () => {
    expect(foundAfter([0.6, 0.31, 0.09], [0.6, 0.3, 0.1], 3)).toBeLessThan(50_000)
    expect(foundAfter([0.9, 0.1], [1, 1], 1)).toBeLessThanOrEqual(100)
    expect(foundAfter([0.6, 0.4], [1, 1], 1)).toBeLessThan(2000)
  })

  // A chi-square of fixed size alarms in a tenth of these tests at the level .01, and in one of fifty at .001.
  it.each([
    [[0.5, 0.5], 1],
    [[0.9, 0.1], 2],
    [[0.6, 0.3, 0.1], 3],
  ])(
    'read every 10 units of 5000 at true shares %j, alarms no more often than its levels',
    (shares, seed) => {
      const tests = 1000
      const random = seeded(seed)
      const ever = { warning: 0, unhealthy: 0, tenth: 0 }
      const worse = { insufficient_data: 0, ok: 0, warning: 1, unhealthy: 2 } as const
      for (let test = 0; test < tests; test += 1) {
        const units = shares.map(() => 0)
        let [least, worst] = [1, 0]
        for (let unit = 1; unit <= 5000; unit += 1) {
          deal(units, shares, random)
          if (unit % 10 !== 0) continue
          const { status, p = 1 } = sampleRatio(units, shares)
          least = Math.min(least, p)
          worst = Math.max(worst, worse[status])
        }
        ever.tenth += least < 0.1 ? 1 : 0
        ever.warning += worst >= 1 ? 1 : 0
        ever.unhealthy += worst >= 2 ? 1 : 0
      }
      const within = (level: number) => level + 3 * Math.sqrt((level * (1 - level)) / tests)
      expect(ever.warning / tests).toBeLessThan(within(0.01))
      expect(ever.unhealthy / tests).toBeLessThan(within(0.001))
      expect(ever.tenth).toBeGreaterThan(0)
    },
  )
})
