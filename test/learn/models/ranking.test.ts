import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp({ EXPLORATION_SHARE: '0' })
  const documents = Array.from({ length: 30 }, (_, n) => ({
    id: `d${n}`,
    document: {
      number: n,
      title: `apple ${n}`,
      content: `apple ${'pie '.repeat(1 + ((n * 7) % 30))}`,
    },
  }))
  await running.call('POST', '/cortex/documents/bulk', { index: 'fruit', documents })
})
afterAll(() => running.close())

interface Found {
  hits: { id: string; score: number; explain?: Record<string, unknown> }[]
  total: number
  searchContext: { model: string | null }
}

async function search(more: object = {}): Promise<Found> {
  const asked = { query: 'apple', index: 'fruit', searchType: 'text', size: 30, ...more }
  const { status, data } = await running.call<Found>('POST', '/cortex/search', asked)
  expect(status).toBe(200)
  return data
}
const ids = ({ hits }: Found) => hits.map(({ id }) => id)
const byLength = (weight: number) => ({
  weights: [weight],
  bias: 0,
  featureNames: ['documentLength'],
})
const sync = (modelId: string, weight: number, activate: boolean) =>
  running.call('POST', '/nous/learn/models/sync', { modelId, state: byLength(weight), activate })

it('an active model orders the hits, a rollback gives exactly the earlier order', async () => {
  const before = await search()
  expect(before.searchContext.model).toBeNull()
  await sync('short', -1, true)
  const ranked = await search()
  expect(ranked.searchContext.model).toBe('short@1')
  const length = (id: string) => 1 + ((Number(id.slice(1)) * 7) % 30)
  expect(ids(ranked).map(length)).toEqual(
    ids(before)
      .map(length)
      .sort((a, b) => a - b),
  )
  expect(ranked.total).toBe(before.total)
  await sync('short', 1, true)
  expect(ids(await search()).map(length)).toEqual(
    ids(before)
      .map(length)
      .sort((a, b) => b - a),
  )
  const scores = ranked.hits.map(({ score }) => score)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
  await running.call('POST', '/nous/learn/models/short/rollback')
  expect(ids(await search())).toEqual(ids(ranked))
  await running.call('POST', '/nous/learn/models/short/rollback')
  const after = await search()
  expect(after.hits).toEqual(before.hits)
  expect(after.searchContext.model).toBeNull()
})

it('pages of a ranked list agree with the whole', async () => {
  await sync('paged', -1, true)
  const whole = ids(await search())
  const pages = [0, 10, 20].map(async (from) => ids(await search({ from, size: 10 })))
  expect((await Promise.all(pages)).flat()).toEqual(whole)
  expect((await search({ explain: true })).hits[0]!.explain).toMatchObject({
    model: expect.any(Number),
  })
  await running.call('POST', '/nous/learn/models/paged/rollback')
})

it('a sorted list stays sorted', async () => {
  const plain = await search({ sort: ['number:desc'] })
  await sync('sorted', -1, true)
  expect(ids(await search({ sort: ['number:desc'] }))).toEqual(ids(plain))
  await running.call('POST', '/nous/learn/models/sorted/rollback')
})

it('a model that was only synced changes nothing', async () => {
  const before = await search()
  await sync('idle', -1, false)
  const after = await search()
  expect(after.hits).toEqual(before.hits)
  expect(after.searchContext.model).toBeNull()
})

it('takes a name that is too long for any model as that of none', async () => {
  const model = 'm'.repeat(70_000)
  for (const name of [model, `${model}@1`]) {
    const changed = await running.call<{ warnings?: string[] }>('POST', '/nous/adapt/apply', {
      type: 'ranking',
      changes: { model: name },
    })
    expect(changed.status).toBe(200)
    expect(changed.data.warnings?.[0]).toContain('model')
  }
  const variants = [{ id: 'a' }, { id: 'b', config: { model } }]
  const made = await running.call('POST', '/cortex/ab-test', { name: 'long', variants })
  expect(made.status).toBe(200)
})
