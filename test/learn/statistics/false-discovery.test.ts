import { describe, expect, it } from 'vitest'
import { falseDiscovery } from '../../../src/learn/statistics/false-discovery.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'

describe('the false discovery rate', () => {
  it('adjusts as the published step-up procedure', () => {
    // statsmodels 0.15.0: multipletests(p, method='fdr_bh')[1]
    const adjusted = falseDiscovery([0.01, 0.04, 0.03, 0.005, 0.8, 0.03])
    for (const [index, q] of [0.03, 0.048, 0.045, 0.03, 0.8, 0.045].entries())
      expect(adjusted[index]).toBeCloseTo(q, 12)
    expect(falseDiscovery([])).toEqual([])
    expect(falseDiscovery([0.2])).toEqual([0.2])
  })

  it('keeps the share of false discoveries at its level', () => {
    const random = seeded(9)
    let rate = 0
    for (let test = 0; test < 4000; test += 1) {
      // Ten metrics that didn't move and five that did.
      const p = Array.from({ length: 15 }, (_, index) => (index < 10 ? 1 : 0.003) * random())
      const found = falseDiscovery(p).flatMap((q, index) => (q < 0.05 ? [index] : []))
      if (found.length > 0) rate += found.filter((index) => index < 10).length / found.length / 4000
    }
    expect(rate).toBeLessThan(0.05)
    expect(rate).toBeGreaterThan(0.02)
  })
})
