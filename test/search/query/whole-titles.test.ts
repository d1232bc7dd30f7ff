import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

interface Part {
  score: number
  whole?: { frequency: number; score: number }
  terms: Record<string, { score: number }>
}
interface Found {
  total: number
  hits: { id: string; score: number; explain: { text: Text } }[]
}
interface Text {
  score: number
  combined: Part
  fields: Record<string, Part>
}

let service: RunningApp

/** Products, and what fits them, which names them in its title and in its description. */
const SHOP: Record<string, [title: string, description: string, brand: string]> = {
  case: [
    'Silicone Case for Galaxy S24',
    'Made for the Galaxy S24. Fits the Galaxy S24 only.',
    'Spigen',
  ],
  glass: [
    'Screen Protector Galaxy S24',
    'Glass for your Galaxy S24. Protects the Galaxy S24.',
    'Spigen',
  ],
  ultra: ['Galaxy S24 Ultra', 'The biggest Galaxy, with a pen and a frame of titanium.', 'Samsung'],
  phone: ['Galaxy S24', 'Smartphone with three cameras and seven years of updates.', 'Samsung'],
  cleaner: [
    'Espresso Machine Descaler',
    'Cleans your espresso machine. Any espresso machine.',
    'Durgol',
  ],
  filter: [
    'Filter for Espresso Machine',
    'Goes into an espresso machine; an espresso machine wants it.',
    'Motta',
  ],
  machine: ['Espresso Machine', 'With a pump of 15 bar and a tank of two litres.', 'Motta'],
  chain: ['Lock for Bike', 'Keeps your bike where it is: no bike without a lock.', 'Abus'],
  bike: ['Bike', 'With seven gears and lights on both ends.', 'Abus'],
  cream: ['Crème brûlée dish', 'Dish for crème brûlée. Bake crème brûlée in it.', 'Revol'],
  dessert: ['Crème brûlée', 'Ready to serve, with a bag of sugar on top.', 'Bonne'],
}

beforeAll(async () => {
  service = await startApp()
  const text = { type: 'text' }
  await service.must('POST', '/cortex/indices', {
    name: 'shop',
    mappings: { properties: { description: text, brand: { type: 'keyword', searched: true } } },
  })
  const documents = Object.entries(SHOP).map(([id, [title, description, brand]]) => ({
    id,
    document: { title, description, brand },
  }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'shop', documents })
})
afterAll(() => service.close())

const find = async (query: string, more: object = {}) => {
  const search = { index: 'shop', query, searchType: 'text', explain: true, ...more }
  return (await service.call<Found>('POST', '/cortex/search', search)).data
}
const first = async (query: string, more?: object) => (await find(query, more)).hits[0]?.id

it.each([
  ['galaxy s24', 'phone'],
  ['the Galaxy S24 Ultra', 'ultra'],
  ['espresso machine', 'machine'],
  ['bike', 'bike'],
  ['crème brûlée', 'dessert'],
])('a title that is the query, %s, comes before what fits it', async (query, id) => {
  expect(await first(query)).toBe(id)
  expect(await first(query, { searchType: 'hybrid' })).toBe(id)
})

it('who asks for what fits it finds that', async () => {
  expect(await first('galaxy s24 case')).toBe('case')
  expect(await first('espresso machine descaler')).toBe('cleaner')
  expect(await first('bike lock')).toBe('chain')
})

it('a title whose words are all of the query but one counts less, and one that is half of it nothing', async () => {
  const wholes = async (query: string) => {
    const { hits } = await find(query)
    return Object.fromEntries(
      hits.map(({ id, explain }) => [id, explain.text.fields.title?.whole?.frequency]),
    )
  }
  expect((await wholes('galaxy s24')).phone).toBe(1)
  const near = (await wholes('samsung galaxy s24')).phone
  expect(near).toBeGreaterThan(0)
  expect(near).toBeLessThan(1)
  expect((await wholes('abus bike')).bike).toBeUndefined()
  expect((await wholes('galaxy s24')).case).toBeUndefined()
})

it('what the query as a whole scores is a part of the scores of its fields, as explain tells', async () => {
  const { hits, total } = await find('galaxy s24')
  expect(total).toBe(4)
  for (const { score, explain } of hits) {
    expect(score).toBeCloseTo(explain.text.score, 5)
    for (const part of [explain.text.combined, ...Object.values(explain.text.fields)]) {
      const terms = Object.values(part.terms).reduce((sum, term) => sum + term.score, 0)
      expect(part.score).toBeCloseTo(terms + (part.whole?.score ?? 0), 4)
    }
  }
  expect(hits[0]?.explain.text.fields.title?.whole).toBeDefined()
  expect(hits[0]?.explain.text.combined.whole).toBeDefined()
})

it('pages, filters and facets do not change what it counts', async () => {
  const { hits } = await find('galaxy s24')
  const page = await find('galaxy s24', { from: 1, size: 2 })
  expect(page.hits.map(({ id }) => id)).toEqual(hits.slice(1, 3).map(({ id }) => id))
  const filtered = await find('galaxy s24', { filters: { brand: 'Samsung' } })
  expect(filtered.hits.map(({ id, score }) => [id, score])).toEqual(
    hits.filter(({ id }) => ['phone', 'ultra'].includes(id)).map(({ id, score }) => [id, score]),
  )
})
