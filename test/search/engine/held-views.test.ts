import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'

const DOCUMENTS = 100_000
const BATCH = 10_000
/** Fewer than may be held by their number alone. */
const VIEWS = 200
/** A view takes four bytes for each vector, whatever it shares with others: so many take 64 MB. */
const FITTING = 64_000_000 / (4 * DOCUMENTS)

interface Page {
  hits: { id: string }[]
  nextCursor?: string
  searchContext: { generation: number }
}

it('views that together take more than 64 MB are let go, the oldest first and those paged through last', async () => {
  const given = { EMBEDDER: 'given', EMBEDDER_DIMENSIONS: '2', LEARNING: 'false' }
  const service = await startApp(given)
  onTestFinished(() => service.close())
  const search = (more: object) =>
    service.call<Page>('POST', '/cortex/search', {
      query: 'w',
      searchType: 'text',
      size: 1,
      ...more,
    })
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const row = (_: unknown, n: number) => ({
      ...{ id: `d${from + n}`, vector: [1, n / BATCH], document: { title: 'v' } },
    })
    const sent = { index: 'i', documents: Array.from({ length: BATCH }, row) }
    const { data } = await service.call('POST', '/cortex/documents/bulk', sent)
    expect(data).toMatchObject({ failed: 0 })
  }
  const publish = async (n: number) => {
    const body = { title: `w ${n}` }
    expect((await service.call('PUT', `/cortex/documents/e${n % 3}?index=i`, body)).status).toBe(
      200,
    )
  }
  for (let n = 0; n < 3; n++) await publish(n)
  const first = await search({})
  const second = await search({ cursor: first.data.nextCursor })
  expect(second.data.hits).toHaveLength(1)
  const generations: number[] = []
  for (let n = 3; n < VIEWS + 3; n++) {
    await publish(n)
    generations.push((await search({})).data.searchContext.generation)
  }
  const held: boolean[] = []
  for (const generation of generations) held.push((await search({ generation })).status === 200)
  const count = held.filter(Boolean).length
  expect(count).toBeGreaterThan(FITTING * 0.8)
  expect(count).toBeLessThanOrEqual(FITTING)
  expect(held).toEqual(held.toSorted((a, b) => Number(a) - Number(b)))
  expect((await search({ cursor: second.data.nextCursor })).status).toBe(200)
})
