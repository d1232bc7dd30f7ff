import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let running: RunningApp

beforeEach(async () => {
  running = await startApp({ STORE_BYTES_MAX: '1048576' })
})
afterEach(() => running.close())

const SEARCH = { query: 'refund', index: 'help' }

/** Somebody who searches and clicks. */
async function visit(userId: string): Promise<string> {
  const { must } = running
  const { sessionId } = await must<{ sessionId: string }>('POST', '/cortex/sessions', { userId })
  for (let times = 0; times < 3; times += 1) {
    const { searchContext } = await must<{ searchContext: { queryId: string } }>(
      'POST',
      '/cortex/search',
      { ...SEARCH, sessionId },
    )
    const click = { queryId: searchContext.queryId, rating: 1 }
    await must('POST', '/cortex/feedback', {
      sessionId,
      feedback: [{ ...click, metadata: { userAction: 'click', resultId: 'second' } }],
    })
  }
  return sessionId
}

/** Writes until nothing more is taken. */
async function fill(): Promise<void> {
  for (let size = 1 << 16; size > 32; ) {
    const title = 'x'.repeat(size)
    const { status } = await running.call('POST', '/cortex/documents?refresh=false', {
      index: 'filler',
      document: { title },
    })
    if (status === 507) size >>= 1
    else expect(status).toBe(200)
  }
}

it('somebody is forgotten in a store that is full, and what they taught with them', async () => {
  const { must, call } = running
  for (const id of ['first', 'second'])
    await must('POST', '/cortex/documents', {
      ...{ index: 'help', id },
      document: { title: 'A refund', content: id },
    })
  await visit('bob')
  await must('GET', '/nous/learn/search-patterns')
  const asBob = await must<{ hits: unknown }>('POST', '/cortex/search', SEARCH)
  const sessionId = await visit('ann')
  // What she did last waits in memory.
  await must('POST', '/cortex/search', { ...SEARCH, sessionId })
  await fill()
  await must('POST', '/cortex/search', { ...SEARCH, sessionId })
  expect((await call('POST', '/cortex/sessions', {})).status).toBe(507)

  expect(await must('DELETE', '/nous/learn/subjects/ann')).toMatchObject({
    removed: { sessions: 1, feedback: 3 },
    rebuilt: true,
  })
  expect((await call('GET', `/cortex/sessions/${sessionId}`)).status).toBe(404)
  expect((await call('DELETE', '/nous/learn/subjects/ann')).status).toBe(404)
  const { hits } = await must<{ hits: unknown }>('POST', '/cortex/search', SEARCH)
  expect(hits).toEqual(asBob.hits)
})

it('a change is taken back, and a test ended, in a store that is full', async () => {
  const { must, call } = running
  const change = { type: 'ranking', changes: { legWeights: { text: 0.5 } }, immediate: true }
  const { adaptationId } = await must<{ adaptationId: string }>('POST', '/nous/adapt/apply', {
    ...change,
    changes: { pins: [{ id: 'second', index: 'help' }] },
  })
  const { testId } = await must<{ testId: string }>('POST', '/cortex/ab-test', {
    name: 'Text alone',
    variants: [{ name: 'as it is' }, { name: 'text', searchConfig: { searchType: 'text' } }],
  })
  await fill()
  expect((await call('POST', '/nous/adapt/apply', change)).status).toBe(507)

  expect(await must('POST', `/nous/adaptations/${adaptationId}/rollback`)).toMatchObject({
    status: 'ROLLED_BACK',
  })
  expect(await must('POST', `/cortex/ab-test/${testId}/stop`)).toMatchObject({ status: 'STOPPED' })
  expect((await call('POST', '/nous/adapt/apply', change)).status).toBe(507)
})
