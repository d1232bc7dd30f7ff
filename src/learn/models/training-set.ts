import { IMPORTANCE_MAX } from '../statistics/off-policy.ts'
import type { Page } from './pages.ts'

/** Pages as the core's training takes them. */
export interface TrainingSet {
  /** Row-major. */
  features: Float32Array
  /** Grades 0..4; the core's gain is 2^grade − 1. */
  labels: Float32Array
  /** Rows of each page. */
  groups: Uint32Array
  /** How much a row counts: by its inverse propensity, clipped. */
  weights: Float32Array
}

/** The grade of a gain of 1; a smaller gain has its part of it, and at least 1. */
const GRADE_MAX = 4

/**
 * A hit that was rarely looked at and yet chosen counts more: 1 / expected examination (Joachims, Swaminathan,
 * Schnabel 2017), relative to the first place and clipped. By page, all rows of
 * one get the mean of those with a gain, for trainings that weigh whole pages.
 */
export function trainingSet(pages: readonly Page[], weighed: 'by page' | 'by row'): TrainingSet {
  const rows = pages.reduce((sum, { gains }) => sum + gains.length, 0)
  const width = rows === 0 ? 0 : (pages[0]?.features.length ?? 0) / (pages[0]?.gains.length ?? 1)
  const set = {
    features: new Float32Array(rows * width),
    labels: new Float32Array(rows),
    groups: Uint32Array.from(pages, ({ gains }) => gains.length),
    weights: new Float32Array(rows),
  }
  let row = 0
  for (const page of pages) {
    set.features.set(page.features, row * width)
    set.labels.set(page.gains.map(gradeOf), row)
    set.weights.set(weighed === 'by page' ? pageWeights(page) : rowWeights(page), row)
    row += page.gains.length
  }
  return set
}

function gradeOf(gain: number): number {
  return gain > 0 ? Math.max(1, Math.round(gain * GRADE_MAX)) : 0
}

function rowWeights({ expected }: Page): number[] {
  return expected.map((seen) => Math.min(IMPORTANCE_MAX, 1 / Math.max(seen, 1e-9)))
}

function pageWeights(page: Page): number[] {
  const weights = rowWeights(page).filter((_, hit) => (page.gains[hit] ?? 0) > 0)
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length)
  return page.gains.map(() => mean)
}
