import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

/** Ways to say the same, of one word to four. */
const RULES = [
  ['wifi', 'wi-fi'],
  ['phone', 'mobile phone', 'cell phone'],
  ['usa', 'united states', 'united states of america'],
  ['ny', 'new york', 'new york city', 'city that never sleeps'],
]
const RESTS = ['', 'router', 'router manual in eleven languages', 'one two three '.repeat(20)]

beforeAll(async () => {
  service = await startApp()
  const settings = { analysis: { synonyms: RULES.map((rule) => rule.join(', ')) } }
  await service.must('PUT', '/cortex/indices/typed', { settings })
  const documents = RULES.flat().flatMap((said) =>
    RESTS.flatMap((rest, at) => [
      { id: `${said}/${at}/title`, document: { title: `${said} ${rest}` } },
      { id: `${said}/${at}/twice`, document: { title: 'x', content: `${said} ${rest} ${said}` } },
    ]),
  )
  await service.must('POST', '/cortex/documents/bulk', { index: 'typed', documents })
})
afterAll(() => service.close())

async function scoresOf(body: object): Promise<Map<string, number>> {
  const sent = { index: 'typed', searchType: 'text', size: 1000, ...body }
  const { hits } = await service.must<{ hits: { id: string; score: number }[] }>(
    'POST',
    '/cortex/search',
    sent,
  )
  return new Map(hits.map(({ id, score }) => [id, score]))
}

it.each(RULES.flatMap((rule) => rule.map((typed) => [typed, rule])))(
  'documents that say %s have no lower score than those that say the same in other words',
  async (typed, rule) => {
    for (const query of [typed, `${typed} router`, `"${typed}"`, `${typed} ${typed}`]) {
      const scores = await scoresOf({ query })
      for (const other of rule as string[])
        for (const place of RESTS.flatMap((_, at) => [`${at}/title`, `${at}/twice`])) {
          const [own = 0, others = 0] = [typed, other].map((said) => scores.get(`${said}/${place}`))
          expect(others, `${query}: ${other}/${place}`).toBeGreaterThan(0)
          expect(own, `${query}: ${other}/${place}`).toBeGreaterThanOrEqual(others)
        }
    }
  },
)

it('a row in which another way to say it stands is marked whole, and counted once', async () => {
  const sent = { index: 'typed', searchType: 'text', query: 'phone', highlight: true, size: 1000 }
  const { hits } = await service.must<{
    hits: { id: string; score: number; highlight: { title?: string[] } }[]
  }>('POST', '/cortex/search', sent)
  const said = (id: string) => hits.find((hit) => hit.id === id)
  expect(said('cell phone/1/title')?.highlight.title).toEqual([
    '<em>cell</em> <em>phone</em> router',
  ])
  expect(said('cell phone/1/title')?.score).toBeLessThan(said('phone/1/title')?.score ?? 0)
})

it('a rule of single words makes no difference between them', async () => {
  await service.must('PUT', '/cortex/indices/single', {
    settings: { analysis: { synonyms: ['car, automobile'] } },
  })
  for (const title of ['automobile red', 'car red'])
    await service.must('POST', '/cortex/documents', { index: 'single', document: { title } })
  for (const query of ['car', 'automobile']) {
    const scores = await scoresOf({ index: 'single', query })
    expect(new Set(scores.values()).size).toBe(1)
  }
})
