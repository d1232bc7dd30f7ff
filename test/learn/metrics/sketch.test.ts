import { describe, expect, it } from 'vitest'
import { addToSketch, type Sketch, sketchQuantile } from '../../../src/learn/metrics/sketch.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'

describe('quantiles of anything', () => {
  it.each([
    ['times', (random: number) => 0.001 + random ** 4 * 1000],
    ['both sides of zero', (random: number) => (random - 0.3) * 1e6],
    ['tiny ones', (random: number) => random * 1e-6],
  ])('are within 2.5 %% for %s', (_, make) => {
    const random = seeded(3)
    const values = Array.from({ length: 2000 }, () => make(random()))
    let sketch: Sketch = []
    for (const value of values) sketch = addToSketch(sketch, value)
    const sorted = [...values].sort((a, b) => a - b)
    for (const share of [0, 0.05, 0.5, 0.9, 0.95, 0.99, 1]) {
      const exact = sorted[Math.max(0, Math.ceil(share * 2000) - 1)] as number
      expect(Math.abs(sketchQuantile(sketch, share) - exact)).toBeLessThanOrEqual(
        Math.abs(exact) * 0.0251 + 1e-9,
      )
    }
  })

  it('take the greatest numbers that there are, in bounded room', () => {
    let sketch: Sketch = []
    for (const value of [Number.MAX_VALUE, -Number.MAX_VALUE, 0, Number.MIN_VALUE, 1e300])
      sketch = addToSketch(sketch, value)
    expect(sketch).toHaveLength(3)
    expect(sketchQuantile([], 0.5)).toBeNaN()
  })
})
