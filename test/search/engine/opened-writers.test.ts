import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

const INDICES = 12

/** Which open indices have a writer: threads and a heap. */
function writers({ app }: RunningApp): string[] {
  const open = app.engine.opened().filter((entry) => app.engine.figures(entry).writer)
  return open.map(({ record }) => record.name)
}

function opened({ app }: RunningApp): number {
  return app.engine.opened().length
}

/** A service with some indices of a document each, started again without their files. */
async function withoutFiles(env: Parameters<RunningApp['restart']>[0]): Promise<RunningApp> {
  const service = await startApp({ CHECKPOINT_MS: '3600000' })
  onTestFinished(() => service.close())
  const documents = Array.from({ length: INDICES }, (_, at) => {
    return { index: `i${at}`, id: '1', document: { title: 'Willow' } }
  })
  await service.must('POST', '/cortex/documents/bulk', { documents })
  await service.restart(env, (dataDir) => rmSync(join(dataDir, 'indices'), { recursive: true }))
  return service
}

it('indices that a start brings up to date keep no writer for a few documents', async () => {
  const service = await withoutFiles({})
  expect(opened(service)).toBe(INDICES)
  expect(writers(service)).toEqual([])
})

it('nor do those that a search opens, all at once', async () => {
  const service = await withoutFiles({ OPEN_INDICES_MAX: '1' })
  const { engine, indices } = service.app
  await engine.using(indices.all(), async () => {
    expect(opened(service)).toBe(INDICES)
    expect(writers(service)).toEqual([])
  })
  const { total } = await service.must<{ total: number }>('POST', '/cortex/search', {
    query: 'willow',
  })
  expect(total).toBe(INDICES)
})
