import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

const ENTRIES = 24
/** Decoded, each takes longer than anybody should wait for all of them. */
const METADATA = Object.fromEntries(Array.from({ length: 15_000 }, (_, n) => [`key${n}`, n]))

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
  for (let n = 0; n < ENTRIES; n++)
    await running.must('POST', '/cortex/feedback', {
      sessionId: 'nobody',
      feedback: [{ queryId: `query ${n}`, rating: 1, metadata: { customMetadata: METADATA } }],
    })
  await running.app.learning.caughtUp()
}, 60_000)
afterAll(() => running.close())

/** How often others had a turn during some work, and what it gave. */
async function withTurns<Value>(work: () => Promise<Value>): Promise<[number, Value]> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const value = await work()
  isOver = true
  return [turns, value]
}

it('a list of feedback reads long entries with turns for others in between', async () => {
  const { feedback } = running.app.learning
  const [turns, page] = await withTurns(() => feedback.read({ limit: 100 }))
  expect(page.feedback).toHaveLength(ENTRIES)
  expect(page.summary).toMatchObject({ total: ENTRIES, complete: true })
  expect(turns).toBeGreaterThan(ENTRIES / 2)
})

it('so does a list of signals', async () => {
  const { signals } = running.app.learning
  const [turns, page] = await withTurns(() => signals.list({ limit: 100 }))
  expect(page.signals).toHaveLength(ENTRIES)
  expect(turns).toBeGreaterThan(ENTRIES / 2)
})
