/** Two-sided critical values of the standard normal distribution: 5 % level, and 80 % power. */
export const NORMAL_975 = 1.959963984540054
export const NORMAL_80 = 0.8416212335729143

const STEPS_MAX = 500
/** Above so many degrees of freedom Student's t distribution is the normal one, within a thousandth of its tails that count. */
const STUDENT_MAX = 1e6
const PRECISION = 1e-15
/** Stands in for 0 as a divisor in Lentz's method. */
const TINY = 1e-300

/** P(|Z| > z) of the standard normal distribution. */
export function normalTails(z: number): number {
  return gammaUpper(0.5, (z * z) / 2)
}

/** P(X > x) of the chi-square distribution: Q(df/2, x/2). */
export function chiSquareTail(x: number, df: number): number {
  return gammaUpper(df / 2, x / 2)
}

/** P(|T| > t) of Student's t distribution: I_x(df/2, 1/2) at x = df / (df + t²), DLMF 8.17. */
export function studentTails(t: number, df: number): number {
  if (df > STUDENT_MAX) return normalTails(t)
  const square = t * t
  if (square === Number.POSITIVE_INFINITY) return 0
  // On each side of the mean or so the fraction that converges there.
  return square * (df + 2) > 3 * df
    ? betaRegular(df / 2, 0.5, df / (df + square))
    : 1 - betaRegular(0.5, df / 2, square / (df + square))
}

/** The t beyond which, on both sides, lies 5 % of Student's t distribution: Newton from below, where the tails are convex. */
export function student975(df: number): number {
  let t = NORMAL_975
  for (let step = 0; step < STEPS_MAX && df <= STUDENT_MAX; step += 1) {
    const before = t
    t += (studentTails(t, df) - 0.05) / (2 * studentDensity(t, df))
    if (Math.abs(t - before) <= 1e-13 * t) break
  }
  return t
}

function studentDensity(t: number, df: number): number {
  const scale = logGamma((df + 1) / 2) - logGamma(df / 2) - Math.log(df * Math.PI) / 2
  return Math.exp(scale - ((df + 1) / 2) * Math.log1p((t * t) / df))
}

/** I_x(a, b), the regularised incomplete beta function, for x below (a + 1)/(a + b + 2): fraction 8.17.22 of DLMF. */
function betaRegular(a: number, b: number, x: number): number {
  if (x <= 0) return 0
  const scale = logGamma(a + b) - logGamma(a) - logGamma(b)
  const front = Math.exp(scale + a * Math.log(x) + b * Math.log1p(-x)) / a
  let below = 1 / apart(1 - ((a + b) * x) / (a + 1))
  let above = 1
  let fraction = below
  for (let step = 1; step < STEPS_MAX; step += 1) {
    const twice = a + 2 * step
    const even = (step * (b - step) * x) / ((twice - 1) * twice)
    const odd = (-(a + step) * (a + b + step) * x) / (twice * (twice + 1))
    below = 1 / apart(1 + even * below)
    above = apart(1 + even / above)
    fraction *= below * above
    below = 1 / apart(1 + odd * below)
    above = apart(1 + odd / above)
    fraction *= below * above
    if (Math.abs(below * above - 1) < PRECISION) break
  }
  return front * fraction
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
]

/** ln Γ(x) for x > 0: Lanczos 1964 with g = 7 and nine terms; the error is near that of a double. */
export function logGamma(x: number): number {
  const shifted = x - 1
  let sum = LANCZOS[0] ?? 0
  for (const [index, term] of LANCZOS.entries()) if (index > 0) sum += term / (shifted + index)
  const base = shifted + 7.5
  return Math.log(2 * Math.PI) / 2 + (shifted + 0.5) * Math.log(base) - base + Math.log(sum)
}

/** Q(a, x), the upper incomplete gamma function over Γ(a): series 8.7.1 and fraction 8.9.2 of DLMF. */
function gammaUpper(a: number, x: number): number {
  if (x <= 0) return 1
  if (x === Number.POSITIVE_INFINITY) return 0
  const scale = Math.exp(a * Math.log(x) - x - logGamma(a))
  return x < a + 1 ? 1 - scale * gammaSeries(a, x) : scale * gammaFraction(a, x)
}

function gammaSeries(a: number, x: number): number {
  let term = 1 / a
  let sum = term
  for (let step = 1; step < STEPS_MAX && term > sum * PRECISION; step += 1) {
    term *= x / (a + step)
    sum += term
  }
  return sum
}

function gammaFraction(a: number, x: number): number {
  let base = x + 1 - a
  let above = 1 / TINY
  let below = 1 / base
  let fraction = below
  for (let step = 1; step < STEPS_MAX; step += 1) {
    const term = -step * (step - a)
    base += 2
    below = 1 / apart(term * below + base)
    above = apart(base + term / above)
    fraction *= below * above
    if (Math.abs(below * above - 1) < PRECISION) break
  }
  return fraction
}

function apart(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}
