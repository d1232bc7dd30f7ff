import { expect, it, onTestFinished, vi } from 'vitest'
import type { Table } from '../../src/store/table.ts'
import { closedGate } from '../gate.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { unlikeFreshFold } from '../torture/refold.ts'
import { waitUntil } from '../wait-until.ts'

const SOMEBODY = 'somebody-to-forget'
const QUERY = 'what only somebody asks'

/** Does whatever leaves a row: several searches, feedback, events, results of experiments. */
async function act(app: RunningApp, userId: string, query: string): Promise<string> {
  const { sessionId } = await app.must<{ sessionId: string }>('POST', '/cortex/sessions', {
    ...{ userId, clientId: 'shop' },
  })
  for (const words of [query, 'red fox', query]) {
    const { hits, searchContext } = await app.must<{
      hits: { id: string }[]
      searchContext: { queryId: string }
    }>('POST', '/cortex/search', { query: words, index: 'w', sessionId })
    const { queryId } = searchContext
    await app.must('POST', '/cortex/feedback', {
      sessionId,
      feedback: hits.slice(0, 2).map(({ id: resultId }, at) => ({
        ...{ queryId, rating: 1 },
        metadata: { resultId, userAction: ['click', 'purchase'][at] },
      })),
    })
  }
  await app.must('POST', '/cortex/analytics/search', {
    events: [
      { eventType: 'SCROLLED', sessionId },
      { eventType: 'BOUGHT', metadata: { userId } },
      { eventType: 'SLOW', sessionId, performance: { responseTime: 900 } },
    ],
  })
  await app.must('POST', '/cortex/ab-test/assign', { sessionId, testName: 'titles' })
  const reported = { experimentName: 'memory', unit: userId, metrics: { revenue: 3 } }
  await app.must('POST', '/nous/ab-testing/results', reported)
  return sessionId
}

/** The tables in which any of these texts stands. */
function tablesNaming(app: RunningApp, texts: readonly string[]): string[] {
  const tables = Object.entries(app.app.store.tables) as [string, Table<unknown, unknown>][]
  return tables.flatMap(([name, table]) => {
    const rows = Array.from(table.range(), ({ key, value }) => textOf(key) + textOf(value))
    return rows.some((row) => texts.some((text) => row.includes(text))) ? [name] : []
  })
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, each]) => `${name}\n${textOf(each)}`)
    .join('\n')
}

for (const isCut of [false, true])
  it(`no table names somebody who was forgotten, nor their words, where the log is ${isCut ? 'cut' : 'whole, and what was learned is what others taught'}`, async () => {
    const app = await startApp()
    onTestFinished(() => app.close())
    const documents = ['fox', 'hound', 'red fox', 'what only a fox asks'].map((title, at) => ({
      ...{ id: `d${at}`, document: { title } },
    }))
    await app.must('POST', '/cortex/documents/bulk', { index: 'w', documents })
    const variants = [{ id: 'a' }, { id: 'b', config: { fieldWeights: { title: 2 } } }]
    await app.must('POST', '/cortex/ab-test/create', { name: 'titles', variants })
    await app.must('POST', '/nous/ab-testing/experiments', {
      ...{ name: 'memory', type: 'learning_strategy', steps: [1] },
      variants: [{ id: 'a' }, { id: 'b', config: { learning: false } }],
    })
    await act(app, 'bob', 'what bob asks')
    const sessionId = await act(app, SOMEBODY, QUERY)
    const { learning, store, sessions } = app.app
    await sessions.flush()
    await learning.caughtUp()
    const before = tablesNaming(app, [SOMEBODY, sessionId, QUERY])
    expect(before.length, String(before)).toBeGreaterThan(8)
    if (isCut) await store.write(() => store.tables.meta.put('log cut', true))

    const { rebuilt } = await app.must<{ rebuilt: boolean }>(
      'DELETE',
      `/nous/learn/subjects/${SOMEBODY}`,
    )
    expect(rebuilt).toBe(!isCut)
    await sessions.flush()
    await learning.caughtUp()
    expect(tablesNaming(app, [SOMEBODY, sessionId, QUERY])).toEqual([])
    if (isCut) return
    // Sums name nobody: what they hold of somebody shows only beside a fold of what is left of the log.
    let unlike: string[] = ['not looked at']
    await app.restart({}, async (dataDir) => {
      unlike = await unlikeFreshFold(dataDir)
    })
    expect(unlike).toEqual([])
  })

it('searches that were under way when somebody was forgotten leave no name, however long they take', async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  const { pool, learning, sessions } = app.app
  await app.must('PUT', '/cortex/documents/d?index=w', { title: 'red fox' })
  const { sessionId } = await app.must<{ sessionId: string }>('POST', '/cortex/sessions', {
    userId: SOMEBODY,
  })
  const find = (query: string) =>
    app.must('POST', '/cortex/search', { query, index: 'w', sessionId: sessionId.toUpperCase() })
  await find('red')
  const handover = closedGate()
  const search = pool.search
  const asked = vi.spyOn(pool, 'search').mockImplementation(async (...job) => {
    await handover.opened
    return search(...job)
  })
  const answer = find('fox')
  await waitUntil(() => asked.mock.calls.length === 1)
  const path = `/nous/learn/subjects/${SOMEBODY}`
  expect(await app.must('DELETE', path)).toMatchObject({ removed: { sessions: 1, impressions: 1 } })
  handover.open()
  await answer
  await sessions.flush()
  await learning.caughtUp()
  expect(tablesNaming(app, [SOMEBODY, sessionId])).toEqual([])
})
