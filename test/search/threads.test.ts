import { expect, it, onTestFinished } from 'vitest'
import { sharedMs } from '../../src/shared-clock.ts'
import { startApp } from '../running-app.ts'

const LANES = 8
/** Threads once kept seven kilobytes of each of these searches; collections come and go by some megabytes. */
const GROWTH_MAX = 30e6
const SEARCHES = 20_000

it('threads that search for long take no more memory', async () => {
  const service = await startApp({ LEARNING: 'false' })
  onTestFinished(() => service.close())
  const document = (_: unknown, n: number) => ({ id: `d${n}`, document: { title: `word ${n}` } })
  const documents = Array.from({ length: 100 }, document)
  await service.call('POST', '/cortex/documents/bulk', { index: 'i', documents })

  const searchOften = async (times: number) => {
    const lane = async () => {
      for (let n = 0; n < times / LANES; n++) {
        const found = await service.app.search.run({ query: 'word', size: 100 }, sharedMs())
        expect(found.data.length).toBeGreaterThan(1000)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    return process.memoryUsage.rss()
  }
  const before = await searchOften(SEARCHES / 2)
  const after = await searchOften(SEARCHES)
  expect(after - before).toBeLessThan(GROWTH_MAX)
}, 120_000)
