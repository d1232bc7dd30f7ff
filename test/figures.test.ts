import { expect, it } from 'vitest'
import { meterPool } from '../src/figures.ts'
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
