import { describe, expect, it } from 'vitest'
import type { CoreRequest } from '../../../src/search/query/core-request.ts'
import { tune, tunedScores } from '../../../src/search/query/tune.ts'

const BASE: CoreRequest = { query: 'cheap car', mode: 'hybrid', from: 0, size: 10 }

describe('a ranking change under a search', () => {
  it('sets what the search does not say', () => {
    const tuned = tune(BASE, { fusion: 'rrf', legWeights: { text: 0.5, vector: 0.5 } })
    expect(tuned.fusion).toBe('rrf')
    expect(tuned.weights).toEqual({ text: 0.5, vector: 0.5 })
    expect(BASE.fusion).toBeUndefined()
  })

  it('leaves what the search says itself', () => {
    const asked: CoreRequest = { ...BASE, fusion: 'convex', boost: { title: 3 }, minScore: 0.5 }
    const tuning = { fusion: 'rrf', fieldWeights: { title: 9, tags: 2 }, minScore: 0.1 } as const
    const tuned = tune(asked, tuning)
    expect(tuned.fusion).toBe('convex')
    expect(tuned.boost).toEqual({ title: 3, tags: 2 })
    expect(tuned.minScore).toBe(0.5)
  })

  it.each([
    ['weights', { text: 1, vector: 0 }, { legWeights: { text: 0.5, vector: 0.5 } }],
    ['fusion', 'convex', { fusion: 'rrf' }],
    ['neighbors', 5, { neighbors: 50 }],
    ['cut', 0, { similarity: 0.5 }],
    ['minScore', 0, { minScore: 0.5 }],
    ['operator', 'or', { operator: 'and' }],
    ['fuzziness', '0', { fuzziness: 'AUTO' }],
    ['feedback', false, { feedback: true }],
  ] as const)('sets %s where the search does not say it itself', (name, said, tuning) => {
    const [set] = Object.values(tuning)
    expect(tune(BASE, tuning)).toEqual({ ...BASE, [name]: set })
    expect(tune({ ...BASE, [name]: said }, tuning)).toEqual({ ...BASE, [name]: said })
  })

  it('hands on words that mean the same, and leaves the query as it is', () => {
    const synonyms = [['car', 'automobile'], ['tv => television']]
    expect(tune(BASE, { synonyms })).toEqual({ ...BASE, synonyms })
  })

  it('puts pins above boosts, the first pin highest, in the indices that their name may mean', () => {
    const scores = tunedScores(
      { pins: [{ id: 'a' }, { id: 'b', index: 'two' }], boosts: [{ id: 'c', value: 0.2 }] },
      ({ index }) => (index === undefined ? [1, 2] : [2]),
    )
    const valuesOf = (id: string): number[] =>
      scores.filter(([, name]) => name === id).map(([, , value]) => value)
    expect(valuesOf('c')).toEqual([0.2, 0.2])
    expect(valuesOf('a')).toHaveLength(2)
    expect(valuesOf('b')).toHaveLength(1)
    expect(valuesOf('a')[0]).toBeGreaterThan(valuesOf('b')[0] ?? 0)
    expect(valuesOf('b')[0]).toBeGreaterThan(100)
  })

  it('gives a document that is pinned twice its first place', () => {
    const pins = [{ id: 'a' }, { id: 'b' }, { id: 'b', index: 'one' }, { id: 'a' }, { id: 'c' }]
    const scores = tunedScores({ pins }, () => [1])
    expect(scores.map(([, id]) => id)).toEqual(['a', 'b', 'c'])
    expect(scores.map(([, , value]) => value)).toEqual(
      scores.map(([, , value]) => value).toSorted((one, other) => other - one),
    )
  })

  it('adds the boosts of a document, and keeps their sum below a pin, too', () => {
    const boosts = Array.from({ length: 30 }, (_, at) => [
      { id: 'b', value: 100 },
      { id: 'c', value: 0.5 },
      { id: 'd', value: at < 2 ? 60 : -100 },
    ])
    const scores = tunedScores({ pins: [{ id: 'a' }], boosts: boosts.flat() }, () => [1])
    expect(scores.map(([, id]) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(scores.slice(1).map(([, , value]) => value)).toEqual([100, 15, -100])
  })

  it('keeps a boost below a pin, however large it is', () => {
    const boosts = [1e308, -1e308].map((value) => ({ id: `c${value}`, value }))
    const scores = tunedScores({ pins: [{ id: 'a' }], boosts }, () => [1])
    const [pin = 0, most = 0, least = 0] = scores.map(([, , value]) => value)
    expect(pin).toBeGreaterThan(most)
    expect(most + least).toBe(0)
  })
})
