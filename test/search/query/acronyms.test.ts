import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const EXPORTS = 'Exports of the U.S.A. fall'
const NEWS = 'News from the USA'
const ROBOTS = 'A.I. for robots'
const BOOKS = 'Books by J.R.R. Tolkien'

beforeAll(async () => {
  service = await startApp()
  const documents = [EXPORTS, NEWS, ROBOTS, BOOKS, 'At home'].map((title) => ({
    id: title,
    document: { title },
  }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'papers', documents })
})
afterAll(() => service.close())

async function find(query: string) {
  const search = { index: 'papers', query, searchType: 'text', highlight: true }
  const { hits } = await service.must<{
    hits: { id: string; highlight: { title: string[] } }[]
  }>('POST', '/cortex/search', search)
  return hits
}

it.each([
  ['usa', [EXPORTS, NEWS]],
  ['U.S.A.', [EXPORTS, NEWS]],
  ['exports U.S.A.', [EXPORTS, NEWS]],
  ['AI', [ROBOTS]],
  ['A.I.', [ROBOTS]],
  ['jrr tolkien', [BOOKS]],
  ['J. R. R. Tolkien', [BOOKS]],
  ['tolkien, j.r.r.', [BOOKS]],
])('%s is found with points and without', async (query, titles) => {
  const hits = await find(query)
  expect(hits.map(({ id }) => id).sort()).toEqual(titles)
})

it('is marked as it is written', async () => {
  const [{ highlight } = { highlight: { title: [] } }] = await find('usa exports')
  expect(highlight.title).toEqual(['<em>Exports</em> of the <em>U.S.A.</em> fall'])
})

it('is completed without its points', async () => {
  const { completions } = await service.must<{ completions: { text: string }[] }>(
    'POST',
    '/cortex/suggest',
    { index: 'papers', prefix: 'us' },
  )
  expect(completions.map(({ text }) => text)).toEqual(['usa'])
})
