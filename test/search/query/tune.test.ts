import { describe, expect, it } from 'vitest'
import type { CoreRequest } from '../../../src/search/query/core-request.ts'
import { tune } from '../../../src/search/query/tune.ts'

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
})
