import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

/** Numbers that libraries write in more than one way, as JSON in JavaScript has them. */
const NUMBERS = [0.000001, 1.5e-6, 1e-7, 0.1, 1e16, 1e19, 1e20, 123456789012345680000, 1e21, 1e300]

let app: RunningApp

beforeAll(async () => {
  app = await startApp()
  const properties = {
    n: { type: 'double', fields: { word: { type: 'keyword' } } },
    day: { type: 'date' },
  }
  await app.must('POST', '/cortex/indices', { name: 'numbers', mappings: { properties } })
  const documents = NUMBERS.map((n) => ({ id: `${n}`, document: { title: 'one', n, free: n } }))
  await app.must('POST', '/cortex/documents/bulk', {
    index: 'numbers',
    documents: [...documents, { id: 'day', document: { title: 'day', day: 1_577_836_800_000 } }],
  })
})
afterAll(() => app.close())

async function find(filters: object): Promise<string[]> {
  const search = { index: 'numbers', filters }
  const { hits } = await app.must<{ hits: { id: string }[] }>('POST', '/cortex/search', search)
  return hits.map(({ id }) => id)
}

it('a number is found by itself and by the text that JavaScript writes for it', async () => {
  for (const n of NUMBERS)
    for (const field of ['n', 'n.word', 'free'])
      for (const value of [n, `${n}`])
        expect([field, value, await find({ [field]: value })]).toEqual([field, value, [`${n}`]])
})

it('numbers are counted as words as JavaScript writes them', async () => {
  const search = { index: 'numbers', size: 0, facets: { 'n.word': { size: 20 } } }
  const { facets } = await app.must<{
    facets: Record<string, { values: { value: unknown }[] }>
  }>('POST', '/cortex/search', search)
  const words = facets['n.word']?.values.map(({ value }) => value)
  expect(words?.sort()).toEqual(NUMBERS.map(String).sort())
})

it('milliseconds in a text find a date, with white space around them as other numbers', async () => {
  for (const day of ['1577836800000', ' 1577836800000', '1577836800000 '])
    expect(await find({ day })).toEqual(['day'])
})
