import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

interface Found {
  hits: { id: string; score: number; explain?: { text: { fields: Record<string, Field> } } }[]
}
interface Field {
  terms: Record<string, { documents: number }>
}

let service: RunningApp

/** A shop in which nearly all names have `phone`, and one description. */
const NAMES = {
  case: 'Case for Phone X 14 Pro',
  phone: 'Phone X 14',
  pro: 'Phone X 14 Pro',
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`other${at}`, `Phone Y ${at + 20}`]),
  ),
}
const SAFE = 'Keeps your phone safe, slim and light as it is, wherever it may fall'
const BRIGHT = 'Bright display, fast and light, with two cameras on its back side'
const MAPPINGS = { properties: { name: { type: 'text' }, description: { type: 'text' } } }

beforeAll(async () => {
  service = await startApp()
  await service.must('POST', '/cortex/indices', { name: 'shop', mappings: MAPPINGS })
  for (const [index, title, content] of [
    ['titles', 'title', 'content'],
    ['shop', 'name', 'description'],
  ] as const) {
    const documents = Object.entries(NAMES).map(([id, name]) => ({
      id,
      document: { [title]: name, [content]: id === 'case' ? SAFE : BRIGHT },
    }))
    await service.must('POST', '/cortex/documents/bulk', { index, documents })
  }
})
afterAll(() => service.close())

const find = async (index: string, more: object = {}) => {
  const search = { index, query: 'phone x 14', searchType: 'text', explain: true, size: 5, ...more }
  return (await service.call<Found>('POST', '/cortex/search', search)).data.hits
}

it.each([
  ['a title that weighs more', 'titles', {}],
  ['fields that a search weighs the same', 'titles', { searchFields: { title: 1, content: 1 } }],
  ['fields that the mapping weighs the same', 'shop', {}],
])('what nearly all names have says little in a description: %s', async (_, index, more) => {
  const hits = await find(index, more)
  expect(hits.slice(0, 3).map((hit) => hit.id)).toEqual(['phone', 'pro', 'case'])
  const fields = Object.values(hits[2]?.explain?.text.fields ?? {})
  expect(fields.map((field) => field.terms.phone?.documents)).toEqual([23, 23])
})

it('who weighs the description more than the name has it count by its own documents', async () => {
  const hits = await find('shop', { boost: { description: 2 } })
  const fields = hits.find((hit) => hit.id === 'case')?.explain?.text.fields
  expect(fields?.description?.terms.phone?.documents).toBe(1)
  expect(fields?.name?.terms.phone?.documents).toBe(23)
})

it('a list of the fields to search leaves them their weights', async () => {
  const scores = async (more: object) =>
    (await find('titles', more)).map((hit) => [hit.id, hit.score])
  const listed = await scores({
    searchFields: ['title', 'content', 'abstract', 'authors', 'tags', 'source'],
  })
  expect(listed).toEqual(await scores({}))
  expect(listed).not.toEqual(await scores({ searchFields: { title: 1, content: 1 } }))
})
