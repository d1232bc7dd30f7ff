import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let app: RunningApp

beforeAll(async () => {
  app = await startApp()
  const properties = { parts: { type: 'object', properties: { note: { type: 'text' } } } }
  await app.must('POST', '/cortex/indices', { name: 'texts', mappings: { properties } })
  const texts = {
    near: { title: 'quick brown fox', content: 'a fox is not quick, says the fox' },
    lists: { title: 'animals', authors: ['Smith quick', 'fox Jones'] },
    objects: { title: 'things', parts: [{ note: 'so quick' }, { note: 'fox there' }] },
    once: { title: 'bora' },
    twice: { title: 'bora beach bora' },
  }
  const documents = Object.entries(texts).map(([id, document]) => ({ id, document }))
  await app.must('POST', '/cortex/documents/bulk', { index: 'texts', documents })
})
afterAll(() => app.close())

interface Found {
  hits: { id: string; highlight: Record<string, string[]> }[]
}

async function find(query: string, slop: number): Promise<Found['hits']> {
  const search = { index: 'texts', query, slop, searchType: 'text', highlight: true }
  return (await app.must<Found>('POST', '/cortex/search', search)).hits
}
const ids = async (query: string, slop: number) => (await find(query, slop)).map(({ id }) => id)

it('a phrase is found in one value of a list, however far its words may lie apart', async () => {
  for (const slop of [1, 2, 10, 100]) {
    expect(await ids('"quick fox"', slop)).toEqual(['near'])
    expect(await ids('"quick and the fox"', slop)).toEqual(['near'])
  }
  expect(await ids('"fox Jones"', 0)).toEqual(['lists'])
})

it('a word that stands twice in a phrase must stand twice in a document', async () => {
  expect(await ids('"bora bora"', 0)).toEqual([])
  expect(await ids('"bora bora"', 1)).toEqual(['twice'])
  expect(await ids('"bora bora"', 100)).toEqual(['twice'])
})

it('a phrase whose words may lie apart is marked where it stands, and nowhere else', async () => {
  const [hit] = await find('"quick fox"', 1)
  expect(hit?.highlight).toEqual({ title: ['<em>quick</em> brown <em>fox</em>'] })
  const [backwards] = await find('"quick fox"', 4)
  expect(backwards?.highlight.content).toEqual([
    'a <em>fox</em> is not <em>quick</em>, says the fox',
  ])
})
