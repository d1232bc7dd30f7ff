import { expect, it } from 'vitest'
import { embeddings } from '../../embed/endpoint.ts'
import { startServedBy } from '../../embed/service.ts'
import { closedGate } from '../../gate.ts'
import { waitUntil } from '../../wait-until.ts'

/** An index `shop` in which every `slow otter` waits for its vector until the index is deleted. */
async function startSlowShop() {
  const deletion = closedGate()
  const { service, calls } = await startServedBy(async (call) => {
    if (call.input.some((text) => text.includes('slow otter'))) await deletion.opened
    return embeddings(call)
  })
  await service.must('PUT', '/cortex/documents/b?index=shop', { title: 'a lamp' })
  const waiting = () => calls.flatMap(({ input }) => input).filter((text) => text.includes('otter'))
  return {
    service,
    untilWaiting: (count: number) => waitUntil(() => waiting().length === count),
    deleteShop: async () => {
      await service.must('DELETE', '/cortex/indices/shop')
      deletion.open()
    },
  }
}

it.each([
  ['POST', '/cortex/documents', { index: 'shop', id: 'a', document: { title: 'a slow otter' } }],
  ['PUT', '/cortex/documents/a?index=shop', { title: 'a slow otter' }],
  [
    'POST',
    '/cortex/documents/bulk?index=shop',
    [
      { id: 'a', document: { title: 'a slow otter' } },
      { op: 'delete', id: 'c' },
    ],
  ],
])(
  '%s of a document makes its index anew where that is deleted meanwhile',
  async (method, path, body) => {
    const { service, untilWaiting, deleteShop } = await startSlowShop()
    const writing = service.call(method, path, body)
    await untilWaiting(1)
    await deleteShop()

    const { status, data } = await writing
    const [first = data, second] = (data as { items?: object[] }).items ?? []
    expect([status, first]).toEqual([
      200,
      expect.objectContaining({ result: 'created', index: 'shop' }),
    ])
    // The document that it names was in the index that is gone.
    if (second !== undefined)
      expect(second).toMatchObject({ status: 404, code: 'DOCUMENT_NOT_FOUND' })
    const { total } = await service.must('POST', '/cortex/search', { index: 'shop', query: '' })
    expect(total).toBe(1)
  },
)

it('an index that is deleted meanwhile is made anew once, for all who write to it', async () => {
  const { service, untilWaiting, deleteShop } = await startSlowShop()
  const writing = ['a', 'c', 'd', 'e'].map((id) =>
    service.call('PUT', `/cortex/documents/${id}?index=shop`, { title: `a slow otter ${id}` }),
  )
  await untilWaiting(4)
  await deleteShop()

  const statuses = (await Promise.all(writing)).map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 200, 200])
})
