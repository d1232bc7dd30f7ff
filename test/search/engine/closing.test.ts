import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { native } from '../../../src/native.ts'
import { type RunningApp, startApp } from '../../running-app.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const DOCUMENTS = 12_000
const WORDS = Array.from({ length: 400 }, (_, at) => `word${at}`)

function text(seed: number): string {
  return Array.from({ length: 160 }, (_, at) => WORDS[(seed * 31 + at * at * 7) % 400]).join(' ')
}

/** A data folder whose one index has no files, and how long it takes to build them from the records. */
async function withoutFiles() {
  const folder = temporaryFolder()
  const removeFiles = () => rmSync(join(folder, 'indices'), { recursive: true })
  const service = await startApp({ DATA_DIR: folder })
  for (let from = 0; from < DOCUMENTS; from += 2000) {
    const documents = Array.from({ length: 2000 }, (_, at) => ({ title: text(from + at) }))
    await service.must('POST', '/cortex/documents/bulk?index=papers', documents)
  }
  let startedMs = 0
  await service.restart({}, () => {
    removeFiles()
    startedMs = performance.now()
  })
  const buildMs = performance.now() - startedMs
  await service.close()
  removeFiles()
  return { folder, buildMs }
}

it('a stop does not wait until the files of an index are built; the next start builds them', async () => {
  const { folder, buildMs } = await withoutFiles()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const app = await openApp(readConfig({ DATA_DIR: folder }), log)
  await new Promise((resolve) => setTimeout(resolve, buildMs / 10))
  const { close } = native
  const builtAtClose: number[] = []
  native.close = (id) => {
    const { documents } = JSON.parse(native.stats(id)) as { documents: number }
    close(id)
    builtAtClose.push(documents)
  }
  onTestFinished(() => {
    native.close = close
  })
  await app.close()
  expect(builtAtClose).toHaveLength(1)
  expect(builtAtClose[0]).toBeLessThan(DOCUMENTS)
  await app.recovered
  expect(lines).toEqual([])

  const service = await startApp({ DATA_DIR: folder })
  const { total } = await service.must<{ total: number }>('POST', '/cortex/search', {
    index: 'papers',
    query: '',
  })
  expect(total).toBe(DOCUMENTS)
  await service.close()
})

async function total(service: RunningApp, index?: string): Promise<number> {
  const search = { query: '', ...(index === undefined ? {} : { index }) }
  return (await service.must<{ total: number }>('POST', '/cortex/search', search)).total
}

function isOpen(engineId: number): boolean {
  try {
    native.stats(engineId)
    return true
  } catch {
    return false
  }
}

/**
 * Small batches take their time from now on, one after the other; those of an index that was closed none. How many came
 * of either kind.
 */
function slowDown({ app: { pool } }: RunningApp, tookMs: number) {
  const batches = { written: 0, givenUp: 0 }
  const { run } = pool
  let last: Promise<unknown> = Promise.resolve()
  pool.run = ((name, input, given) => {
    if (name !== 'write') return run(name, input, given)
    const { engineId } = input as { engineId: number }
    const before = last
    const own = (async () => {
      await before.catch(() => undefined)
      if (isOpen(engineId)) await new Promise((resolve) => setTimeout(resolve, tookMs))
      batches[isOpen(engineId) ? 'written' : 'givenUp'] += 1
      return run(name, input, given)
    })()
    last = own
    return own
  }) as typeof run
  return batches
}

it('a stop does not wait until all that was written can be found; the next start brings it about', async () => {
  const folder = temporaryFolder()
  const service = await startApp({ DATA_DIR: folder })
  const names = Array.from({ length: 50 }, (_, at) => `i${at}`)
  const documents = names.map((index) => ({ index, document: { title: 'Willow' } }))
  await service.must('POST', '/cortex/documents/bulk', { documents })
  const batches = slowDown(service, 200)
  await service.must('POST', '/cortex/documents/bulk?refresh=false', { documents })
  await service.must('POST', '/cortex/documents/bulk?refresh=false', { documents })
  const { written } = batches
  await service.close()
  // Some of it came in time, as much as two seconds have room for.
  expect(batches.written - written).toBeGreaterThan(0)
  expect(batches.written - written).toBeLessThan(20)
  expect(batches.givenUp).toBeGreaterThan(20)

  const again = await startApp({ DATA_DIR: folder })
  expect(await total(again)).toBe(150)
  for (const index of names) expect(await total(again, index), index).toBe(3)
  await again.close()
})

it('a stop gives up merges: the segments stay, and all is there at the next start', async () => {
  const folder = temporaryFolder()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const app = await openApp(readConfig({ DATA_DIR: folder, CHECKPOINT_MS: '3600000' }), log)
  await app.recovered
  for (const at of [1, 2, 3]) {
    const documents = Array.from({ length: 100 }, (_, n) => ({ id: `${at}-${n}`, title: text(n) }))
    await app.bulk.list(
      documents.map(({ id, title }) => ({ id, document: { title } })),
      {
        ...{ index: 'papers', refresh: true, suspicious: false, check: () => undefined },
      },
    )
  }
  const entry = app.indices.get('papers')
  const { engineId } = entry.record
  expect(app.engine.figures(entry).segments).toBe(3)
  const givenUp: number[] = []
  const { giveUpMerging } = native
  native.giveUpMerging = (id) => {
    givenUp.push(id)
    giveUpMerging(id)
  }
  onTestFinished(() => {
    native.giveUpMerging = giveUpMerging
  })
  // One is under way when the stop comes, as far as the core knows.
  native.giveUpMerging(engineId)
  await expect(app.pool.run('merge', { engineId })).rejects.toThrow('no file of the index is made')
  expect(app.engine.figures(entry).segments).toBe(3)
  await app.close()
  expect(givenUp).toEqual([engineId, engineId])

  const service = await startApp({ DATA_DIR: folder })
  expect(await total(service, 'papers')).toBe(300)
  expect(service.app.engine.figures(service.app.indices.get('papers')).segments).toBe(3)
  await service.close()
  expect(lines).toEqual([])
})
