import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { startApp } from '../../running-app.ts'
import { temporaryFolder } from '../../store/open.ts'

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
  const startedMs = performance.now()
  await app.close()
  expect(performance.now() - startedMs).toBeLessThan(buildMs / 2)
  await app.recovered
  expect(lines).toEqual([])

  const service = await startApp({ DATA_DIR: folder })
  const { total } = await service.must<{ total: number }>('POST', '/cortex/search', {
    index: 'papers',
    query: '',
  })
  expect(total).toBe(DOCUMENTS)
  await service.close()
}, 120_000)
