import { expect, it } from 'vitest'
import { collectFigures, meterPool } from '../src/figures.ts'
import { FAMILY_ROWS_MAX, openMetrics } from '../src/metrics/metrics.ts'
import type { Writer } from '../src/search/documents/writer.ts'
import type { Engine } from '../src/search/engine/engine.ts'
import type { Store } from '../src/store/store.ts'
import type { Pool } from '../src/threads/pool.ts'

it('a pool that is metered hands on the memory that a job is given', async () => {
  const calls: unknown[][] = []
  const run = async (...all: unknown[]) => void calls.push(all)
  const jobs: string[] = []
  const pool = meterPool({ run } as unknown as Pool, { job: (name) => void jobs.push(name) })
  const piece = new Uint8Array(8)
  const input = { pieces: [piece], depthMax: 3, members: {}, handle: 1 }
  await pool.run('sync', input, [piece.buffer])
  expect(calls).toEqual([['sync', input, [piece.buffer]]])
  expect(jobs).toEqual(['sync'])
})

it('a page reads the figures of each part once for all its families, and anew for the next page', async () => {
  const reads: string[] = []
  const read = <Figures>(name: string, figures: Figures): Figures => {
    reads.push(name)
    return figures
  }
  const entries = Array.from({ length: FAMILY_ROWS_MAX + 20 }, (_, at) => ({
    record: { name: `i${at}` },
  }))
  const lane = { lane: 'search', threads: 2, queued: 0, completed: 7, utilization: 0.5 }
  const space = { connections: { active: 1, idle: 2 }, fileBytes: 4096, transactions: 3 }
  const metrics = openMetrics({ quantiles: 'off' })
  collectFigures({
    engine: {
      opened: () => entries,
      figures: () => read('index', { documents: 5, segments: 1, space: { id: 1 } }),
    } as unknown as Engine,
    metrics,
    pool: { figures: () => read('pool', [{ ...lane, queued: reads.length }]) } as unknown as Pool,
    store: { figures: () => read('store', space), tables: {} } as unknown as Store,
    writer: { queued: () => 0 } as unknown as Writer,
  })
  const first = String(await metrics.page())
  expect(first).toContain('svc_pool_jobs_total{lane="search"} 7')
  expect(first).toContain(`svc_index_documents{index="i${FAMILY_ROWS_MAX - 1}"} 5`)
  expect(first).toContain('svc_store_file_bytes 4096')
  const once = reads.toSorted()
  expect(once).toEqual([...Array(FAMILY_ROWS_MAX).fill('index'), 'pool', 'store'])
  expect(first).toContain('svc_pool_queued_jobs{lane="search"} 0')
  await new Promise(setImmediate)
  expect(String(await metrics.page())).toContain(
    `svc_pool_queued_jobs{lane="search"} ${once.length}`,
  )
})
