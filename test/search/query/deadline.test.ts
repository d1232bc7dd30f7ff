import { afterAll, beforeAll, expect, it } from 'vitest'
import { deadlineOf } from '../../../src/search/query/deadline.ts'
import { pageIndex } from '../../../src/search/query/job.ts'
import { sharedMs } from '../../../src/shared-clock.ts'
import { type RunningApp, startApp } from '../../running-app.ts'

const TIMEOUT_MS = 60_000
let running: RunningApp

/** Few of the words of the index are further from some of these than fuzziness lets pass. */
const word = (n: number) => `w${((n * 7919) % 3000).toString(36)}abcde`.slice(0, 4 + (n % 5))
const words = (first: number, count: number, step = 1) =>
  Array.from({ length: count }, (_, n) => word(first + n * step)).join(' ')
const HEAVY = {
  query: words(0, 600, 5).slice(0, 4000),
  searchType: 'text',
  fuzziness: 2,
  highlight: true,
  size: 500,
}

beforeAll(async () => {
  running = await startApp({ REQUEST_TIMEOUT_MS: `${TIMEOUT_MS}` })
  const documents = Array.from({ length: 500 }, (_, n) => ({
    document: { title: words(n * 12, 12) },
  }))
  await running.must('POST', '/cortex/documents/bulk', { index: 'i', documents })
})
afterAll(() => running.close())

/** How long a search took that had so many ms left when it came, and how it ended. */
async function run(leftMs: number): Promise<{ tookMs: number; ended: unknown }> {
  const beganMs = performance.now()
  const receivedMs = sharedMs() + leftMs - deadlineOf(0, { requestTimeoutMs: TIMEOUT_MS })
  const ended = await running.app.search.run(HEAVY, receivedMs).then(
    () => 'answered',
    ({ code }) => code,
  )
  return { tookMs: performance.now() - beganMs, ended }
}

/** The least of what some such searches took, which must all end so: others on the machine may hold up any of them. */
async function leastOf(leftMs: number, end: string): Promise<number> {
  const times: number[] = []
  for (let time = 0; time < 3; time += 1) {
    const { tookMs, ended } = await run(leftMs)
    expect(ended).toBe(end)
    times.push(tookMs)
  }
  return Math.min(...times)
}

it('a search ends when its client was told that it took too long, and its thread is free for others', async () => {
  await run(TIMEOUT_MS)
  const whole = await leastOf(TIMEOUT_MS, 'answered')
  expect(await leastOf(whole / 10, 'TIMED_OUT')).toBeLessThan(whole / 2)
  // What was left of the first search is no part of the next one.
  const { total } = await running.must('POST', '/cortex/search', { query: word(1), index: 'i' })
  expect(total).toBeGreaterThan(0)
  expect((await run(TIMEOUT_MS)).ended).toBe('answered')
})

it('so does a suggestion', async () => {
  const { indices, pool } = running.app
  const job = {
    dataDir: running.app.config.dataDir,
    indices: indices.all().map(pageIndex),
    request: '{"prefix":"w"}',
  }
  await expect(pool.run('suggest', { ...job, endsMs: sharedMs() - 1 })).rejects.toMatchObject({
    code: 'TIMED_OUT',
  })
  expect(await pool.run('suggest', { ...job, endsMs: sharedMs() + TIMEOUT_MS })).toContain('"w')
})
