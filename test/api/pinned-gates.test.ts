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

/** Somebody pins the last hit, and all people click one and the same hit of what they are shown. */
async function judgedAfter(clicked: number): Promise<Evaluated['gate']> {
  const service = await startApp({
    ...{ EXPLORATION_SHARE: '0', MEMORY_STRENGTH: '0', MODEL_GATE_SAMPLE_MIN: '20' },
  })
  onTestFinished(() => service.close())
  const titles = ['Espresso', 'Espresso at home', 'Espresso and milk', 'Beans for an espresso']
  const documents = titles.map((title, at) => ({ id: `d${at}`, document: { title } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'coffee', documents })
  const search = (more: object) =>
    service.must<Found>('POST', '/cortex/search', { query: 'espresso', index: 'coffee', ...more })
  const { hits, searchContext } = await search({})
  const { queryHash } = searchContext
  const changes = { pins: [hits.at(-1)?.id] }
  await service.must('POST', '/nous/adapt/apply', {
    ...{ type: 'ranking', queryHash, changes, immediate: true },
  })
  for (let user = 0; user < USERS; user++) {
    const session = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
    const { sessionId } = session
    const shown = await search({ sessionId })
    const { queryId } = shown.searchContext
    const metadata = { userAction: 'click', resultId: shown.hits[clicked]?.id }
    await service.must('POST', '/cortex/feedback', {
      ...{ sessionId, feedback: [{ queryId, rating: 1, metadata }] },
    })
    if (user === 0)
      expect(await service.must('GET', `/nous/learn/searches/${queryId}`)).toMatchObject({
        pinned: 1,
      })
  }
  await service.app.learning.caughtUp()
  const state = { weights: [1], featureNames: ['fusedScore'] }
  await service.must('POST', '/nous/learn/models/sync', { modelId: 'same', state })
  return (await service.must<Evaluated>('POST', '/nous/learn/models/same/evaluate')).gate
}

it.each([
  ['a pinned hit', 0],
  ['a hit behind a pinned one', 1],
])(
  'to a gate a model that would show the same lists is worth what they are, where people click %s',
  async (_, clicked) => {
    const { figures } = await judgedAfter(clicked)
    expect(figures).toMatchObject({
      ...{ pages: USERS, difference: 0, interval: { low: 0, high: 0 } },
    })
  },
)
