import { afterAll, beforeAll, expect, it } from 'vitest'
import { SignalStep } from '../../src/schema/signal.ts'
import { SIGNAL_TYPES } from '../../src/schema/signal-types.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

interface Receipt {
  signalId: string
  type: string
  status: string
  previousStatus: string | null
  attemptCount: number
  updatedAt: string
}
interface List {
  signals: { signalId: string; type: string; status: string; source: string }[]
  counts: Record<string, number>
  total: number
  nextCursor?: string
}

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
})
afterAll(() => running.close())

const step = (body: object, path = '/nous/signals/process') =>
  running.call<Receipt>('POST', path, body)

it('the steps of a signal are recorded, a retry counts, an end is an end', async () => {
  expect(await step({ signalId: 'order-1', type: 'click', status: 'queued' })).toMatchObject({
    status: 200,
    data: {
      ...{ signalId: 'order-1', type: 'CLICK', status: 'PENDING', previousStatus: null },
      ...{ attemptCount: 0, updatedAt: expect.stringMatching(/Z$/) },
    },
  })
  const tellings: [string, string, number][] = [
    ['running', 'PROCESSING', 1],
    ['FAILED', 'FAILED', 1],
    ['PROCESSING', 'PROCESSING', 2],
    ['done', 'COMPLETED', 2],
    ['completed', 'COMPLETED', 2],
  ]
  for (const [status, known, attemptCount] of tellings)
    expect((await step({ signalId: 'order-1', status })).data).toMatchObject({
      ...{ status: known, attemptCount },
    })
  expect(await step({ signalId: 'order-1', status: 'failed' })).toMatchObject({
    ...{ status: 409, code: 'INVALID_TRANSITION' },
  })
})

it('a count of attempts that is stated is raised by a retry alone, and never falls', async () => {
  const tellings: [string, number | undefined, number][] = [
    ['PENDING', 1, 1],
    ['PROCESSING', 1, 1],
    ['FAILED', 1, 1],
    ['PROCESSING', 2, 2],
    ['FAILED', 1, 2],
    ['PROCESSING', 1, 3],
    ['FAILED', undefined, 3],
    ['PROCESSING', undefined, 4],
    ['COMPLETED', 5, 5],
  ]
  for (const [status, attemptCount, counted] of tellings) {
    const { data } = await step({ signalId: 'counted', status, metadata: { attemptCount } })
    expect([status, data.attemptCount]).toEqual([status, counted])
  }
  const over = await step({
    ...{ signalId: 'over at once', status: 'COMPLETED', metadata: { attemptCount: 0 } },
  })
  expect(over.data.attemptCount).toBe(0)
})

it('no retry raises a count of attempts above what may be told', async () => {
  const most = 1_000_000
  for (const [status, attemptCount] of [
    ['FAILED', most],
    ['PROCESSING', undefined],
    ['FAILED', undefined],
    ['PROCESSING', most],
  ]) {
    const { data } = await step({ signalId: 'most', status, metadata: { attemptCount } })
    expect([status, data.attemptCount]).toEqual([status, most])
  }
})

it('the moment of a step may be epoch milliseconds, as everywhere, and is kept as it came', async () => {
  for (const timestamp of [1_790_000_000_000, '2026-09-21T14:13:20.000Z']) {
    const metadata = { processingSteps: [{ step: 'score', timestamp }] }
    expect((await step({ signalId: `at ${timestamp}`, metadata })).status).toBe(200)
  }
  const refused = await step({
    signalId: 'at',
    metadata: { processingSteps: [{ timestamp: true }] },
  })
  expect(refused).toMatchObject({
    ...{ status: 400, details: [{ path: 'metadata.processingSteps[0].timestamp' }] },
  })
})

it('what is not read of a step is told, and what it is called', async () => {
  const { data } = await step({ signalId: 'unread', state: 'done', processor: 'p' })
  expect(data).toMatchObject({
    status: 'PENDING',
    warnings: [
      '"state" is not a field of a signal and was ignored; "status" is.',
      '"processor" is not a field of a signal and was ignored; "metadata.processor" is.',
    ],
  })
})

it('what its steps say has 64 KiB, in bytes; one that is full can still be ended', async () => {
  const say = (text: string, status?: string) =>
    step({ signalId: 'full', ...(status && { status }), metadata: { text } })
  const frame = JSON.stringify({ text: '' }).length
  expect(await say('é'.repeat((65_536 - frame) / 2 + 1))).toMatchObject({
    ...{ status: 400, details: [{ path: 'metadata' }] },
  })
  expect((await say('é'.repeat((65_536 - frame) / 2), 'running')).status).toBe(200)
  const more = { signalId: 'full', status: 'done', metadata: { processor: 'p' } }
  expect(await step(more)).toMatchObject({ status: 400, details: [{ path: 'metadata' }] })
  expect((await step({ signalId: 'full', status: 'done' })).data.status).toBe('COMPLETED')
})

it('a signal can be made without an id', async () => {
  const made = await step({ type: 'System health' }, '/nous/signals')
  expect(made.data).toMatchObject({ type: 'SYSTEM_HEALTH', status: 'PENDING' })
  expect(made.data.signalId).toMatch(/^[0-9a-f-]{36}$/)
})

it('words with the prefix of an enumeration are the words behind it', async () => {
  const named = { signalId: 'enumerated', type: 'SIGNAL_TYPE_CLICK' }
  const told = await step({ ...named, status: 'SIGNAL_STATUS_RUNNING' })
  expect(told.data).toMatchObject({ type: 'CLICK', status: 'PROCESSING' })
  const listed = async (query: string) => {
    const { data } = await running.call<List>('GET', `/nous/signals?${query}`)
    return data.signals.some(({ signalId }) => signalId === 'enumerated')
  }
  expect(await listed('type=SIGNAL_TYPE_CLICK&status=STATUS_PROCESSING')).toBe(true)
  expect(await listed('type=SIGNAL_TYPE_VIEW')).toBe(false)
  const own = await step({ signalId: 'own', type: 'Signal_Type_Mine' }, '/nous/signals')
  expect(own.data.type).toBe('Signal_Type_Mine')
  expect((await step({ signalId: 'own', status: 'STATUS_' })).status).toBe(400)
})

it.each([
  ['an unknown status', { signalId: 'a', status: 'odd' }, 'status'],
  ['a status that is no text', { signalId: 'a', status: 1 }, 'status'],
  ['no id', { status: 'done' }, 'signalId'],
  ['an empty id', { signalId: '' }, 'signalId'],
  ['an empty type', { signalId: 'a', type: ' ' }, 'type'],
  [
    'a step that is none',
    { signalId: 'a', metadata: { processingSteps: ['x'] } },
    'metadata.processingSteps[0]',
  ],
  ['half an attempt', { signalId: 'a', metadata: { attemptCount: 1.5 } }, 'metadata.attemptCount'],
  [
    'a boundless count',
    { signalId: 'a', metadata: { attemptCount: 1e300 } },
    'metadata.attemptCount',
  ],
  ['a negative count', { signalId: 'a', metadata: { attemptCount: -1 } }, 'metadata.attemptCount'],
  [
    'a figure that is a text',
    { signalId: 'a', metadata: { performance: { cpuUsage: '1' } } },
    'metadata.performance.cpuUsage',
  ],
  [
    'a version that is a number',
    { signalId: 'a', metadata: { context: { version: 1 } } },
    'metadata.context.version',
  ],
])('%s is refused by name', async (_name, body, path) => {
  expect(await step(body)).toMatchObject({ status: 400, details: [{ path }] })
})

it('ids of any characters are taken', async () => {
  for (const signalId of ['\u0000', 'a\u0000b', '💡'.repeat(64), ' ', '../..', '[1]']) {
    expect((await step({ signalId, status: 'running' })).data.previousStatus).toBe(null)
    expect((await step({ signalId, status: 'done' })).data.previousStatus).toBe('PROCESSING')
  }
})

it('searches and feedback are signals that complete by themselves', async () => {
  await running.call('POST', '/cortex/documents', { index: 'a', document: { title: 'one' } })
  const made = await running.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
  const { sessionId } = made.data
  const found = await running.call<{ searchContext: { queryId: string } }>(
    ...(['POST', '/cortex/search', { query: 'one', sessionId }] as const),
  )
  const { queryId } = found.data.searchContext
  await running.call('POST', '/cortex/feedback', {
    ...{ sessionId, feedback: [{ queryId, rating: 1, metadata: { userAction: 'purchase' } }] },
  })
  const own = async () =>
    (await running.call<List>('GET', `/nous/signals?sessionId=${sessionId}`)).data.signals
  await waitUntil(async () => (await own()).every(({ status }) => status === 'COMPLETED'))
  expect((await own()).map(({ type, source }) => [type, source])).toEqual([
    ['CONVERSION', 'feedback'],
    ['SEARCH', 'search'],
  ])
  const page = await running.metricsPage()
  expect(page).toMatch(/^svc_signals_completed [1-9]/m)
  expect(page).toMatch(/^svc_signals_failed \d/m)
})

it('a search is listed as soon as it is counted', async () => {
  const all = async () => (await running.call<List>('GET', '/nous/signals?limit=1000')).data
  const before = await all()
  await running.call('POST', '/cortex/search', { query: 'one' })
  const { signals, total } = await all()
  expect([total, signals.length]).toEqual([before.total + 1, before.signals.length + 1])
  expect(signals.length).toBe(total)
  expect(signals[0]).toMatchObject({ type: 'SEARCH', source: 'search' })
  await waitUntil(async () => (await all()).signals[0]?.status === 'COMPLETED')
})

it('a type that has a comma itself is found by all of it, beside those that the list names', async () => {
  const types = ['odd, but mine', 'odd', 'even']
  for (const type of types) await running.must('POST', '/nous/signals', { type })
  const found = async (type: string) => {
    const path = `/nous/signals?type=${encodeURIComponent(type)}`
    return (await running.must<List>('GET', path)).signals.map((signal) => signal.type).sort()
  }
  expect(await found('Odd, but mine')).toEqual(['odd', 'odd, but mine'])
  expect(await found('odd,even')).toEqual(['even', 'odd'])
  expect(await found('but mine')).toEqual([])
})

it('figures of performance and events of models are signals, each counted once over a restart', async () => {
  const counts = async () => (await running.call<List>('GET', '/nous/signals')).data.counts
  const settled = async () => {
    await running.call('GET', '/nous/learn/metrics')
    await waitUntil(async () => (await counts()).PENDING === heldBack)
    return (await counts()).COMPLETED ?? 0
  }
  const rows = async (type: string) =>
    (await running.call<List>('GET', `/nous/signals?type=${type}`)).data.signals
  const heldBack = (await counts()).PENDING ?? 0
  const before = await settled()
  const made = await running.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
  const { sessionId } = made.data
  const performance = { renderMs: 41, network: { firstByteMs: 12 } }
  const told = await running.call<{ events: { eventId: string }[] }>('POST', '/cortex/analytics', {
    events: [
      { eventType: 'page', sessionId, performance },
      { eventType: 'page', performance: [{ name: 'paint', ms: 3 }] },
      { eventType: 'page', sessionId, performance: { note: 'none' } },
      { eventType: 'scroll', sessionId },
    ],
  })
  const [first, second] = told.data.events.map(({ eventId }) => eventId)
  const state = { weights: [1], featureNames: ['textScore'], scaler: { mean: [0], std: [1] } }
  const sync = (bias: number) =>
    running.call('POST', '/nous/learn/models/sync', {
      ...{ modelId: 'm', activate: true, state: { ...state, bias } },
    })
  await sync(0)
  await sync(1)
  await running.call('POST', '/nous/learn/models/m/rollback')

  expect(await settled()).toBe(before + 7)
  const performances = await rows('performance')
  const shared = { type: 'PERFORMANCE', status: 'COMPLETED', attemptCount: 1, source: 'analytics' }
  expect(performances).toMatchObject([
    { ...shared, signalId: second, metadata: { performance: [{ name: 'paint', ms: 3 }] } },
    { ...shared, signalId: first, sessionId, metadata: { eventType: 'page', performance } },
  ])
  const models = await rows('model_performance')
  const { data } = await running.call<{ events: { id: string; type: string; status: string }[] }>(
    ...(['GET', '/nous/learn/events?modelId=m'] as const),
  )
  expect(data.events.map(({ type }) => type)).toEqual([
    ...['MODEL_ROLLED_BACK', 'MODEL_ACTIVATED', 'MODEL_SYNCED', 'MODEL_ACTIVATED', 'MODEL_SYNCED'],
  ])
  expect(models).toMatchObject(
    data.events.map(({ id, type, status }) => ({
      ...{ signalId: id, source: 'models', status: 'COMPLETED', attemptCount: 1 },
      ...{ type: 'MODEL_PERFORMANCE', metadata: { event: type, status, modelId: 'm' } },
    })),
  )

  await running.restart()
  expect(await settled()).toBe(before + 7)
  expect(await rows('performance')).toEqual(performances)
  expect(await rows('model_performance')).toEqual(models)
  await sync(2)
  expect(await settled()).toBe(before + 9)
  // A client may tell of its steps in one of these too.
  expect(await step({ signalId: first, status: 'done' })).toMatchObject({
    data: { type: 'PERFORMANCE', previousStatus: 'COMPLETED', attemptCount: 1 },
  })
})

it('lists are filtered and paged', async () => {
  for (const at of [1, 2, 3]) await step({ signalId: `paged-${at}`, type: 'paged', status: 'done' })
  const first = await running.call<List>('GET', '/nous/signals?type=paged&limit=2')
  expect(first.data.signals.map(({ signalId }) => signalId)).toEqual(['paged-3', 'paged-2'])
  expect(first.data).toMatchObject({ total: 3, complete: true })
  const rest = await running.call<List>(
    ...([
      'GET',
      `/nous/signals/process?type=paged&limit=2&cursor=${first.data.nextCursor}`,
    ] as const),
  )
  expect(rest.data.signals.map(({ signalId }) => signalId)).toEqual(['paged-1'])
  expect(rest.data.nextCursor).toBeUndefined()
  expect(rest.data.counts.COMPLETED).toBeGreaterThanOrEqual(3)
  for (const query of ['status=odd', 'limit=0', 'cursor=nonsense'])
    expect((await running.call('GET', `/nous/signals?${query}`)).status, query).toBe(400)
})

it('each type that is known is told by the API document, and read in any spelling', async () => {
  const { description = '' } = SignalStep.properties.type as { description?: string }
  for (const known of SIGNAL_TYPES) {
    expect(description).toMatch(new RegExp(`\\b${known}\\b`))
    const type = `signal type ${known.toLowerCase()}`
    expect(await running.must('POST', '/nous/signals', { type })).toMatchObject({ type: known })
  }
})
