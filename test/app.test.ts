import { expect, it, onTestFinished } from 'vitest'
import { encodeRecord } from '../src/search/record.ts'
import { startApp } from './running-app.ts'
import { settableClock } from './system-clock.ts'
import { waitUntil } from './wait-until.ts'

it('what is past its time goes by itself while the service runs', async () => {
  const running = await startApp({
    CHECKPOINT_MS: '50',
    SESSION_ABSOLUTE_MS: '1',
    RETENTION_MS: '1000',
    IDEMPOTENCY_MS: '1',
  })
  onTestFinished(running.close)
  const { sessions, idempotency, superseded, records } = running.app.store.tables
  const left = () => [sessions, idempotency, superseded, records].map((table) => table.count())
  await running.must('POST', '/cortex/sessions', {})
  const event = { eventType: 'seen' }
  const { status } = await running.call('POST', '/cortex/analytics/search', event, {
    'idempotency-key': 'once',
  })
  expect(status).toBe(200)
  // As a document leaves it that was written again long ago.
  const record = { id: 'a', version: 1, createdMs: 0, updatedMs: 0, source: '{}' }
  await running.app.store.write(() => {
    records.put([1, 7], encodeRecord(record))
    superseded.put([1, 1, 7], true)
  })
  await waitUntil(() => left().every((count) => count === 0))
})

it('a list is read to its end though the clock is set an hour ahead after its first page', async () => {
  const clock = settableClock()
  const running = await startApp({ CHECKPOINT_MS: '50' })
  onTestFinished(running.close)
  const write = (id: string, title: string) =>
    running.must('PUT', `/cortex/documents/${id}?index=texts`, { title })
  const ids = ['a', 'b', 'c', 'd']
  for (const id of ids) await write(id, 'river')
  const body = { index: 'texts', query: 'river', searchType: 'text', size: 2 }
  type Page = { hits: { id: string }[]; nextCursor: string }
  const first = await running.must<Page>('POST', '/cortex/search', body)
  for (const id of ids) await write(id, 'sea')
  clock.aheadMs = 3_600_000
  const { superseded } = running.app.store.tables
  // What was replaced long ago goes with the next round.
  await running.app.store.write(() => superseded.put([1, 1, 7], true))
  await waitUntil(() => !superseded.has([1, 1, 7]))
  const cursor = first.nextCursor
  const second = await running.must<Page>('POST', '/cortex/search', { ...body, cursor })
  expect([...first.hits, ...second.hits].map(({ id }) => id).sort()).toEqual(ids)
})

it('indices are made durable, and looked after, again and again', async () => {
  const running = await startApp({ CHECKPOINT_MS: '50' })
  onTestFinished(running.close)
  const { engine } = running.app
  const { checkpoint, tend } = engine
  const done = { checkpoint: 0, tend: 0 }
  engine.checkpoint = () => {
    done.checkpoint += 1
    return checkpoint()
  }
  engine.tend = () => {
    done.tend += 1
    return tend()
  }
  await waitUntil(() => done.checkpoint > 1 && done.tend > 1)
})

it('a deletion that a crash cut short goes on with the next start', async () => {
  const running = await startApp()
  onTestFinished(running.close)
  const document = { title: 'half deleted' }
  await running.must('POST', '/cortex/documents', { index: 'gone', id: 'a', document })
  const { indices } = running.app.store.tables
  const [row] = [...indices.range()].filter(({ value }) => value.name === 'gone')
  if (row === undefined) throw new Error('The index is not there.')
  await running.app.store.write(() => indices.put(row.key, { ...row.value, dropped: true }))
  await running.restart()
  const left = () => {
    const { tables } = running.app.store
    return tables.indices.has(row.key) || tables.documents.has([row.key, 'a'])
  }
  await waitUntil(() => !left())
})

it('a search keeps its session alive, and its further pages are no searches', async () => {
  const clock = settableClock()
  const running = await startApp({ SESSION_IDLE_MS: '60000' })
  onTestFinished(running.close)
  const { sessionId } = await running.must<{ sessionId: string }>('POST', '/cortex/sessions', {})
  for (const from of [0, 1, 2]) {
    clock.aheadMs += 40_000
    await running.must('POST', '/cortex/search', { query: 'word', sessionId, from, size: 1 })
  }
  const read = await running.must('GET', `/cortex/sessions/${sessionId}/analytics`)
  expect(read).toMatchObject({ status: 'ACTIVE', searches: 1 })
})

it('searches of nobody that are too many to be written down are counted', async () => {
  const running = await startApp({ ANONYMOUS_IMPRESSIONS_MAX: '0' })
  onTestFinished(running.close)
  await running.must('POST', '/cortex/search', { query: 'word' })
  await running.app.learning.caughtUp()
  expect(running.app.learning.figures().impressions).toMatchObject({ written: 0, dropped: 1 })
})
