import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { GOODS_OF_EACH, goodsOf, waitUntilSpaceIsLearned } from '../learned-space.ts'

let service: RunningApp

const THINGS = ['headphones', 'keyboard', 'monitor', 'toaster', 'avermectin', 'Schrank']

beforeAll(async () => {
  service = await startApp()
  const documents = goodsOf(THINGS)
  await service.must('POST', '/cortex/documents/bulk', { index: 'shop', documents })
  await waitUntilSpaceIsLearned(service, 'shop')
})
afterAll(() => service.close())

interface Found {
  total: number
  hits: { source: { title: string } }[]
}
const search = (query: string, more: object = {}) =>
  service.must<Found>('POST', '/cortex/search', { index: 'shop', query, ...more })
const first = async (query: string, more: object = {}) =>
  (await search(query, more)).hits[0]?.source.title

it.each([
  ['hedphones', 'headphones'],
  ['moniter olive', 'monitor olive'],
  ['keyb', 'keyboard'],
  ['schrnak', 'Schrank'],
  // Compounds, by their end and by their beginning.
  ['Kleiderschrank', 'Schrank'],
  ['toasteroven', 'toaster'],
])('a word that no document has is guessed: %s', async (query, expected) => {
  for (const searchType of ['hybrid', 'vector'])
    expect(await first(query, { searchType })).toContain(expected)
})

it.each([
  ['hedphones', { searchType: 'text' }],
  ['hedphones', { fuzziness: 0 }],
  // Another first letter, a code, a name, too short, too far.
  ['ivermectin', {}],
  ['monitor2x', { operator: 'and' }],
  ['moNiter', {}],
  ['oliv3', {}],
  ['fer', {}],
  ['headfones', {}],
])('and nothing that may well be what is meant: %s %j', async (query, more) => {
  expect((await search(query, more)).total).toBe(0)
})

it('also where vectors are not yet learned, and marked', async () => {
  const documents = ['Find your receipt', 'Change your address'].map((title) => ({
    document: { title },
  }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'help', documents })
  const few = { index: 'help', highlight: true }
  const { hits } = await service.must<{ hits: { highlight: { title: string[] } }[] }>(
    'POST',
    '/cortex/search',
    { ...few, query: 'reciept' },
  )
  expect(hits.map(({ highlight }) => highlight.title)).toEqual([['Find your <em>receipt</em>']])
  expect(await first('addresss', { ...few, searchType: 'vector' })).toBe('Change your address')
  expect((await search('reciept', { ...few, searchType: 'text' })).total).toBe(0)
})

it('words that documents have are what is meant', async () => {
  const { total } = await search('toaster', { searchType: 'text' })
  expect(total).toBe(GOODS_OF_EACH)
  expect(await first('fern toaster olive')).toBe('Fern toaster olive')
})
