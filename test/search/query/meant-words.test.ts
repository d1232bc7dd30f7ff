import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

/** Many documents with a word that is one letter away from a rare one. */
const LIKE = Array.from({ length: 60 }, (_, at) => ({
  id: `like${at}`,
  document: { title: `cart number ${at}`, content: 'cart cart cart' },
}))
const OTHERS = [
  {
    id: 'own',
    document: { title: 'a long road', content: `carp ${'in a pond of fish '.repeat(9)}` },
  },
  { id: 'pond', document: { title: 'pond', content: 'a pond of water' } },
  {
    id: 'one edit',
    document: { title: 'shelf', content: 'hamster of three words' },
  },
  { id: 'two edits', document: { title: 'basket', content: 'hamper hamper hamper' } },
]

beforeAll(async () => {
  service = await startApp()
  const documents = [...LIKE, ...OTHERS]
  await service.must('POST', '/cortex/documents/bulk', { index: 'near', documents })
})
afterAll(() => service.close())

interface Found {
  total: number
  hits: { id: string; score: number; explain?: { text: Explained } }[]
}
interface Explained {
  score: number
  combined: { score: number; terms: Record<string, { documents: number }> }
}

const find = (query: string, more: object = {}) =>
  service.must<Found>('POST', '/cortex/search', {
    ...{ index: 'near', searchType: 'text', query, size: 100, fuzziness: 1 },
    ...more,
  })

it('a word that documents have comes before those that are like it', async () => {
  const { hits, total } = await find('carp')
  expect(hits[0]?.id).toBe('own')
  expect(total).toBe(LIKE.length + 1)
})

it('a rare word stays one, however many documents have others that are like it', async () => {
  const { hits } = await find('pond carp')
  const exact = await find('pond carp', { fuzziness: 0 })
  expect(hits.slice(0, 2).map(({ id }) => id)).toEqual(exact.hits.map(({ id }) => id))
  expect(hits[0]?.score).toBeCloseTo(exact.hits[0]?.score ?? 0, 3)
})

it('of an unknown word, what is most like it comes first', async () => {
  const { hits } = await find('hamstr', { fuzziness: 2 })
  expect(hits.map(({ id }) => id)).toEqual(['one edit', 'two edits'])
})

it('explanations count documents as scores do', async () => {
  const { hits } = await find('carp', { explain: true, size: 50 })
  for (const { score, explain } of hits) {
    expect(explain?.text.combined.terms.carp?.documents).toBe(1)
    expect(explain?.text.score).toBeCloseTo(score, 4)
  }
})
