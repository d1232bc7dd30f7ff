import { describe, expect, it } from 'vitest'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { beyondShare, boundOfShare } from '../../../src/learn/statistics/share-limit.ts'

const at = { limit: 0.05, harm: 'increase' } as const

describe('a share against a limit', () => {
  it('says nothing of nothing, and little of one', () => {
    expect(beyondShare({ ...at, count: 0, of: 0 })).toMatchObject({ breached: false, p: 1 })
    expect(beyondShare({ ...at, count: 1, of: 1 }).breached).toBe(false)
    expect(beyondShare({ ...at, count: 1, of: 20 }).breached).toBe(false)
  })

  it('finds a great excess among few', () => {
    expect(beyondShare({ ...at, count: 5, of: 5 })).toMatchObject({ breached: true })
    expect(beyondShare({ ...at, count: 6, of: 20 }).breached).toBe(true)
    expect(beyondShare({ ...at, count: 0, of: 300, harm: 'decrease' }).breached).toBe(true)
    expect(beyondShare({ ...at, count: 0, of: 30, harm: 'decrease' }).breached).toBe(false)
  })

  it('bounds the share: the limit is beyond the bound exactly when it is breached', () => {
    for (const harm of ['increase', 'decrease'] as const)
      for (const count of [0, 3, 10, 40, 200]) {
        const { breached } = beyondShare({ ...at, count, of: 200, harm })
        const bound = boundOfShare({ count, of: 200, harm })
        expect(harm === 'increase' ? bound > at.limit : bound < at.limit).toBe(breached)
        if (harm === 'increase') expect(bound).toBeLessThanOrEqual(count / 200)
        else expect(bound).toBeGreaterThanOrEqual(count / 200)
      }
  })

  it.each([
    ['at the limit', 0.05, 0.05],
    ['well within it', 0.02, 0.002],
  ])(
    'of what lies %s is refuted in at most one of twenty sequences, read after each',
    (_, share, most) => {
      const random = seeded(3)
      let found = 0
      for (let sequence = 0; sequence < 1000; sequence += 1) {
        let [count, breached] = [0, false]
        for (let of = 1; of <= 300 && !breached; of += 1) {
          count += random() < share ? 1 : 0
          breached = beyondShare({ ...at, count, of }).breached
        }
        found += breached ? 1 : 0
      }
      expect(found / 1000).toBeLessThanOrEqual(most)
    },
  )
})
