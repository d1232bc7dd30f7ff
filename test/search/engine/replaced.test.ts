import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../running-app.ts'

interface Found {
  nextCursor: string
  searchContext: { generation: number }
}

it('a list that was begun while its index was built again is gone, with its state, once that is done', async () => {
  const service = await startApp({})
  onTestFinished(() => service.close())
  for (const id of ['a', 'b'])
    await service.must('PUT', `/cortex/documents/${id}?index=i`, { title: 'Willow' })
  const list = { index: 'i', query: 'willow', size: 1 }
  const { pool } = service.app
  const run = pool.run
  let begun: Found | undefined
  pool.run = (async (name, input) => {
    // What came meanwhile is applied to the new files: they are whole, and not in use yet.
    if (name === 'open' && 'sequence' in input)
      begun = await service.must<Found>('POST', '/cortex/search', list)
    return run(name, input)
  }) as typeof run
  const mappings = { properties: { title: { type: 'text', weight: 3 } } }
  await service.must('PUT', '/cortex/indices/i', { mappings })
  pool.run = run
  const { nextCursor, searchContext } = begun ?? expect.unreachable()
  for (const of of [{ cursor: nextCursor }, { generation: searchContext.generation }])
    expect(await service.call('POST', '/cortex/search', { ...list, ...of })).toMatchObject({
      ...{ status: 409, code: 'GENERATION_GONE', details: [{ path: Object.keys(of)[0] }] },
    })
  const again = await service.must<Found>('POST', '/cortex/search', list)
  await service.must('POST', '/cortex/search', { ...list, cursor: again.nextCursor })
})

it('a list over several indices that still saw the files from before is gone, too', async () => {
  const service = await startApp({ REQUEST_TIMEOUT_MS: '3000' })
  onTestFinished(() => service.close())
  for (const index of ['i', 'j'])
    for (const id of ['a', 'b'])
      await service.must('PUT', `/cortex/documents/${id}?index=${index}`, { title: 'Willow' })
  const list = { index: 'i,j', query: 'willow', size: 1 }
  const { pool } = service.app
  const search = pool.search
  pool.search = async (...asked) => {
    pool.search = search
    const mappings = { properties: { title: { type: 'text', weight: 3 } } }
    await service.must('PUT', '/cortex/indices/i', { mappings })
    await service.must('PUT', '/cortex/documents/c?index=j', { title: 'Willow' })
    return search(...asked)
  }
  const { nextCursor } = await service.must<Found>('POST', '/cortex/search', list)
  expect(
    await service.call('POST', '/cortex/search', { ...list, cursor: nextCursor }),
  ).toMatchObject({ status: 409, code: 'GENERATION_GONE' })
})
