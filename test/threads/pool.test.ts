import { expect, it, onTestFinished } from 'vitest'
import { openPool, type SearchInput } from '../../src/threads/pool.ts'
import { temporaryFolder } from '../store/open.ts'

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
