import { describe, expect, it } from 'vitest'
import { addToSketch, type Sketch, sketchQuantile } from '../../../src/learn/metrics/sketch.ts'
import { askerOf } from '../../../src/learn/patterns/askers.ts'
import { openDistinct } from '../../../src/learn/reports/distinct.ts'
import { openFrequent, readQueries } from '../../../src/learn/reports/frequent.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'

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

  it.each([300, 2000, 10_000, 200_000])('is near for %d', (count) => {
    expect(Math.abs(counted(count).size() / count - 1)).toBeLessThan(0.07)
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

describe('the most frequent queries', () => {
  it('are exact while there is room', () => {
    const frequent = openFrequent(3)
    for (const [at, hash] of ['a', 'b', 'a', 'c', 'a', 'b'].entries()) {
      const asked = hash === 'a' ? { unit: 'eve' } : { sessionId: `session ${at}` }
      frequent.add({ queryHash: hash, query: `query ${hash}`, ...asked })
    }
    const clicked = (hash: string) => ({ queryHash: hash, query: `query ${hash}`, unit: 'eve' })
    frequent.click(clicked('b'), false)
    frequent.click(clicked('a'), true)
    frequent.click(clicked('no room'), true)
    // More than 31 bits.
    const eve = askerOf({ unit: 'eve' })
    expect(eve).toBe(3195153537)
    const third = askerOf({ sessionId: 'session 3' })
    const expected = [
      { queryHash: 'a', query: 'query a', searches: 3, clickable: 3, clicked: 1, asker: eve },
      { queryHash: 'b', query: 'query b', searches: 2, clickable: 1, clicked: 1, asker: 0 },
      { queryHash: 'c', query: 'query c', searches: 1, clickable: 0, clicked: 0, asker: third },
    ]
    expect(readQueries(frequent.record())).toEqual(expected)
    expect(readQueries(openFrequent(3, frequent.record()).record())).toEqual(expected)
  })

  it('are read as earlier versions wrote them: all searches can be clicked, by several', () => {
    const read = (...counts: number[]) => {
      const bytes = new Uint8Array(new Float64Array(counts).buffer)
      return readQueries({ names: '["a","x","b","y"]', counts: bytes })
    }
    expect(read(3, 1, 2, 0)).toEqual([
      { queryHash: 'a', query: 'x', searches: 3, clickable: 3, clicked: 1, asker: 0 },
      { queryHash: 'b', query: 'y', searches: 2, clickable: 2, clicked: 0, asker: 0 },
    ])
    expect(read(3, 1, 2, 2, 0, 0)).toMatchObject([
      { queryHash: 'a', searches: 3, clickable: 2, clicked: 1, asker: 0 },
      { queryHash: 'b', searches: 2, clickable: 0, clicked: 0, asker: 0 },
    ])
  })

  it('hold the heavy ones among many others, and count them too low never', () => {
    const random = seeded(7)
    const frequent = openFrequent(50)
    const exact = new Map<string, number>()
    for (let at = 0; at < 20_000; at += 1) {
      // Half of the searches are for ten queries, the others for thousands.
      const hash = random() < 0.5 ? `head-${Math.floor(random() * 10)}` : `tail-${at}`
      exact.set(hash, (exact.get(hash) ?? 0) + 1)
      frequent.add({ queryHash: hash, query: hash, unit: 'ann' })
    }
    const counts = readQueries(frequent.record())
    expect(counts).toHaveLength(50)
    const top = [...counts].sort((a, b) => b.searches - a.searches).slice(0, 10)
    expect(top.every(({ queryHash }) => queryHash.startsWith('head-'))).toBe(true)
    for (const { queryHash, searches } of counts)
      expect(searches).toBeGreaterThanOrEqual(exact.get(queryHash) ?? 0)
  })
})

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
