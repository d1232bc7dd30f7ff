import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

async function start(): Promise<RunningApp> {
  const service = await startApp()
  onTestFinished(() => service.close())
  return service
}

/** What searches find in an index and what the records say of it: ids with titles. */
async function contents(service: RunningApp, index: string) {
  const find = (query: string) =>
    service.must<{ total: number; hits: { id: string; source: { title: string } }[] }>(
      ...(['POST', '/cortex/search'] as const),
      { index, query, searchType: 'text', size: 100 },
    )
  const all = await find('')
  const titles = all.hits.map(({ id, source }) => `${id} ${source.title}`).sort()
  expect(all.total).toBe(titles.length)
  const { documents } = await service.must<{ documents: number }>('GET', `/cortex/indices/${index}`)
  expect(documents).toBe(titles.length)
  for (const { id, source } of all.hits) {
    const read = await service.must<{ source: { title: string } }>(
      ...(['GET', `/cortex/documents/${id}?index=${index}`] as const),
    )
    expect(read.source.title).toBe(source.title)
    expect((await find(source.title)).hits.map((hit) => hit.id)).toContain(id)
  }
  return titles
}

const add = (service: RunningApp, index: string, id: string, title: string) =>
  service.must('PUT', `/cortex/documents/${id}?index=${index}`, { title })

const BEFORE = ['w red willow', 'x red xenon']
const AFTER = ['w blue willow', 'y red yarrow']

/** A service stopped with `AFTER`; `between` gets its folder, and a copy of it as it was with `BEFORE`. */
async function later(between: (folder: string, copy: string) => void): Promise<RunningApp> {
  const service = await start()
  const copy = temporaryFolder()
  await add(service, 'a', 'w', 'red willow')
  await add(service, 'a', 'x', 'red xenon')
  await service.restart({}, (folder) => cpSync(folder, copy, { recursive: true }))
  await service.must('DELETE', '/cortex/documents/x?index=a')
  await add(service, 'a', 'y', 'red yarrow')
  await add(service, 'a', 'w', 'blue willow')
  await service.restart({}, (folder) => between(folder, copy))
  return service
}

function putBack(part: 'records' | 'indices') {
  return (folder: string, copy: string) => {
    rmSync(join(folder, part), { recursive: true })
    cpSync(join(copy, part), join(folder, part), { recursive: true })
  }
}

it.each([
  ['records', BEFORE],
  ['indices', AFTER],
] as const)(
  'older %s are put back, and searches find what the records say',
  async (part, expected) => {
    const service = await later(putBack(part))
    expect(await contents(service, 'a')).toEqual(expected)
    await add(service, 'a', 'z', 'green zinnia')
    await service.restart()
    expect(await contents(service, 'a')).toEqual([...expected, 'z green zinnia'])
  },
)

it('records and indices of two folders that were one', async () => {
  const copy = temporaryFolder()
  const service = await later((folder, before) => {
    cpSync(folder, copy, { recursive: true })
    rmSync(folder, { recursive: true })
    cpSync(before, folder, { recursive: true })
  })
  for (const id of ['p', 'q', 'r']) await add(service, 'a', id, `other ${id}`)
  await service.restart({}, (folder) => putBack('records')(folder, copy))
  expect(await contents(service, 'a')).toEqual(AFTER)
})

it('two indices whose folders were swapped', async () => {
  const service = await start()
  await add(service, 'a', 'x', 'red xenon')
  await add(service, 'b', 'y', 'red yarrow')
  const [one = 0, two = 0] = ['a', 'b'].map((name) => service.app.indices.get(name).record.engineId)
  await service.restart({}, (folder) => {
    const place = (name: number | string) => join(folder, 'indices', String(name))
    renameSync(place(one), place('aside'))
    renameSync(place(two), place(one))
    renameSync(place('aside'), place(two))
  })
  expect(await contents(service, 'a')).toEqual(['x red xenon'])
  expect(await contents(service, 'b')).toEqual(['y red yarrow'])
})

it("files that are these records' own are not built again", async () => {
  const service = await start()
  await add(service, 'a', 'x', 'red xenon')
  await service.app.engine.checkpoint()
  await add(service, 'a', 'y', 'red yarrow')
  await service.app.engine.checkpoint()
  await service.app.engine.checkpoint()
  const before = service.app.store.tables.meta.get(
    `files/${service.app.indices.get('a').record.engineId}`,
  )
  expect(before).toHaveLength(1)
  const warnings: unknown[] = []
  await service.restart()
  service.app.log.warn = (...told: unknown[]) => void warnings.push(told)
  await add(service, 'a', 'z', 'red zinnia')
  await service.restart()
  expect(warnings).toEqual([])
  expect(await contents(service, 'a')).toHaveLength(3)
})
