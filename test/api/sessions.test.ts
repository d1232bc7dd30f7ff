import { beforeEach, expect, it, onTestFinished } from 'vitest'
import {
  createSession,
  findSession,
  readSession,
  readSessionAnalytics,
} from '../../src/api/cortex/sessions.ts'
import { openSessions } from '../../src/learn/sessions/sessions.ts'
import { openIdempotency } from '../../src/store/idempotency.ts'
import type { Store } from '../../src/store/store.ts'
import { startStub } from '../http/stub.ts'
import { temporaryStore } from '../store/open.ts'

interface Reply {
  status: number
  body: {
    success: boolean
    cached?: boolean
    code?: string
    error?: string
    details?: { path: string }[]
    data: Record<string, unknown> & { sessionId: string }
  }
}

async function start(): Promise<{
  store: Store
  call: (path: string, body?: string, headers?: Record<string, string>) => Promise<Reply>
}> {
  const store = temporaryStore()
  const config = { idempotencyMs: 60_000 }
  const routes = [createSession, findSession, readSession, readSessionAnalytics]
  const stub = await startStub(routes, {}, openIdempotency({ store, config }))
  const sessions = openSessions({ store, config: stub.app.config })
  Object.assign(stub.app, { sessions })
  onTestFinished(async () => {
    await stub.close()
    await sessions.close()
  })
  return {
    store,
    call: async (path, body, headers = {}) => {
      const sent = body === undefined ? {} : { method: 'POST', body }
      const response = await fetch(`${stub.url}/cortex/sessions${path}`, {
        ...sent,
        headers: { 'content-type': 'application/json', ...headers },
      })
      return { status: response.status, body: (await response.json()) as Reply['body'] }
    },
  }
}

let service: Awaited<ReturnType<typeof start>>
beforeEach(async () => {
  service = await start()
})

it('a session is created, cached and durable, and read by its path and its query', async () => {
  const { call, store } = service
  const made = await call('', '{"clientId":"web","userId":"u","metadata":{"a":{"b":[1]}}}')
  expect(made.status).toBe(200)
  expect(made.body).toMatchObject({
    success: true,
    cached: true,
    data: { metadata: { a: { b: [1] } } },
  })
  const { sessionId, created } = made.body.data
  expect(new Date(String(created)).toISOString()).toBe(created)
  expect(store.tables.sessions.has(sessionId)).toBe(true)
  const read = await call(`/${sessionId}`)
  expect(read.body.data).toEqual({
    sessionId,
    status: 'ACTIVE',
    created,
    lastSeen: created,
    clientId: 'web',
    userId: 'u',
    metadata: { a: { b: [1] } },
  })
  expect((await call(`?id=${sessionId}`)).body.data).toEqual(read.body.data)
  expect(made.body.data).not.toHaveProperty('warnings')
  expect((await call(`/${sessionId}/analytics`)).body.data).toEqual({
    sessionId,
    status: 'ACTIVE',
    created,
    lastSeen: created,
    searches: 0,
    clicks: 0,
    feedback: 0,
    events: 0,
  })
})

it('names that a session has no field for are told, with the field that was meant', async () => {
  const sent = { user_id: 'ann', user: 'ann', deviceType: 'phone', colour: 'red' }
  const { status, body } = await service.call('', JSON.stringify(sent))
  expect(status).toBe(200)
  expect(body.data.warnings).toEqual([
    '"user_id" is not a field of a session and was ignored; "userId" is.',
    '"user" is not a field of a session and was ignored; "userId" is.',
    '"deviceType" is not a field of a session and was ignored; "metadata.deviceType" is.',
    '"colour" is not a field of a session and was ignored.',
  ])
})

it('an empty object, and no body at all, make a session', async () => {
  for (const body of ['{}', '']) {
    const { status, body: reply } = await service.call('', body)
    expect([status, reply.cached, reply.data.metadata]).toEqual([200, true, {}])
  }
})

it.each([
  ['a number as clientId', 'clientId', '{"clientId":1}'],
  ['null as userId', 'userId', '{"userId":null}'],
  ['a userId of 129 characters', 'userId', `{"userId":"${'x'.repeat(129)}"}`],
  ['a list as metadata', 'metadata', '{"metadata":[]}'],
  ['text as metadata', 'metadata', '{"metadata":"text"}'],
  ['metadata over 8 KiB', 'metadata', `{"metadata":{"t":"${'x'.repeat(8192)}"}}`],
])('%s is refused with the name of the field, and makes nothing', async (_, field, body) => {
  const { status, body: reply } = await service.call('', body)
  expect([status, reply.success, reply.code]).toEqual([400, false, 'VALIDATION_FAILED'])
  expect(reply.details?.[0]?.path).toBe(field)
  expect(reply.error).toContain(field)
  expect(service.store.tables.sessions.count()).toBe(0)
})

it.each(['/unknown', '/019b0000-0000-7000-8000-000000000000/analytics', '?id=unknown', '/%00'])(
  'nobody is found under %s',
  async (path) => {
    const { status, body } = await service.call(path)
    expect([status, body.code]).toEqual([404, 'SESSION_NOT_FOUND'])
  },
)

it('the same Idempotency-Key gets the same session, another body a conflict', async () => {
  const { call, store } = service
  const headers = { 'idempotency-key': 'once' }
  const replies = await Promise.all([1, 2, 3].map(() => call('', '{"userId":"u"}', headers)))
  expect(new Set(replies.map(({ body }) => body.data.sessionId)).size).toBe(1)
  expect(replies.every(({ body }) => body.cached)).toBe(true)
  const other = await call('', '{"userId":"v"}', headers)
  expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
  expect(store.tables.sessions.count()).toBe(1)
})
