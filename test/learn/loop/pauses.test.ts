import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { openPauses } from '../../../src/learn/loop/pauses.ts'

async function timed(work: Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work
  return performance.now() - startedMs
}

const nobodySearches = async () => undefined

it('ends a pause at once for those who wait, and makes none while they do', async () => {
  let isAwaited = false
  const pauses = openPauses(() => isAwaited, nobodySearches)
  const rested = timed(pauses.rest(60_000))
  pauses.stir()
  expect(await rested).toBeLessThan(20_000)
  isAwaited = true
  expect(await timed(pauses.rest(60_000))).toBeLessThan(20_000)
})

it('waits for a lull, but not while somebody waits for the processor', async () => {
  let isAwaited = false
  let end = () => {}
  const lull = () => new Promise<void>((resolve) => (end = resolve))
  const pauses = openPauses(() => isAwaited, lull)
  let isOver = false
  const waited = pauses.lull().then(() => (isOver = true))
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  end()
  await waited
  isAwaited = true
  await pauses.lull()
})
