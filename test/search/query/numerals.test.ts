import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const TITLES = [
  'Algebra I',
  'Algebra II',
  'Algebra 2, notes',
  'Hotel on Fifth Avenue',
  'Hotel on 4th Avenue',
  'Symphony No. 5',
  'Take Five',
]

beforeAll(async () => {
  service = await startApp()
  const documents = TITLES.map((title) => ({ id: title, document: { title } }))
  for (const index of ['english', 'none']) {
    const settings = { analysis: { language: index } }
    await service.must('POST', '/cortex/indices', { name: index, settings })
    await service.must('POST', '/cortex/documents/bulk', { index, documents })
  }
})
afterAll(() => service.close())

interface Found {
  hits: { id: string; highlight: { title: string[] } }[]
}
const search = (query: string, more: object = {}) =>
  service.must<Found>('POST', '/cortex/search', {
    ...{ index: 'english', searchType: 'text', operator: 'and', query, highlight: true },
    ...more,
  })
const found = async (query: string, more: object = {}) =>
  (await search(query, more)).hits.map(({ id }) => id)

it.each([
  // What is written comes first.
  ['algebra 2', ['Algebra 2, notes', 'Algebra II']],
  ['algebra ii', ['Algebra II', 'Algebra 2, notes']],
  ['algebra two', ['Algebra II', 'Algebra 2, notes']],
  ['5th avenue', ['Hotel on Fifth Avenue']],
  ['FOURTH avenue', ['Hotel on 4th Avenue']],
  ['take 5', ['Take Five']],
])('a number is found however it is written: %s', async (query, expected) => {
  expect(await found(query)).toEqual(expected)
})

it.each([
  // Texts have "I" and "one" for other reasons, and a place in a row is no number.
  ['algebra 1', {}],
  ['algebra one', {}],
  ['5 avenue', {}],
  ['fifth symphony', {}],
  // Words of no language have no other forms.
  ['take 5', { index: 'none' }],
])('and not by what may be something else: %s %j', async (query, more) => {
  expect(await found(query, more)).toEqual([])
})

it('in a long query, a number says little', async () => {
  const long = '2 songs of an old band from Chicago with label'
  expect(await found(long, { operator: 'or' })).toEqual(['Algebra 2, notes'])
})

it('marks the form that the text has', async () => {
  const { hits } = await search('hotel 5th avenue')
  expect(hits[0]?.highlight.title).toEqual(['<em>Hotel</em> on <em>Fifth</em> <em>Avenue</em>'])
})
