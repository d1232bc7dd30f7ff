import { describe, expect, it } from 'vitest'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { sampleRatio } from '../../../src/learn/statistics/sample-ratio.ts'

describe('the sample ratio', () => {
  // scipy.stats.chisquare(units, expected), SciPy 1.17.1
  it.each([
    [[510, 490], [0.5, 0.5], 0.4, 0.5270892568655381],
    [[51_000, 49_000], [0.5, 0.5], 40, 2.5396285894708634e-10],
    [[120, 80, 190], [0.3, 0.2, 0.5], 0.2564102564102564, 0.879672914909989],
  ])('of %j over %j is the chi-square test', (units, shares, chiSquare, p) => {
    const read = sampleRatio(units, shares)
    expect(read.chiSquare).toBeCloseTo(chiSquare, 10)
    expect(Math.abs(read.p! / p - 1)).toBeLessThan(1e-9)
  })

  it('has the levels .01 and .001', () => {
    // Differences of 2.57, 2.58 and 3.30 standard errors over 10 000 units.
    expect(sampleRatio([5128, 4872], [1, 1]).status).toBe('ok')
    expect(sampleRatio([5129, 4871], [1, 1]).status).toBe('warning')
    expect(sampleRatio([5165, 4835], [1, 1]).status).toBe('unhealthy')
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

  it('finds a planted 51:49 over 100 000 units every time', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const random = seeded(seed)
      let first = 0
      for (let unit = 0; unit < 100_000; unit += 1) if (random() < 0.51) first += 1
      expect(sampleRatio([first, 100_000 - first], [0.5, 0.5]).status).toBe('unhealthy')
    }
  })

  it('alarms on a true 50:50 no more often than its levels', () => {
    const tests = 20_000
    const random = seeded(11)
    const seen = { ok: 0, warning: 0, unhealthy: 0, insufficient_data: 0 }
    for (let test = 0; test < tests; test += 1) {
      let first = 0
      for (let unit = 0; unit < 1000; unit += 1) if (random() < 0.5) first += 1
      seen[sampleRatio([first, 1000 - first], [0.5, 0.5]).status] += 1
    }
    const within = (level: number) => level + 3 * Math.sqrt((level * (1 - level)) / tests)
    expect((seen.warning + seen.unhealthy) / tests).toBeLessThan(within(0.01))
    expect(seen.unhealthy / tests).toBeLessThan(within(0.001))
    expect(seen.warning).toBeGreaterThan(0)
  })
})
