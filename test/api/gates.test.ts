import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../running-app.ts'

interface Found {
  hits: { id: string }[]
  searchContext: { queryId: string; queryHash: string }
}
interface Evaluated {
  gate: { figures: object }
}

const USERS = 60

interface Asked {
  model: object
  /** A model that ranked what people saw, and ranks no more. */
  before?: object
  /** The changes that somebody makes of the query, by its hits. */
  changes?: (hits: Found['hits']) => object
  more?: object
  /** The place, from 0, of the hit that all people click. */
  clicked: number
  settings?: Record<string, string>
}

/** What a gate says of a model when all people have searched for the same, and clicked one and the same place. */
async function judged(asked: Asked): Promise<Evaluated['gate']> {
  const { model, before, changes, more, clicked, settings } = asked
  const service = await startApp({
    ...{ EXPLORATION_SHARE: '0', MEMORY_STRENGTH: '0', MODEL_GATE_SAMPLE_MIN: '20', ...settings },
  })
  onTestFinished(() => service.close())
  const titles = ['Espresso', 'Espresso at home', 'Espresso and milk', 'Beans for an espresso']
  const documents = titles.map((title, at) => ({ id: `d${at}`, document: { title, year: at } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'coffee', documents })
  const sync = (modelId: string, state: object, activate = false) =>
    service.must('POST', '/nous/learn/models/sync', { modelId, state, activate })
  if (before !== undefined) await sync('before', before, true)
  const search = (own: object) =>
    service.must<Found>('POST', '/cortex/search', { query: 'espresso', index: 'coffee', ...own })
  const { hits, searchContext } = await search({})
  if (changes !== undefined)
    await service.must('POST', '/nous/adapt/apply', {
      ...{ type: 'ranking', queryHash: searchContext.queryHash, immediate: true },
      changes: changes(hits),
    })
  for (let user = 0; user < USERS; user++) {
    const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
    const shown = await search({ sessionId, ...more })
    const { queryId } = shown.searchContext
    const metadata = { userAction: 'click', resultId: shown.hits[clicked]?.id }
    await service.must('POST', '/cortex/feedback', {
      ...{ sessionId, feedback: [{ queryId, rating: 1, metadata }] },
    })
    if (user === 0 && changes !== undefined)
      expect(await service.must('GET', `/nous/learn/searches/${queryId}`)).toMatchObject({
        pinned: 1,
      })
  }
  await service.app.learning.caughtUp()
  if (before !== undefined) await service.must('POST', '/nous/learn/models/before/rollback')
  await sync('asked', model)
  return (await service.must<Evaluated>('POST', '/nous/learn/models/asked/evaluate')).gate
}

it.each([
  ['a pinned hit', 0],
  ['a hit behind a pinned one', 1],
])(
  'to a gate a model that would show the same lists is worth what they are, where people click %s',
  async (_, clicked) => {
    const model = { weights: [1], featureNames: ['fusedScore'] }
    const changes = (hits: Found['hits']) => ({ pins: [hits.at(-1)?.id] })
    const { figures } = await judged({ model, changes, clicked })
    expect(figures).toMatchObject({
      ...{ pages: USERS, difference: 0, interval: { low: 0, high: 0 } },
    })
  },
)

it.each([
  ['fields', ['year:desc'], 0],
  ['their scores, then fields', ['_score', 'year'], 0],
  ['their scores', ['_score'], USERS],
])('a gate goes by lists that a model may order: of those by %s', async (_, sort, pages) => {
  const model = { weights: [-1], featureNames: ['fusedScore'] }
  const { figures } = await judged({ model, more: { sort }, clicked: 0 })
  expect(figures).toMatchObject({ pages })
})

it.each([
  ['behind those that a model orders', 3, 0],
  ['that it puts first', 1, 1],
])(
  'to a gate a model is worth what it would do for people who click a hit %s',
  async (_, clicked, difference) => {
    const model = { weights: [-1], featureNames: ['fusedScore'] }
    const { figures } = await judged({ model, clicked, settings: { RERANK_SIZE: '2' } })
    const { difference: told } = figures as { difference: number }
    expect(told).toBeCloseTo(difference * 0.3, 6)
  },
)

it('to a gate what ranks now is not a model that ranks no more', async () => {
  const [model, before] = [1, -1].map((weight) => {
    return { weights: [weight], featureNames: ['fusedScore'] }
  }) as [object, object]
  const { figures } = await judged({ model, before, clicked: 3 })
  expect(figures).toMatchObject({ pages: 0, verdict: 'not_yet' })
})
