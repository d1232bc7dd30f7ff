import { describe, expect, it } from 'vitest'
import {
  logGamma,
  NORMAL_80,
  NORMAL_975,
  normalTails,
} from '../../../src/learn/statistics/distributions.ts'

/** All expected values: SciPy 1.17.1, the call beside each table. */
function expectNear(value: number, expected: number, relative = 1e-10): void {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(relative * Math.abs(expected))
}

describe('the tails of the distributions', () => {
  // 2 * scipy.stats.norm.sf(z)
  it.each([
    [0.1, 0.920344325445942],
    [1, 0.31731050786291415],
    [3, 0.0026997960632601866],
    [6, 1.973175290075389e-9],
    [10, 1.523970604832094e-23],
  ])('normal beyond ±%d', (z, p) => {
    expectNear(normalTails(z), p)
    expectNear(normalTails(-z), p)
  })

  it('are sane at their ends', () => {
    expect(normalTails(0)).toBe(1)
    expect(normalTails(Number.POSITIVE_INFINITY)).toBe(0)
  })
})

describe('critical values', () => {
  it('of the normal distribution are its own quantiles', () => {
    expectNear(normalTails(NORMAL_975), 0.05)
    expectNear(normalTails(NORMAL_80), 0.4)
  })
})

describe('the logarithm of the gamma function', () => {
  // scipy.special.gammaln(x)
  it.each([
    [0.5, 0.5723649429247],
    [3.7, 1.428072326665388],
    [25, 54.78472939811232],
    [5000.5, 37586.88488728106],
  ])('at %d', (x, value) => {
    expectNear(logGamma(x), value, 1e-12)
  })
})
