import { expect, it } from 'vitest'
import { embeddings } from '../../embed/endpoint.ts'
import { startServedBy } from '../../embed/service.ts'
import { closedGate } from '../../gate.ts'
import { waitUntil } from '../../wait-until.ts'

it('a search of all indices goes on without one that is deleted meanwhile; whoever names it is told', async () => {
  const deletion = closedGate()
  const { service, calls } = await startServedBy(async (call) => {
    if (call.input.includes('slow otter')) await deletion.opened
    return embeddings(call)
  })
  for (const index of ['kept', 'deleted'])
    await service.must('PUT', `/cortex/documents/1?index=${index}`, { title: 'a slow otter' })
  const find = (index: object) =>
    service.call<{ hits: { index: string }[] }>('POST', '/cortex/search', {
      ...{ query: 'slow otter', ...index },
    })
  const { sessionId } = await service.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
  const ofAll = find({ sessionId })
  const ofNamed = find({ sessionId, index: ['kept', 'deleted'] })
  await waitUntil(() => calls.some(({ input }) => input.includes('slow otter')))
  await service.must('DELETE', '/cortex/indices/deleted')
  deletion.open()

  const found = await ofAll
  expect(found.error).toBeUndefined()
  expect(found.data.hits.map(({ index }) => index)).toEqual(['kept'])
  expect(await ofNamed).toMatchObject({ status: 404, code: 'INDEX_NOT_FOUND' })
  // That it was run again makes no other search of it, and one that found nothing out is none.
  const totals = await service.call('GET', `/cortex/sessions/${sessionId}/analytics`)
  expect(totals.data).toMatchObject({ searches: 1 })
})
