import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/api/index.ts'
import { routeOf } from '../contract.ts'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp({ MODEL_TRAIN_AUTO: 'false' })
})
afterAll(() => service.close())

let keys = 0

/** Sends a request whose answer is lost behind what it did, as a crash would lose it; gives its key. */
async function lose(path: string, body: unknown, headers: Record<string, string> = {}) {
  const { app } = service
  const { run } = app.idempotency
  app.idempotency.run = (key, route, arriving, produce) =>
    run(key, route, arriving, async (noteDone) => {
      const { status, body: answer } = await produce(noteDone)
      throw new Error(`lost, but for this test: ${status} ${Buffer.from(answer)}`)
    })
  const key = `lost-${++keys}`
  const { status } = await service.call('POST', path, body, { ...headers, 'idempotency-key': key })
  app.idempotency.run = run
  expect(status).toBe(500)
  return key
}

/** The same again, behind a crash. */
async function repeat(path: string, body: unknown, headers: Record<string, string> = {}) {
  const key = await lose(path, body, headers)
  return service.call('POST', path, body, { ...headers, 'idempotency-key': key })
}

const ndjson = { 'content-type': 'application/x-ndjson' }
const note = { index: 'notes', document: { title: 'Once' } }
const metric = { name: 'orders_total', type: 'counter', value: 1 }
const changes = { fieldWeights: { title: 1.5 } }
const unmatched = { sessionId: 'nobody', feedback: [{ queryId: 'none', rating: 1 }] }
const experiment = { name: 'once', type: 'business_rules', variants: [{ id: 'a' }, { id: 'b' }] }
const state = { weights: [1], bias: 0, featureNames: ['textScore'] }

/** What would be there twice. */
const ONCE: [string, string, unknown, Record<string, string>?][] = [
  ['a document without an id', '/cortex/documents', note],
  ['one of a path', '/cortex/indices/notes/documents', { document: note.document }],
  ['a list of such', '/cortex/documents/bulk', [{ ...note, id: 'named' }, note]],
  ['lines of such', '/cortex/documents/bulk', `${JSON.stringify(note)}\n`, ndjson],
  ['an event', '/cortex/analytics', { eventType: 'view' }],
  ['a list of events', '/cortex/analytics', [{ eventType: 'view' }]],
  ['feedback', '/cortex/feedback', unmatched],
  ['a value of a metric', '/cortex/metrics', metric],
  ['a rule', '/nous/adapt/rules', { queryHash: '9f86d081884c7d65', changes }],
  ['a change', '/nous/adapt/apply', { type: 'ranking', changes }],
  ['a signal without a name', '/nous/signals', { type: 'CLICK' }],
]
/** These, too, and need something beforehand: each has a test of its own. */
const ONCE_BY_THEMSELVES = ['/nous/ab-testing/results', '/nous/learn/models/{id}/rollback']
/**
 * What has a name of its own, or leads to a state: done again, it is there once, or refused. A session that nobody was told
 * of harms nobody, nor does a gate that is asked again.
 */
const AS_IT_MAY_BE = [
  ...['/cortex/indices', '/cortex/sessions', '/cortex/ab-test/create', '/cortex/ab-test/assign'],
  ...['pause', 'resume', 'stop'].map((verb) => `/cortex/ab-test/{id}/${verb}`),
  ...['/nous/signals/process', '/nous/learn/models/sync', '/nous/learn/models/train'],
  ...['activate', 'evaluate'].map((verb) => `/nous/learn/models/{id}/${verb}`),
  ...['/nous/adapt/suggest', '/nous/adaptations/{id}/rollback', '/nous/ab-testing/experiments'],
  ...['activate', 'deactivate', 'stop'].map((verb) => `/nous/ab-testing/experiments/{id}/${verb}`),
]

describe('sent again when its answer was lost', () => {
  it('every POST that writes is known to be one that may be done twice, or to note that it is done', () => {
    const writing = routes.filter(({ method, readsOnly }) => method === 'POST' && !readsOnly)
    const noted = new Set(ONCE.map(([, path]) => routeOf('POST', path)?.path))
    expect(writing.map(({ path }) => path).sort(), 'in ONCE or AS_IT_MAY_BE').toEqual(
      [...noted, ...ONCE_BY_THEMSELVES, ...AS_IT_MAY_BE].sort(),
    )
  })

  it.each(ONCE)('%s is not there twice', async (_name, path, body, headers) => {
    const again = await repeat(path, body, headers)
    expect([again.status, again.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    expect(again.error).toContain('was done before')
  })

  it('a result is not counted twice', async () => {
    await service.must('POST', '/nous/experiments', experiment)
    const sent = { experimentName: 'once', variantId: 'a', metrics: { revenue: 1 } }
    expect((await repeat('/nous/ab-testing/results', sent)).status).toBe(409)
  })

  it('a model is not taken back twice', async () => {
    for (const bias of [0, 1, 2])
      await service.must('POST', '/nous/learn/models/sync', {
        modelId: 'm',
        state: { ...state, bias },
        activate: true,
      })
    expect((await repeat('/nous/learn/models/m/rollback', undefined)).status).toBe(409)
    const { active } = await service.must<{ active: { version: number } }>(
      'POST',
      '/nous/learn/models/m/rollback',
    )
    expect(active.version).toBe(1)
  })

  it('what has a name of its own is done again, and is there once', async () => {
    const named = { index: 'notes', id: 'n', document: { title: 'Named' } }
    expect((await repeat('/cortex/documents', named)).data).toMatchObject({ version: 1 })
    const listed = await repeat('/cortex/documents/bulk', [named])
    expect(listed.data).toMatchObject({ succeeded: 1 })
    expect((await repeat('/nous/signals', { signalId: 's', type: 'CLICK' })).status).toBe(200)
  })

  it('a session that nobody was told of does not keep its client from another', async () => {
    expect((await repeat('/cortex/sessions', {})).status).toBe(200)
  })

  it('a key is free again when nothing was done', async () => {
    const path = '/cortex/documents'
    const refused = { index: 'notes', document: { title: '' } }
    const again = await repeat(path, refused)
    expect([again.status, again.code]).toEqual([400, 'VALIDATION_FAILED'])
  })

  it('another request with its key is refused as ever', async () => {
    const path = '/cortex/analytics'
    const headers = { 'idempotency-key': await lose(path, { eventType: 'view' }) }
    const other = await service.call('POST', path, { eventType: 'open' }, headers)
    expect(other.error).toContain('another request')
  })
})

it.each([
  ['no JSON', '{"index": nope}', 'MALFORMED_JSON'],
  ['no document', { index: 'notes' }, 'VALIDATION_FAILED'],
  ['a wrong type', { index: 7, document: { title: 'x' } }, 'VALIDATION_FAILED'],
  [
    'a large one of a wrong type',
    { index: 7, document: { title: 'x'.repeat(1 << 20) } },
    'VALIDATION_FAILED',
  ],
  ['what the index refuses', { index: 'notes', document: { title: '' } }, 'VALIDATION_FAILED'],
])('a key whose first body was refused (%s) is refused with another', async (name, body, code) => {
  const headers = { 'idempotency-key': `refused: ${name}` }
  const send = (sent: unknown) => service.call('POST', '/cortex/documents', sent, headers)
  for (let time = 0; time < 2; time += 1)
    expect(await send(body)).toMatchObject({ status: 400, code })
  expect(await send(note)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' })
})

it('a key gets its first answer again, a refusal too, though what it names was put right', async () => {
  const path = '/cortex/search'
  const sent = { index: 'later' }
  const ask = (key: string) => service.call('POST', path, sent, { 'idempotency-key': key })
  expect((await ask('early')).status).toBe(404)
  await service.must('POST', '/cortex/indices', { name: 'later' })
  expect((await ask('early')).code).toBe('INDEX_NOT_FOUND')
  expect((await ask('another')).status).toBe(200)
})
