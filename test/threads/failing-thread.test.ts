import { EventEmitter } from 'node:events'
import { Piscina } from 'piscina'
import { expect, it, onTestFinished, vi } from 'vitest'
// As in the service, which has opened its records by then: an LMDB that only threads have loaded is unloaded with them, and
// takes the process along.
import '../../src/store/store.ts'
import { openPool, type SearchInput } from '../../src/threads/pool.ts'
import { temporaryFolder } from '../temporary-folder.ts'

it('a thread that fails without a job, as one that can’t be started, is told of and ends no process', async () => {
  const lanes = new Set<Piscina>()
  const on = vi.spyOn(Piscina.prototype, 'on').mockImplementation(function (
    this: Piscina,
    ...sent
  ) {
    lanes.add(this)
    return EventEmitter.prototype.on.apply(this, sent) as Piscina
  })
  onTestFinished(() => on.mockRestore())
  const told: string[] = []
  const options = { searchThreads: 1, workThreads: 1, searchQueueMax: 10 }
  const pool = openPool({ ...options, dataDir: temporaryFolder() }, (_, lane) => told.push(lane))
  onTestFinished(pool.close)
  // What becomes of jobs does not matter here: the threads are there when they are closed.
  const jobs = [pool.search({} as SearchInput), pool.run('open', {} as never)]
  await Promise.allSettled([...jobs, pool.run('write', {} as never)])
  for (const lane of lanes) lane.emit('error', new Error('EMFILE'))
  expect(told).toEqual(['search', 'write', 'bulk', 'files', 'learning'])
})
