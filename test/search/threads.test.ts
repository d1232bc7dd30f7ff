import { expect, it, onTestFinished } from 'vitest'
import { sharedMs } from '../../src/shared-clock.ts'
import { startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

const LANES = 8
/** Threads once kept seven kilobytes of each of these searches: 140 MB of one round. */
const GROWTH_MAX = 30e6
const SEARCHES = 20_000
/** Memory comes and goes by some megabytes, more when the machine is busy; what is kept of searches grows in each round. */
const ROUNDS_MAX = 4

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
  let before = await searchOften(SEARCHES / 2)
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS_MAX && least >= GROWTH_MAX; round++) {
    const after = await searchOften(SEARCHES)
    least = Math.min(least, after - before)
    before = after
  }
  expect(least).toBeLessThan(GROWTH_MAX)
}, 240_000)

it.each(['its client has left', 'its time is over'])(
  'a search that waits for a thread is not run when %s',
  async (why) => {
    const isTimed = why === 'its time is over'
    const service = await startApp()
    onTestFinished(() => service.close())
    const word = (n: number) => `w${((n * 7919) % 3000).toString(36)}abcde`.slice(0, 4 + (n % 5))
    const titleOf = (n: number) =>
      Array.from({ length: 12 }, (_, at) => word(n * 12 + at)).join(' ')
    const documents = Array.from({ length: 500 }, (_, n) => ({ document: { title: titleOf(n) } }))
    await service.must('POST', '/cortex/documents/bulk', { index: 'i', documents })
    const query = Array.from({ length: 600 }, (_, n) => word(n * 5)).join(' ')
    const heavy = { query: query.slice(0, 4000), searchType: 'text', fuzziness: 2 }
    const completed = () =>
      service.app.pool.figures().find(({ lane }) => lane === 'search')?.completed ?? 0
    const startedMs = performance.now()
    await service.call('POST', '/cortex/search', heavy)
    const oneMs = performance.now() - startedMs
    // Time for a few of all these, however fast the machine is.
    const timeoutMs = Math.round(Math.min(1000, Math.max(100, 4 * oneMs)))
    if (isTimed) await service.restart({ REQUEST_TIMEOUT_MS: `${timeoutMs}` })

    const before = completed()
    const sent = Array.from({ length: 40 }, () => {
      const leave = new AbortController()
      const answer = fetch(`${service.url}/cortex/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(heavy),
        signal: leave.signal,
      }).then(
        ({ status }) => status,
        () => 'left',
      )
      return { leave, answer }
    })
    if (!isTimed) await new Promise((resolve) => setTimeout(resolve, Math.min(300, oneMs)))
    if (!isTimed) for (const { leave } of sent) leave.abort()
    const answers = await Promise.all(sent.map(({ answer }) => answer))
    expect(answers.filter((answer) => answer === (isTimed ? 503 : 'left')).length).toBeGreaterThan(
      20,
    )
    const plain = { query: 'w1', searchType: 'text' }
    const isServed = async () =>
      (await service.call('POST', '/cortex/search', plain)).status === 200
    await waitUntil(isServed, 40_000)
    // A hop has room for four; those of all forty would be more than ten.
    expect(completed() - before).toBeLessThan(8)
  },
)
