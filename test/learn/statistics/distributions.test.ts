import { describe, expect, it } from 'vitest'
import {
  chiSquareTail,
  logGamma,
  NORMAL_80,
  NORMAL_975,
  normalTails,
  studentCritical,
  studentTails,
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

  // 2 * scipy.stats.t.sf(t, degrees)
  it.each([
    [0.5, 1, 0.7048327646991335],
    [2, 3, 0.13932596855884305],
    [1.5, 7.5, 0.17448057058646407],
    [2.5, 30, 0.01811564906806669],
    [3, 1234.5, 0.0027539316073403692],
    [8, 50_000, 1.270720552649855e-15],
  ])("Student's beyond ±%d with %d degrees of freedom", (t, degrees, p) => {
    expectNear(studentTails(t, degrees), p, 1e-9)
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
    expect(studentTails(0, 5)).toBe(1)
    expect(studentTails(Number.POSITIVE_INFINITY, 5)).toBe(0)
    expect(chiSquareTail(0, 3)).toBe(1)
  })
})

describe('critical values', () => {
  // scipy.stats.t.isf(0.025, degrees)
  it.each([
    [1, 12.706204736174705],
    [2, 4.302652729749464],
    [7.5, 2.3330396268649745],
    [30, 2.042272456301238],
    [1000, 1.9623390808264085],
    [Number.POSITIVE_INFINITY, NORMAL_975],
  ])("of Student's distribution with %d degrees of freedom", (degrees, t) => {
    expectNear(studentCritical(0.05, degrees), t)
  })

  it('of the normal one are its own quantiles', () => {
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
