import { expect, it, onTestFinished } from 'vitest'
import type { WriteParts } from '../../../src/search/documents/document-writes.ts'
import { openWaitingVectors } from '../../../src/search/documents/waiting-vectors.ts'
import type { IndexEntry } from '../../../src/search/indices/index-entry.ts'
import type { Store } from '../../../src/store/store.ts'
import { type EndpointReply, embeddings, startEndpoint } from '../../embed/endpoint.ts'
import { startApp } from '../../running-app.ts'
import { temporaryStore } from '../../store/open.ts'
import { waitUntil } from '../../wait-until.ts'

const REFUSED: EndpointReply = { status: 400 }

/** A service whose endpoint refuses every call with a text that says so, or does nothing at all. */
async function startWithEndpoint() {
  const state = { refusing: '', isSilent: false }
  const { url, calls } = await startEndpoint((call) => {
    if (state.isSilent) return { silent: true }
    const isRefused = call.input.some((text) => text.includes(state.refusing))
    return state.refusing !== '' && isRefused ? REFUSED : embeddings(call)
  })
  const service = await startApp({
    ...{ EMBEDDER: 'http', EMBEDDER_URL: url, EMBEDDER_DIMENSIONS: '3', CHECKPOINT_MS: '50' },
  })
  let isOpen = true
  const close = async () => {
    if (isOpen) await service.close()
    isOpen = false
  }
  onTestFinished(close)
  const add = (ids: readonly string[], title: string) =>
    service.must('POST', '/cortex/documents/bulk', {
      index: 'e',
      documents: ids.map((id) => ({ id, document: { title: `${title} ${id}` } })),
    })
  const isVectorized = async (id: string) =>
    (await service.must<{ vectorized: boolean }>('GET', `/cortex/documents/${id}?index=e`))
      .vectorized
  return { service, state, calls, add, isVectorized, close }
}

const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${letter}${1000 + at}`)

it('a text that the endpoint refuses keeps no other from its vector', async () => {
  const { state, add, isVectorized } = await startWithEndpoint()
  state.refusing = ' '
  await add(['a', 'c'], 'sea')
  await add(['b', 'z'], 'poison')
  await add(numbered('m', 300), 'sun')
  state.refusing = 'poison'
  for (const id of ['a', 'c', 'm1000', 'm1299']) await waitUntil(() => isVectorized(id), 20_000)
  expect([await isVectorized('b'), await isVectorized('z')]).toEqual([false, false])
  state.refusing = ''
  for (const id of ['b', 'z']) await waitUntil(() => isVectorized(id), 20_000)
})

it('a document that was deleted waits for no vector', async () => {
  const { service, state, add, isVectorized } = await startWithEndpoint()
  state.refusing = ' '
  const ids = numbered('a', 300)
  await add([...ids, 'z'], 'sea')
  for (const id of ids) await service.must('DELETE', `/cortex/documents/${id}?index=e`)
  state.refusing = ''
  await waitUntil(() => isVectorized('z'), 20_000)
  const { unvectorized } = service.app.store.tables
  await waitUntil(() => unvectorized.count() === 0, 20_000)
})

it('an endpoint that does not answer holds up no checkpoint, and not the end of the service', async () => {
  const { service, state, calls, add, close } = await startWithEndpoint()
  state.refusing = ' '
  await add(['a'], 'sea')
  state.isSilent = true
  await waitUntil(() => calls.at(-1)?.input.includes('sea a') === true)
  const before = calls.length
  await waitUntil(() => calls.length > before)
  await service.must('POST', '/cortex/indices', {
    name: 'own',
    settings: { embedder: { kind: 'learned' } },
  })
  for (const title of ['sea', 'sun'])
    await service.must('PUT', '/cortex/documents/x?index=own', { title })
  // What the index's files know of removals is forgotten.
  await waitUntil(() => service.app.store.tables.removals.count() === 0, 20_000)
  const startedMs = performance.now()
  await close()
  expect(performance.now() - startedMs).toBeLessThan(5000)
})

it.each([true, false])(
  'a document that is gone waits no more, unless it has come again meanwhile (%s)',
  async (comesAgain) => {
    const inner = temporaryStore()
    const { documents, unvectorized } = inner.tables
    const key: [number, string] = [1, 'a']
    await inner.write(() => unvectorized.put(key, true))
    // What is written between the look at the documents and the transaction.
    const release: Store['release'] = async (work) => {
      if (comesAgain) await inner.write(() => documents.put(key, 5))
      return inner.release(work)
    }
    const parts = { store: { ...inner, release } } as unknown as WriteParts
    await openWaitingVectors(() => ({}) as IndexEntry, parts)()
    expect(unvectorized.has(key)).toBe(comesAgain)
  },
)
