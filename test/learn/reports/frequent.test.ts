import { describe, expect, it } from 'vitest'
import { askerOf } from '../../../src/learn/patterns/askers.ts'
import { openFrequent, readQueries } from '../../../src/learn/reports/frequent.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'

describe('the most frequent queries', () => {
  it('are exact while there is room', () => {
    const frequent = openFrequent(3)
    const named = (hash: string) => ({ queryHash: hash, query: `query ${hash}` })
    for (const [at, hash] of ['a', 'b', 'a', 'c', 'a', 'b'].entries()) {
      const asked = hash === 'a' ? { unit: 'eve' } : { sessionId: `session ${at}` }
      frequent.add({ ...named(hash), ...asked })
    }
    frequent.click(named('b'))
    frequent.click({ ...named('a'), unit: 'eve' })
    frequent.click({ ...named('no room'), unit: 'eve' })
    // More than 31 bits.
    const eve = askerOf({ unit: 'eve' })
    expect(eve).toBe(3195153537)
    const third = askerOf({ sessionId: 'session 3' })
    const none = { clickable: 0, clicked: 0, clickedOfNobody: 0 }
    const expected = [
      { ...named('a'), ...none, searches: 3, clickable: 3, clicked: 1, asker: eve },
      { ...named('b'), ...none, searches: 2, clicked: 1, clickedOfNobody: 1, asker: 0 },
      { ...named('c'), ...none, searches: 1, asker: third },
    ]
    expect(readQueries(frequent.record())).toEqual(expected)
    expect(readQueries(openFrequent(3, frequent.record()).record())).toEqual(expected)
  })

  it('take no more room once one of the least has been forgotten', () => {
    const frequent = openFrequent(3)
    const ask = (hash: string) => frequent.add({ queryHash: hash, query: hash, unit: hash })
    for (const hash of ['a', 'b', 'c', 'd']) ask(hash)
    frequent.forget('b', 1)
    frequent.forgetAskers(new Set([askerOf({ unit: 'c' })]))
    for (const hash of ['e', 'f', 'g', 'h']) ask(hash)
    expect(readQueries(frequent.record())).toHaveLength(3)
  })

  it('are read as earlier versions wrote them: all searches can be clicked, by several', () => {
    const read = (...counts: number[]) => {
      const bytes = new Uint8Array(new Float64Array(counts).buffer)
      return readQueries({ names: '["a","x","b","y"]', counts: bytes })
    }
    expect(read(3, 1, 2, 0)).toMatchObject([
      { queryHash: 'a', query: 'x', searches: 3, clickable: 3, clicked: 1, asker: 0 },
      { queryHash: 'b', query: 'y', searches: 2, clickable: 2, clicked: 0, asker: 0 },
    ])
    expect(read(3, 1, 2, 0)[0]).toHaveProperty('clickedOfNobody', 0)
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
