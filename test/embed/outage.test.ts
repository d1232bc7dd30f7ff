import { expect, it } from 'vitest'
import type { Variables } from '../../src/settings.ts'
import type { RunningApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'
import { type EndpointReply, embeddings } from './endpoint.ts'
import { startServedBy } from './service.ts'

/** A service whose endpoint answers with `state.trouble` as long as there is one. */
async function startWithEndpoint(more: Variables = {}) {
  const state: { trouble: EndpointReply | undefined } = { trouble: undefined }
  const { service, calls } = await startServedBy((call) => state.trouble ?? embeddings(call), {
    CHECKPOINT_MS: '50',
    ...more,
  })
  await service.must('POST', '/cortex/documents', at('first', 'The sea'))
  return { service, state, calls }
}

const at = (id: string, title: string) => ({ index: 'e', id, document: { title } })
const vectorizedOf = async (service: RunningApp, id: string) =>
  (await service.must<{ vectorized: boolean }>('GET', `/cortex/documents/${id}?index=e`)).vectorized
const searched = (service: RunningApp, query: string) =>
  service.call<{ hits: object[]; searchContext: { degraded?: string[] } }>(
    'POST',
    '/cortex/search',
    { index: 'e', query },
  )

it('an endpoint that never answers costs neither searches nor writes their answer', async () => {
  // As the settings are by default, but ten times as fast.
  const times = { REQUEST_TIMEOUT_MS: '3000', EMBEDDER_TIMEOUT_MS: '1000' }
  const { service, state } = await startWithEndpoint(times)
  state.trouble = { silent: true }
  const searches = Array.from({ length: 12 }, (_, n) => searched(service, `sea ${n}`))
  const writes = Array.from({ length: 3 }, (_, n) =>
    service.call('POST', '/cortex/documents', at(`late-${n}`, `A late sea ${n}`)),
  )
  for (const found of await Promise.all(searches)) {
    expect(found).toMatchObject({ status: 200, data: { searchContext: { degraded: ['vector'] } } })
    expect(found.data.hits.length).toBeGreaterThan(0)
  }
  for (const written of await Promise.all(writes))
    expect(written).toMatchObject({ status: 200, data: { vectorized: false } })
  state.trouble = undefined
  for (const n of [0, 1, 2]) await waitUntil(() => vectorizedOf(service, `late-${n}`), 30_000)
})

it.each([
  ['answers with 500', { status: 500 }],
  ['hangs up', { hangUp: true }],
])('an endpoint that %s is left alone more and more, and asked again', async (_, trouble) => {
  const { service, state, calls } = await startWithEndpoint()
  state.trouble = trouble
  const first = Array.from({ length: 10 }, (_, n) => searched(service, `sea at first ${n}`))
  await Promise.all(first)
  const before = calls.length
  const startedMs = performance.now()
  const passedMs = () => performance.now() - startedMs
  let asked = 0
  while (passedMs() < 3000 || asked <= 20) {
    await service.must('POST', '/cortex/documents', at(`d-${asked}`, `A sea ${asked}`))
    expect((await searched(service, `sea ${asked}`)).data.searchContext.degraded).toBeDefined()
    asked += 1
  }
  expect(calls.length - before).toBeLessThan(9 + (passedMs() - 3000) / 1000)
  state.trouble = undefined
  await waitUntil(() => vectorizedOf(service, `d-${asked - 1}`), 30_000)
  expect((await searched(service, 'sea at last')).data.searchContext.degraded).toBeUndefined()
})

it('an endpoint that says how long it wants to be left alone is left alone so long', async () => {
  const { service, state, calls } = await startWithEndpoint()
  state.trouble = { status: 429, headers: { 'retry-after': '60' } }
  await searched(service, 'sea once')
  const before = calls.length
  for (let n = 0; n < 20; n += 1) {
    expect((await searched(service, `sea ${n}`)).data.searchContext.degraded).toEqual(['vector'])
    await service.must('POST', '/cortex/documents', at(`d-${n}`, `A sea ${n}`))
  }
  const only = { index: 'e', query: 'sea twice', searchType: 'vector' }
  const refused = await service.call('POST', '/cortex/search', only)
  expect(refused).toMatchObject({ status: 503, code: 'EMBEDDER_UNAVAILABLE' })
  expect(calls).toHaveLength(before)
})

it('of a bulk with one text that the endpoint refuses, the others get their vectors at once', async () => {
  const { service } = await startServedBy((call) =>
    call.input.some((text) => text.includes('poison')) ? { status: 400 } : embeddings(call),
  )
  const documents = Array.from({ length: 200 }, (_, n) => ({
    ...{ id: `d-${n}`, document: { title: n === 70 ? 'poison' : `A sea ${n}` } },
  }))
  const { items } = await service.must<{ items: { vectorized: boolean }[] }>(
    'POST',
    '/cortex/documents/bulk',
    { index: 'e', documents },
  )
  // Its whole batch waits: the 64th to the 127th.
  expect(items.filter(({ vectorized }) => !vectorized)).toHaveLength(64)
})
