import { describe, expect, it } from 'vitest'
import { openDistinct } from '../../../src/learn/reports/distinct.ts'

describe('how many different', () => {
  const counted = (count: number, from = 0) => {
    const distinct = openDistinct()
    for (let at = 0; at < count; at += 1)
      for (let again = 0; again < 2; again += 1) distinct.add(`session-${from + at}`)
    return distinct
  }

  it.each([0, 1, 7, 256])('is exact for %d', (count) => {
    expect(counted(count).size()).toBe(count)
  })

  it('has a standard error of 2.3 % beyond', () => {
    for (const count of [300, 2000, 5000, 10_000, 50_000]) {
      const errors = Array.from({ length: 16 }, (_, at) => {
        return counted(count, 1e6 * at).size() / count - 1
      })
      const meanSquare = errors.reduce((sum, error) => sum + error * error, 0) / errors.length
      expect(Math.sqrt(meanSquare), `of ${count}`).toBeLessThan(0.023 * 1.5)
      const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length
      expect(Math.abs(mean), `of ${count}`).toBeLessThan(0.02)
    }
  })

  it('is the same whether the sets were counted together or merged', () => {
    for (const [one, other] of [
      [100, 100],
      [100, 5000],
      [5000, 100],
      [5000, 5000],
    ] as const) {
      const merged = counted(one)
      merged.merge(counted(other, 50).record())
      expect(merged.size()).toBe(counted(Math.max(one, other + 50)).size())
      expect(openDistinct(merged.record()).size()).toBe(merged.size())
    }
  })
})
