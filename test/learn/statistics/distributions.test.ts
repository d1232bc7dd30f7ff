import { describe, expect, it } from 'vitest'
import {
  chiSquareTail,
  logGamma,
  NORMAL_80,
  NORMAL_975,
  normalTails,
  student975,
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

  // 2 * scipy.stats.t.sf(t, df)
  it.each([
    [1, 0.1, 0.936548965138893],
    [1, 30, 0.02121280481107085],
    [2.5, 1, 0.40406102727827364],
    [8.4, 2, 0.07881680823842072],
    [30, 0.5, 0.6207230048851272],
    [157.3, 5, 1.515006820532787e-6],
    [1000, 12.7, 2.2777600304967154e-34],
  ])("Student's, with %d degrees of freedom, beyond ±%d", (df, t, p) => {
    expectNear(studentTails(t, df), p)
    expectNear(studentTails(-t, df), p)
  })

  // mpmath 1.3, 40 digits: gammainc(k / 2, x / 2, inf, regularized=True)
  it.each([
    [0.5, 1, 0.4795001221869535],
    [3.841458820694124, 1, 0.05],
    [11.344866730144373, 3, 0.01],
    [30, 3, 1.3800570312932547e-6],
    [100, 7, 1.0787979671702883e-18],
    [250, 249, 0.4702581129720519],
    [900, 4, 1.6659412638877526e-193],
  ])('chi-square above %d, with %d degrees of freedom', (x, df, p) => {
    expectNear(chiSquareTail(x, df), p)
  })

  it("Student's become the normal ones", () => {
    // scipy.stats.t again
    expectNear(studentTails(5, 1e5), 5.742701678641679e-7, 1e-8)
    expect(studentTails(5, 1e7)).toBe(normalTails(5))
    expect(studentTails(5, Number.POSITIVE_INFINITY)).toBe(normalTails(5))
  })

  it('are sane at their ends', () => {
    expect(normalTails(0)).toBe(1)
    expect(normalTails(Number.POSITIVE_INFINITY)).toBe(0)
    expect(studentTails(0, 3)).toBe(1)
    expect(studentTails(Number.POSITIVE_INFINITY, 3)).toBe(0)
  })
})

describe('critical values', () => {
  it('of the normal distribution are its own quantiles', () => {
    expectNear(normalTails(NORMAL_975), 0.05)
    expectNear(normalTails(NORMAL_80), 0.4)
  })

  // scipy.stats.t.ppf(0.975, df)
  it.each([
    [1, 12.706204736174694],
    [1.7, 5.1188389882530565],
    [8.4, 2.2870293755125246],
    [157.3, 1.9751599053663367],
    [1e5, 1.9599877075346095],
  ])("of Student's with %d degrees of freedom", (df, t) => {
    expectNear(student975(df), t, 1e-9)
  })

  it("of Student's with endless freedom are those of the normal one", () => {
    expect(student975(Number.POSITIVE_INFINITY)).toBe(NORMAL_975)
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
