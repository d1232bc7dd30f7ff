import { describe, expect, it } from 'vitest'
import {
  chiSquareTail,
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

  // scipy.stats.chi2.sf(x, degrees)
  it.each([
    [0.5, 1, 0.47950012218695337],
    [3.841458820694124, 1, 0.05],
    [10.828, 1, 0.0009997657195830916],
    [2, 4, 0.7357588823428847],
    [30, 10, 0.000856641210775301],
    [120, 99, 0.07424385580596692],
  ])('chi-square above %d with %d degrees of freedom', (x, degrees, p) => {
    expectNear(chiSquareTail(x, degrees), p)
  })

  it('are sane at their ends', () => {
    expect(normalTails(0)).toBe(1)
    expect(normalTails(Number.POSITIVE_INFINITY)).toBe(0)
    expect(chiSquareTail(0, 3)).toBe(1)
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
