import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { CortexHealth } from '../../../src/health.ts'
import type { Variables } from '../../../src/settings.ts'
import { startApp } from '../../running-app.ts'
import { wipePages } from '../../store/wipe.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { waitUntil } from '../../wait-until.ts'

it('an index whose files can not be opened is told by health, until they can or it is gone', async () => {
  const service = await startApp()
  onTestFinished(() => service.close())
  for (const index of ['willow', 'xenon'])
    await service.must('POST', '/cortex/documents', {
      ...{ index, id: '1', document: { title: index } },
    })
  const find = (index: string) =>
    service.call<{ total: number }>('POST', '/cortex/search', { index, query: index })
  const health = () => service.call<CortexHealth>('GET', '/cortex/health')
  let directory = ''
  await service.restart({}, (folder) => {
    const indices = join(folder, 'indices')
    const [first = ''] = readdirSync(indices).sort((a, b) => Number(a) - Number(b))
    directory = join(indices, first)
    rmSync(directory, { recursive: true })
    // As a folder of another user's; but the superuser, who may run this, reads those.
    writeFileSync(directory, '')
  })

  expect((await find('xenon')).data.total).toBe(1)
  const sentence = `The files of "willow" can't be opened`
  expect(await find('willow')).toMatchObject({ status: 503, code: 'UNHEALTHY' })
  expect((await find('willow')).error).toContain(sentence)
  const sick = await health()
  expect(sick.status).toBe(503)
  expect(sick.data.services.searchEngine).toMatchObject({ operational: false })
  expect(sick.data.services.searchEngine.error).toContain(sentence)
  expect((await service.call('GET', '/nous/health')).status).toBe(503)
  const { indices } = await service.must<{ indices: object[] }>('GET', '/cortex/indices')
  expect(indices).toEqual([
    { name: 'willow', created: expect.any(String), error: expect.stringContaining(sentence) },
    expect.objectContaining({ name: 'xenon', documents: 1 }),
  ])

  const documents = ['xenon', 'willow', 'xenon'].map((index, at) => ({
    ...{ index, id: `more-${at}`, document: { title: index } },
  }))
  const write = (sent: object[]) =>
    service.call<{ items: { status: number; id: string; error?: string }[] }>(
      ...(['POST', '/cortex/documents/bulk', { documents: sent }] as const),
    )
  const { data } = await write(documents)
  expect(data.items.map(({ id, status }) => [id, status])).toEqual([
    ['more-0', 200],
    ['more-1', 503],
    ['more-2', 200],
  ])
  expect((await find('xenon')).data.total).toBe(3)
  expect((await write(documents.slice(1, 2))).status).toBe(503)
  const read = () => service.call('GET', '/cortex/documents/1?index=willow')
  const stored = { status: 200, data: { source: { title: 'willow' } } }
  expect(await read()).toMatchObject({ ...stored, data: { ...stored.data, vectorized: false } })

  renameSync(directory, join(temporaryFolder(), 'apart'))
  expect((await find('willow')).data.total).toBe(1)
  expect(await read()).toMatchObject({ ...stored, data: { ...stored.data, vectorized: true } })
  expect((await health()).status).toBe(200)

  await service.restart({}, () => {
    rmSync(directory, { recursive: true })
    writeFileSync(directory, '')
  })
  expect((await health()).status).toBe(503)
  await service.must('DELETE', '/cortex/indices/willow')
  expect((await health()).status).toBe(200)
})

it('is told to the log once, however often it is asked for, and when it is open again', async () => {
  const { service, search, mend, directory } = await halfOpen()
  expect((await search({ index: 'willow' })).status).toBe(503)
  const { log } = service.app
  const errors = vi.spyOn(log, 'error')
  const warnings = vi.spyOn(log, 'warn')
  const told = vi.spyOn(log, 'info')
  for (let time = 0; time < 3; time += 1)
    expect((await search({ index: 'willow' })).status).toBe(503)
  expect([...errors.mock.calls, ...warnings.mock.calls]).toEqual([])
  await mend()
  const again = 'an index whose files could not be opened is open again'
  expect(told.mock.calls).toContainEqual([{ index: 'willow', directory }, again])
})

interface Found {
  total: number
  hits: { id: string; index: string }[]
  facets?: object
  nextCursor?: string
  searchContext: { generation: number; degraded?: string[]; warnings?: string[] }
}

const WITHOUT = /^The files of "willow" can't be opened, .* about the others alone/

/** A service with two documents in each of two indices, the first of which can't be opened until `mend` is called. */
async function halfOpen(env: Variables = {}) {
  const service = await startApp()
  onTestFinished(() => service.close())
  for (const index of ['willow', 'xenon'])
    for (const id of ['1', '2'])
      await service.must('POST', '/cortex/documents', {
        ...{ index, id, document: { title: 'tree', tags: [index] } },
      })
  let directory = ''
  await service.restart(env, (folder) => {
    const indices = join(folder, 'indices')
    const [first = ''] = readdirSync(indices).sort((a, b) => Number(a) - Number(b))
    directory = join(indices, first)
    rmSync(directory, { recursive: true })
    writeFileSync(directory, '')
  })
  const mend = () => {
    renameSync(directory, join(temporaryFolder(), 'apart'))
    return service.must('POST', '/cortex/search', { index: 'willow', query: 'tree' })
  }
  const search = (more: object = {}) =>
    service.call<Found>('POST', '/cortex/search', { query: 'tree', ...more })
  return { service, search, mend, directory }
}

it('a search of all indices is answered from the others, and says so', async () => {
  const { service, search, mend } = await halfOpen()
  const { data } = await search({ facets: ['tags'] })
  expect(data).toMatchObject({
    total: 2,
    facets: { tags: { values: [{ value: 'xenon', count: 2 }] } },
    searchContext: { degraded: ['indices'], warnings: [expect.stringMatching(WITHOUT)] },
  })
  const suggested = await service.must('POST', '/cortex/suggest', { prefix: 'tr' })
  expect(suggested).toMatchObject({
    completions: [{ text: 'tree', documents: 2 }],
    warnings: [expect.stringMatching(WITHOUT)],
  })
  for (const index of ['willow', 'xenon,willow', ['xenon', 'willow']]) {
    expect(await search({ index })).toMatchObject({ status: 503, code: 'UNHEALTHY' })
    const sent = { index, prefix: 'tr' }
    expect((await service.call('POST', '/cortex/suggest', sent)).status).toBe(503)
  }
  await mend()
  const whole = (await search()).data
  expect(whole.total).toBe(4)
  expect(whole.searchContext).not.toHaveProperty('degraded')
  expect(whole.searchContext).not.toHaveProperty('warnings')
})

it('its pages agree, and end where the index can be opened again: further ones would be of another list', async () => {
  const { search, mend } = await halfOpen()
  const first = (await search({ size: 1 })).data
  const { generation } = first.searchContext
  const { nextCursor: cursor } = first
  for (const more of [{ cursor }, { generation, from: 1 }]) {
    const { data } = await search({ size: 1, ...more })
    expect(data).toMatchObject({ total: 2, searchContext: { degraded: ['indices'] } })
    expect(data.hits).toMatchObject([{ index: 'xenon', id: '2' }])
  }
  await mend()
  for (const more of [{ cursor }, { generation, from: 1 }])
    expect(await search({ size: 1, ...more })).toMatchObject({
      ...{ status: 409, code: 'GENERATION_GONE' },
    })
})

it('a list that was begun with an index does not go on without it', async () => {
  const { service, search, mend, directory } = await halfOpen({ OPEN_INDICES_MAX: '1' })
  await mend()
  const { engine, indices } = service.app
  // One may be open at a time, and the one that was asked for earlier is closed if its files hold everything.
  await engine.checkpoint()
  const first = (await search({ size: 1 })).data
  expect(first.total).toBe(4)
  await waitUntil(async () => !engine.isOpen(indices.get('willow')), 20_000)
  expect(engine.isOpen(indices.get('xenon'))).toBe(true)
  rmSync(directory, { recursive: true })
  writeFileSync(directory, '')
  expect((await search()).data).toMatchObject({
    total: 2,
    searchContext: { degraded: ['indices'] },
  })
  const { generation } = first.searchContext
  for (const more of [{ cursor: first.nextCursor }, { generation, from: 1 }])
    expect(await search({ size: 1, ...more })).toMatchObject({
      ...{ status: 409, code: 'GENERATION_GONE' },
    })
})

it('such an index is opened again by itself: whoever goes by its health may send no search', async () => {
  const service = await startApp()
  onTestFinished(() => service.close())
  await service.must('PUT', '/cortex/documents/1?index=willow', { title: 'willow' })
  let directory = ''
  await service.restart({ CHECKPOINT_MS: '50' }, (folder) => {
    const indices = join(folder, 'indices')
    directory = join(indices, String(readdirSync(indices)[0]))
    rmSync(directory, { recursive: true })
    writeFileSync(directory, '')
  })
  const health = async () => (await service.call('GET', '/cortex/health')).status
  expect(await health()).toBe(503)
  // There is no other that could answer.
  expect((await service.call('POST', '/cortex/search', { query: 'willow' })).status).toBe(503)
  renameSync(directory, join(temporaryFolder(), 'apart'))
  await waitUntil(async () => (await health()) === 200, 50_000)
  const found = await service.call<{ total: number }>('POST', '/cortex/search', { query: 'willow' })
  expect(found.data.total).toBe(1)
})

it('records of one index that are damaged leave the others alone, and are told as what they are', async () => {
  const service = await startApp()
  onTestFinished(() => service.close())
  for (const index of ['willow', 'xenon'])
    for (let n = 1; n <= 8; n += 1)
      await service.must('POST', '/cortex/documents', {
        ...{ index, id: `${n}`, document: { title: `${index} ${n}`, content: 'a '.repeat(700) } },
      })
  await service.restart({}, (folder) => {
    rmSync(join(folder, 'indices'), { recursive: true })
    wipePages(folder, 'willow 1')
  })
  const find = (index: string) =>
    service.call<Found>('POST', '/cortex/search', { index, query: index })
  const errors = vi.spyOn(service.app.log, 'error')
  const damaged = expect.stringContaining('records of its documents are damaged')
  for (let time = 0; time < 3; time += 1) {
    expect(await find('willow')).toMatchObject({ status: 503, code: 'UNHEALTHY', error: damaged })
    expect((await find('xenon')).data?.total).toBe(8)
  }
  const health = await service.call<{ services: { database: object } }>('GET', '/cortex/health')
  expect(health).toMatchObject({ status: 503, data: { overall: false } })
  expect(health.data.services.database).toMatchObject({
    operational: false,
    error: expect.stringContaining('Some of the records are damaged'),
  })
  await service.must('DELETE', '/cortex/indices/xenon')
  expect(errors.mock.calls).toEqual([])
})
