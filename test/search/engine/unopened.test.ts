import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { CortexHealth } from '../../../src/health.ts'
import { until } from '../../http/stub.ts'
import { startApp } from '../../running-app.ts'
import { temporaryFolder } from '../../store/open.ts'

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
  renameSync(directory, join(temporaryFolder(), 'apart'))
  await until(async () => (await health()) === 200, 20_000)
  const found = await service.call<{ total: number }>('POST', '/cortex/search', { query: 'willow' })
  expect(found.data.total).toBe(1)
}, 40_000)
