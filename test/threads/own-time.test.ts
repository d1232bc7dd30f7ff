import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { ownTimeMs } from '../../src/threads/own-time.ts'

it('a thread has had a processor while it worked, for no longer than that took', () => {
  const [startedMs, before] = [performance.now(), ownTimeMs()]
  // However busy others are, it gets some of it.
  while (ownTimeMs() - before < 50) expect(performance.now() - startedMs).toBeLessThan(20_000)
  // The system counts by ticks of up to ten milliseconds.
  expect(performance.now() - startedMs).toBeGreaterThan(30)
})

it.runIf(process.platform === 'linux')('what a thread waits is no part of it', async () => {
  const before = ownTimeMs()
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(ownTimeMs() - before).toBeLessThan(300)
})
