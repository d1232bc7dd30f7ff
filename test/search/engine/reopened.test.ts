import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

interface Found {
  hits: { id: string }[]
  total: number
  nextCursor?: string
}

const NAMES = ['river', 'sea', 'lake']

async function withMoreThanAreOpen() {
  const service = await startApp({ OPEN_INDICES_MAX: '2', CHECKPOINT_MS: '50' })
  onTestFinished(() => service.close())
  for (const index of NAMES)
    for (const id of [1, 2, 3])
      await service.must('PUT', `/cortex/documents/${index}${id}?index=${index}`, {
        title: `otter ${'of '.repeat(id)} ${index}`,
      })
  const { engine, indices } = service.app
  // An index that has been written to is closed once its files are durable.
  const closeOthers = async (kept: string[]) => {
    const isClosed = async () => {
      for (const index of kept)
        await service.must('POST', '/cortex/search', { index, query: 'otter' })
      const others = NAMES.filter((name) => !kept.includes(name))
      return !others.some((name) => engine.isOpen(indices.get(name)))
    }
    await waitUntil(isClosed, 20_000)
  }
  return { service, closeOthers }
}

it.each(['text', 'hybrid'])(
  'a list by %s over more indices than are held open goes on to its end',
  async (searchType) => {
    const { service, closeOthers } = await withMoreThanAreOpen()
    await closeOthers(['river', 'sea'])
    const search = { query: 'otter', searchType, size: 2 }
    const whole = await service.must<Found>('POST', '/cortex/search', { ...search, size: 10 })
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const data = await service.must<Found>('POST', '/cortex/search', { ...search, cursor })
      expect(data.total).toBe(9)
      for (const { id } of data.hits) ids.push(id)
      cursor = data.nextCursor
    } while (cursor !== undefined)
    expect(ids).toEqual(whole.hits.map(({ id }) => id))
    expect(ids).toHaveLength(9)
  },
)

it('a list of an index that was closed in between goes on, unless a document of it has changed', async () => {
  const { service, closeOthers } = await withMoreThanAreOpen()
  const search = { index: 'river', query: 'otter', size: 2 }
  const data = await service.must<Found>('POST', '/cortex/search', search)
  const next = { ...search, cursor: data.nextCursor }
  await closeOthers(['sea', 'lake'])
  expect((await service.must('POST', '/cortex/search', next)).hits).toHaveLength(1)

  await closeOthers(['sea', 'lake'])
  await service.must('PUT', '/cortex/documents/river4?index=river', { title: 'otter' })
  await closeOthers(['sea', 'lake'])
  expect(await service.call('POST', '/cortex/search', next)).toMatchObject({ status: 409 })
})
