import { expect, it } from 'vitest'
import { aheadMs } from '../src/shared-clock.ts'

it('two clocks are as far apart as they are, also for a thread that had to wait between two readings', () => {
  let nowMs = 5000
  let reads = 0
  // Each reading takes a microsecond; after the first three the thread loses its processor.
  const read = (originMs: number) => () => {
    reads += 1
    nowMs += reads <= 3 ? 40 : 0.001
    return nowMs - originMs
  }
  expect(aheadMs(read(0), read(1000))).toBeCloseTo(1000, 2)
})
