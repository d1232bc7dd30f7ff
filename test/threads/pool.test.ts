import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
// As in the service, which has opened its records by then: an LMDB that only threads have loaded is unloaded with them, and
// takes the process along.
import '../../src/store/store.ts'
import { openPool, type SearchInput } from '../../src/threads/pool.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { waitUntil } from '../wait-until.ts'

it('knows of a lull among the searches that it hands over', async () => {
  const options = { searchThreads: 1, workThreads: 1, searchQueueMax: 10 }
  const pool = openPool({ ...options, dataDir: temporaryFolder() })
  onTestFinished(pool.close)
  let lulls = 0
  const wait = () =>
    pool.lull().then(() => {
      lulls += 1
    })
  await wait()
  // What becomes of a search does not matter here.
  const first = pool.search({} as SearchInput).catch(() => undefined)
  const next = wait()
  await Promise.resolve()
  expect(lulls).toBe(1)
  const second = pool.search({} as SearchInput).catch(() => undefined)
  await next
  expect(lulls).toBe(2)
  await Promise.all([first, second])
})

it('jobs that wait for a thread that dies get another one', async () => {
  const options = { searchThreads: 1, workThreads: 1, searchQueueMax: 10 }
  const pool = openPool({ ...options, dataDir: temporaryFolder() })
  onTestFinished(pool.close)
  // The threads that are there from the start are not those of learning.
  await new Promise((resolve) => setImmediate(resolve))
  let threads = 0
  const kill = (thread: Worker) => {
    threads += 1
    if (threads === 1) thread.once('online', () => void thread.terminate())
  }
  process.on('worker', kill)
  onTestFinished(() => void process.off('worker', kill))
  // No index is open here: what a thread gets to see is refused.
  const jobs = [1, 2].map((engineId) => pool.run('fit', { engineId }).catch(() => 'settled'))
  expect(await Promise.all(jobs)).toEqual(['settled', 'settled'])
  expect(threads).toBe(2)
})

it('tells of each thread that has ended by the number that it knew itself by', async () => {
  const ended: number[] = []
  const threads: Worker[] = []
  const note = (thread: Worker) => void threads.push(thread)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  const options = { searchThreads: 2, workThreads: 1, searchQueueMax: 10 }
  const pool = openPool({
    ...{ ...options, dataDir: temporaryFolder() },
    ended: (thread) => ended.push(thread),
  })
  onTestFinished(pool.close)
  await waitUntil(() => threads.length === 4)
  const [first] = threads
  const number = first?.threadId
  await first?.terminate()
  await waitUntil(() => ended.length > 0)
  expect(ended).toEqual([number])
})

it('tells how long jobs kept its threads busy', async () => {
  const options = { searchThreads: 1, workThreads: 1, searchQueueMax: 10 }
  const pool = openPool({ ...options, dataDir: temporaryFolder() })
  onTestFinished(pool.close)
  const files = () => pool.figures().find(({ lane }) => lane === 'files')!
  // No index is open here: the job is refused as soon as a thread has it.
  const job = () => pool.run('checkpoint', { engineId: 1 } as never).catch(() => undefined)
  expect(files()).toMatchObject({ completed: 0, busyS: 0, busyShare: 0 })
  await job()
  const [before, startedMs] = [files().busyS, performance.now()]
  for (let n = 0; n < 100; n += 1) await job()
  const tookS = (performance.now() - startedMs) / 1000
  const { completed, busyS, busyShare } = files()
  expect(completed).toBe(101)
  expect(busyS - before).toBeGreaterThan(tookS / 5)
  expect(busyS - before).toBeLessThan(tookS * 1.01)
  expect(busyShare).toBeGreaterThan(busyS / (performance.now() / 1000))
  expect(busyShare).toBeLessThanOrEqual(1)
})
