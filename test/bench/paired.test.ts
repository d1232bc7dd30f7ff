import { expect, it } from 'vitest'
import type { LoadReport } from '../../bench/client.ts'
import { runPaired } from '../../bench/paired.ts'

const report = (latencies: number[]) =>
  ({ kinds: [{ sortedMs: Float64Array.from(latencies) }] }) as unknown as LoadReport

it('sides take turns, the one that begins too, and their latencies are put together', async () => {
  const order: string[] = []
  const side = (name: string, latencies: number[][]) => async (slice: number) => {
    order.push(name + slice)
    return report(latencies[slice] ?? [])
  }
  const { first, second } = await runPaired(
    2,
    side('a', [
      [1, 9],
      [2, 3],
    ]),
    side('b', [[4], [5]]),
  )
  expect(order).toEqual(['a0', 'b0', 'b1', 'a1'])
  expect(first).toEqual({ requests: 4, p50Ms: 2, p99Ms: 9 })
  expect(second).toEqual({ requests: 2, p50Ms: 4, p99Ms: 5 })
})
