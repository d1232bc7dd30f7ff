import { v7 as uuid } from 'uuid'
import { expect, it, onTestFinished } from 'vitest'
import type { FeedbackBatch } from '../../../src/learn/entries.ts'
import type { FeedbackFact } from '../../../src/learn/facts.ts'
import { openEvents } from '../../../src/learn/history/events.ts'
import { openLoop } from '../../../src/learn/loop/loop.ts'
import { type DeadSignals, openDeadSignals } from '../../../src/learn/signals/dead-signals.ts'
import { openModelSignals } from '../../../src/learn/signals/model-signals.ts'
import { openSignals, type Signals } from '../../../src/learn/signals/signals.ts'
import { MACHINES } from '../../../src/learn/states.ts'
import type { SignalList, SignalQuery } from '../../../src/schema/signal.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS, type Learner, MINUTE_MS, openLearner, START_MS } from '../learner.ts'
import { openForgetting } from '../subjects/forgetting.ts'

interface Desk extends Learner {
  signals: Omit<Signals, 'list'> & { list: (query: SignalQuery) => Promise<SignalList> }
  dead: DeadSignals
  /** Lets learning take what waits. */
  learn: () => Promise<void>
  gauges: Map<string, () => unknown>
}

/** Signals over a log whose processor runs when it is told to. */
function start(store: Store = temporaryStore()): Desk {
  const learner = openLearner(store)
  const clock = () => learner.clock.nowMs
  const events = openEvents(store, clock)
  const config = { retentionMs: 30 * DAY_MS }
  const gauges = new Map<string, () => unknown>()
  let position = 0
  const signals = openSignals({
    ...{ store, log: learner.log, events, config, clock, position: () => position },
    intakes: [learner.feedback],
    metrics: { collect: (name, _help, _labels, rows) => gauges.set(name, rows) },
  })
  onTestFinished(learner.close)
  const learn = async () => {
    await learner.loop.caughtUp()
    // The same journal, taken by a processor of its own.
    await store.write(() => store.tables.meta.put('learned', position))
    const { log } = learner
    const consumers = [signals.consumer]
    const { dead } = signals
    const quiet = {
      lull: async () => undefined,
      onLag: () => {},
      onFailure: () => {},
      onEnd: () => {},
    }
    const loop = openLoop({ store, log, consumers, clock, dead, ...quiet })
    await loop.caughtUp()
    position = loop.position()
    await loop.close()
  }
  const list = async (query: SignalQuery): Promise<SignalList> =>
    JSON.parse(Buffer.from(await signals.list(query)).toString())
  return { ...learner, signals: { ...signals, list }, dead: signals.dead, learn, gauges }
}

function raise(): never {
  throw new Error('There is no such row.')
}

/** The entry of feedback that was told last, as learning gets it. */
function clickIn(log: Learner['log'], sessionId: string): FeedbackFact {
  const [row] = log.journal.read({ limit: 1, reverse: true })
  const [entry] = (row?.entry.data as FeedbackBatch | undefined)?.entries ?? []
  if (entry === undefined) throw new Error('There is no entry.')
  return {
    ...{ kind: 'feedback', sequence: 2, receivedMs: START_MS, sessionId, unit: sessionId, entry },
    ...{ impression: undefined, hit: undefined },
  }
}

it('every search and every entry of feedback is a signal: pending, then completed', async () => {
  const { session, search, tell, feedback, signals, learn, log, gauges } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a', 'b'])
  expect(signals.counts().PENDING).toBe(1)
  const { feedbackId } = await feedback.submit({
    sessionId,
    feedback: ['click', 'purchase', 'view', 'impression', 'bookmark'].map((userAction) => ({
      ...{ queryId, rating: 1, metadata: { userAction, resultId: 'a' } },
    })),
  })
  const before = await signals.list({})
  expect(before.signals.map(({ type, status }) => [type, status])).toEqual([
    ...['FEEDBACK', 'IMPRESSION', 'VIEW', 'CONVERSION', 'CLICK'].map((type) => [type, 'PENDING']),
    ['SEARCH', 'PENDING'],
  ])
  expect(before.signals[0]?.signalId).toBe(feedbackId.replace(/0000$/, '0005'))
  expect(before.signals.at(-1)).toMatchObject({ signalId: queryId, source: 'search', sessionId })
  expect(before.counts).toMatchObject({ PENDING: 6, COMPLETED: 0 })
  await learn()
  await tell(sessionId, queryId, 'b')
  const after = await signals.list({})
  expect(after.signals.map(({ status }) => status)).toEqual([
    'PENDING',
    ...Array(6).fill('COMPLETED'),
  ])
  expect(after.counts).toMatchObject({ PENDING: 1, COMPLETED: 6 })
  expect(gauges.get('svc_signals_completed')?.()).toEqual([{ value: 6 }])
  expect(log.journal.last()).toBe(3)
})

it('a figure of performance and an event of a model wait like the others; given up, they are told', async () => {
  const { signals, learn, log, store, clock, dead } = start()
  const analytics = (eventId: string, performance?: object) => ({
    ...{ timeMs: clock.nowMs, type: 'analytics', sessionId: 's' },
    data: { eventId, eventType: 'page', ...(performance && { performance }) },
  })
  const [told, silent] = [uuid({ msecs: START_MS }), uuid({ msecs: START_MS })]
  await log.append(() => ({ entry: analytics(told, { renderMs: 41 }), value: undefined }))
  await log.append(() => ({ entry: analytics(silent), value: undefined }))
  const models = openModelSignals(store, log)
  const events = openEvents(store, () => clock.nowMs, {}, models.noteWithin)
  const named = { type: 'MODEL_ACTIVATED', status: 'ACTIVE', modelId: 'm' }
  const { id } = await events.record({ ...named, source: 'models' })
  await events.record({ ...named, source: 'experiments' })
  expect(models.submitted()).toBe(1)
  const statuses = async () =>
    (await signals.list({})).signals.map(({ signalId, status }) => [signalId, status])
  expect(await statuses()).toEqual([
    [id, 'PENDING'],
    [told, 'PENDING'],
  ])
  const data = { eventId: told, performance: { renderMs: 41 } }
  const fact = { kind: 'analytics', sequence: 1, timeMs: START_MS, sessionId: 's', data } as const
  for (let attempt = 0; attempt < 5; attempt++) await dead.failed(fact, new Error('a bad entry'))
  await learn()
  expect(await statuses()).toEqual([
    [id, 'COMPLETED'],
    [told, 'FAILED'],
  ])
  expect(signals.counts()).toMatchObject({ PENDING: 0, COMPLETED: 1, FAILED: 1 })
  expect([...store.tables.events.range()].at(-1)?.value).toMatchObject({
    ...{ type: 'SIGNAL_FAILED', correlationId: told, data: { type: 'PERFORMANCE' } },
  })
})

it('searches of somebody who was forgotten are no longer listed, and stay counted', async () => {
  const learner = start()
  const { session, search, tell, signals, learn, log, store } = learner
  const [ann, bob] = [await session('ann'), await session('bob')]
  const theirs = [search(ann, ['a'])]
  const others = [search(bob, ['a'])]
  theirs.push(search(ann, ['a']))
  await log.flush()
  theirs.push(search(ann, ['b']))
  await tell(ann, theirs[0] ?? '', 'a')
  await learn()
  const list = async () => (await signals.list({})).signals.map(({ signalId }) => signalId)
  expect(await list()).toEqual(expect.arrayContaining([...theirs, ...others]))
  const before = signals.counts()
  await openForgetting(learner).forget('ann')
  expect(await list()).toEqual(others)
  const journal = JSON.stringify([...store.tables.journal.range()])
  for (const queryId of theirs) expect(journal).not.toContain(queryId)
  expect(signals.counts()).toEqual(before)
})

it('steps are recorded in order, with their history', async () => {
  const { signals, clock, store } = start()
  const first = await signals.record({
    signalId: 's-1',
    type: 'model performance',
    status: 'queued',
    metadata: { processor: 'p', context: { environment: 'test', version: '1' } },
  })
  expect(first).toEqual({
    ...{ signalId: 's-1', type: 'MODEL_PERFORMANCE', status: 'PENDING', previousStatus: null },
    ...{ attemptCount: 0, updatedAt: new Date(START_MS).toISOString() },
  })
  clock.nowMs += MINUTE_MS
  const step = (name: string) => ({ step: name, status: 'ok', duration: 1 })
  const running = { processingSteps: [step('read')], context: { batchId: 'b' } }
  expect(
    await signals.record({ signalId: 's-1', status: 'Running', metadata: running }),
  ).toMatchObject({ status: 'PROCESSING', previousStatus: 'PENDING', attemptCount: 1 })
  const failed = { processingSteps: [step('read'), step('write')], failureReason: 'no room' }
  expect(
    await signals.record({ signalId: 's-1', status: 'error', metadata: failed }),
  ).toMatchObject({ status: 'FAILED', previousStatus: 'PROCESSING', attemptCount: 1 })
  // A retry; a count that would fall does not.
  const again = { attemptCount: 1 }
  expect(await signals.record({ signalId: 's-1', status: 'retry', metadata: again })).toMatchObject(
    { status: 'PROCESSING', previousStatus: 'FAILED', attemptCount: 2 },
  )
  expect(await signals.record({ signalId: 's-1', metadata: { attemptCount: 7 } })).toMatchObject({
    status: 'PROCESSING',
    previousStatus: 'PROCESSING',
    attemptCount: 7,
  })
  const done = await signals.record({ signalId: 's-1', status: 'success' })
  clock.nowMs += MINUTE_MS
  expect(await signals.record({ signalId: 's-1', status: 'COMPLETED' })).toEqual({
    ...{ ...done, previousStatus: 'COMPLETED' },
  })
  expect(store.tables.signals.get('s-1')).toMatchObject({
    ...{ type: 'MODEL_PERFORMANCE', status: 'COMPLETED', attemptCount: 7 },
    metadata: {
      ...{ processor: 'p', failureReason: 'no room' },
      context: { environment: 'test', version: '1', batchId: 'b' },
      processingSteps: [step('read'), step('write')],
    },
  })
  expect(signals.counts()).toMatchObject({ COMPLETED: 1, FAILED: 0, PENDING: 0, PROCESSING: 0 })
  const told = [...store.tables.events.range()].map(({ value }) => value.type)
  expect(told).toEqual(
    ['PENDING', 'PROCESSING', 'FAILED', 'PROCESSING', 'COMPLETED'].map((word) => `SIGNAL_${word}`),
  )
})

const STATES = Object.keys(MACHINES.signal) as (keyof typeof MACHINES.signal)[]
/** How to bring a fresh signal into a state. */
const WAYS: Record<string, string[]> = {
  ...{ PENDING: ['PENDING'], PROCESSING: ['PROCESSING'], COMPLETED: ['COMPLETED'] },
  ...{ FAILED: ['PROCESSING', 'FAILED'], IGNORED: ['IGNORED'] },
}

it('every step between states is taken or refused as the table says', async () => {
  const { signals } = start()
  for (const from of STATES)
    for (const to of STATES) {
      const signalId = `${from}-${to}`
      for (const status of WAYS[from] ?? []) await signals.record({ signalId, status })
      const step = signals.record({ signalId, status: to })
      const allowed = from === to || (MACHINES.signal[from] as readonly string[]).includes(to)
      if (allowed) expect(await step, signalId).toMatchObject({ status: to, previousStatus: from })
      else await expect(step, signalId).rejects.toMatchObject({ code: 'INVALID_TRANSITION' })
    }
})

it('an unknown status is refused with the known ones; types are open', async () => {
  const { signals } = start()
  await expect(signals.record({ signalId: 'x', status: 'odd' })).rejects.toMatchObject({
    ...{ code: 'VALIDATION_FAILED', details: [{ path: 'status' }] },
    message: expect.stringContaining('PENDING, PROCESSING, COMPLETED, FAILED, IGNORED'),
  })
  expect(await signals.record({ signalId: 'x' })).toMatchObject({ type: 'SEARCH' })
  expect(await signals.record({ type: 'model-performance' })).toMatchObject({
    type: 'MODEL_PERFORMANCE',
  })
  expect(await signals.record({ type: 'of my own' })).toMatchObject({
    ...{ type: 'of my own', signalId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  })
  const { signals: listed } = await signals.list({ type: ['Of-My_Own'] })
  expect(listed.map(({ type }) => type)).toEqual(['of my own'])
  await expect(
    signals.record({ signalId: 'x', metadata: { failureReason: 'x'.repeat(70_000) } }),
  ).rejects.toMatchObject({ details: [{ path: 'metadata' }] })
})

it('the history of a signal is bounded', async () => {
  const { signals, store } = start()
  const metadata = (from: number) => ({
    processingSteps: Array.from({ length: 600 }, (_, at) => ({ step: `s${from + at}` })),
  })
  for (const from of [0, 600, 1200])
    await signals.record({ signalId: 'x', metadata: metadata(from) })
  const steps = store.tables.signals.get('x')?.metadata.processingSteps
  expect(steps).toHaveLength(1000)
  expect(steps?.at(-1)).toEqual({ step: 's1799' })
})

it('a step on a signal of our own starts from where it is', async () => {
  const { session, search, tell, signals, learn } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  const { feedbackId } = await tell(sessionId, queryId, 'a')
  const clickId = feedbackId.replace(/0000$/, '0001')
  expect(await signals.record({ signalId: clickId, status: 'running' })).toMatchObject({
    ...{ type: 'CLICK', previousStatus: 'PENDING', status: 'PROCESSING' },
  })
  await learn()
  await expect(signals.record({ signalId: queryId, status: 'failed' })).rejects.toMatchObject({
    code: 'INVALID_TRANSITION',
  })
  expect(await signals.record({ signalId: queryId, status: 'done' })).toMatchObject({
    ...{ type: 'SEARCH', previousStatus: 'COMPLETED', status: 'COMPLETED' },
  })
  const listed = (await signals.list({})).signals.map(({ signalId, source }) => [signalId, source])
  expect(listed).toEqual([
    [clickId, 'external'],
    [queryId, 'search'],
  ])
})

it('a signal of our own is counted once, told of before learning takes it or after', async () => {
  const { session, search, signals, learn, gauges, clock } = start()
  const sessionId = await session()
  const counted = async () => {
    const { counts, total, signals: rows } = await signals.list({})
    expect(total).toBe(rows.length)
    const known = Object.entries(counts).filter(([, count]) => count !== 0)
    expect(known).toEqual(
      known.map(([status]) => [status, rows.filter((row) => row.status === status).length]),
    )
    return Object.fromEntries(known)
  }
  const metadata = { processor: 'mine' }
  // The first still waits to be written.
  const [first, second] = [search(sessionId, ['a']), search(sessionId, ['a'])]
  await signals.record({ signalId: first, status: 'running', metadata })
  expect(await counted()).toEqual({ PROCESSING: 1, PENDING: 1 })
  await signals.record({ signalId: second, metadata })
  expect(await counted()).toEqual({ PROCESSING: 1, PENDING: 1 })
  await learn()
  await signals.record({ signalId: first, status: 'done' })
  await signals.record({ signalId: second, status: 'ignored' })
  const third = search(sessionId, ['a'])
  await signals.record({ signalId: third, metadata })
  await learn()
  expect(await counted()).toEqual({ COMPLETED: 1, IGNORED: 1, PENDING: 1 })
  await signals.record({ signalId: third, status: 'done' })
  await signals.record({ signalId: third, metadata: { processor: 'another' } })
  expect(await counted()).toEqual({ COMPLETED: 2, IGNORED: 1 })
  expect(gauges.get('svc_signals_completed')?.()).toEqual([{ value: 2 }])
  // What others told goes in time, and the count of the journal's own stays.
  expect(await signals.sweep(clock.nowMs + 31 * DAY_MS)).toBe(3)
  expect(await counted()).toEqual({ COMPLETED: 3 })
})

it('a signal of our own that was given up is counted once when it is tried again', async () => {
  const { session, search, tell, signals, learn, log, dead, clock } = start()
  const sessionId = await session()
  const { feedbackId } = await tell(sessionId, search(sessionId, ['a']), 'a')
  const signalId = feedbackId.replace(/0000$/, '0001')
  for (let attempt = 0; attempt < 5; attempt++)
    await dead.failed(clickIn(log, sessionId), new Error('a bad entry'))
  await learn()
  expect(signals.counts()).toMatchObject({ COMPLETED: 1, FAILED: 1 })
  await signals.record({ signalId, metadata: { processor: 'mine' } })
  expect(signals.counts()).toMatchObject({ COMPLETED: 1, FAILED: 1 })
  await signals.record({ signalId, status: 'retry' })
  expect(signals.counts()).toMatchObject({ COMPLETED: 1, FAILED: 0, PROCESSING: 1 })
  await signals.record({ signalId, status: 'done' })
  expect(signals.counts()).toMatchObject({ COMPLETED: 2, FAILED: 0, PROCESSING: 0 })
  await signals.sweep(clock.nowMs + 31 * DAY_MS)
  expect(signals.counts()).toMatchObject({ COMPLETED: 1, FAILED: 0 })
})

it('a signal of our own that an earlier version counted twice leaves no gap when it goes', async () => {
  const { session, search, signals, learn, store, clock } = start()
  const signalId = search(await session(), ['a'])
  await learn()
  await signals.record({ signalId })
  const { isCountedOnce: _, ...earlier } = store.tables.signals.get(signalId) ?? raise()
  const { COMPLETED, ...others } = signals.counts()
  await store.write(() => {
    store.tables.signals.put(signalId, earlier)
    store.tables.meta.put('signalsTold', { ...others, COMPLETED })
  })
  expect(signals.counts().COMPLETED).toBe(2)
  await signals.sweep(clock.nowMs + 31 * DAY_MS)
  expect(signals.counts().COMPLETED).toBe(1)
})

it('a signal of our own is known whether it came before the clock was set back or after', async () => {
  const { session, tell, signals, clock } = start()
  const told = async () => {
    const { feedbackId } = await tell(await session(), uuid(), 'a')
    clock.nowMs += MINUTE_MS
    return feedbackId.replace(/0000$/, '0001')
  }
  const ids = [await told(), await told(), await told()]
  clock.nowMs -= 60 * MINUTE_MS
  ids.push(await told(), await told())
  clock.nowMs += 60 * MINUTE_MS
  ids.push(await told())
  for (const signalId of ids)
    expect(await signals.record({ signalId, status: 'running' })).toMatchObject({
      ...{ type: 'CLICK', previousStatus: 'PENDING', status: 'PROCESSING' },
    })
  expect((await signals.list({})).signals).toHaveLength(6)
})

it('pages hold every signal once, newest first, whatever is asked for', async () => {
  const { session, search, feedback, signals, clock, learn, log } = start()
  const sessionId = await session()
  for (let round = 0; round < 40; round++) {
    const queryId = search(round % 2 === 0 ? sessionId : undefined, ['a', 'b'])
    await log.flush()
    const both = ['a', 'b'].map((resultId) => ({
      ...{ queryId, rating: 1, metadata: { resultId, userAction: 'click' } },
    }))
    await feedback.submit({ sessionId, feedback: both })
    await signals.record({
      signalId: `told-${round}`,
      type: 'CLICK',
      status: round % 2 ? 'done' : 'new',
    })
    clock.nowMs += 10
  }
  await learn()
  const walk = async (query: SignalQuery) => {
    const all: SignalList['signals'] = []
    let cursor: string | undefined
    do {
      const page = await signals.list({ ...query, ...(cursor === undefined ? {} : { cursor }) })
      all.push(...page.signals)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return all
  }
  const all = await walk({ limit: 7 })
  expect(all).toHaveLength(160)
  expect(new Set(all.map(({ signalId }) => signalId)).size).toBe(160)
  const times = all.map(({ created }) => created)
  expect(times).toEqual(times.toSorted().reverse())
  expect(await walk({ limit: 7, type: ['click'] })).toHaveLength(120)
  expect(await walk({ limit: 7, type: ['CLICK,search'], status: ['pending'] })).toHaveLength(20)
  expect(await walk({ limit: 7, sessionId: sessionId.toUpperCase() })).toHaveLength(100)
  expect(await signals.list({ limit: 1 })).toMatchObject({ total: 160, complete: true })
  await expect(signals.list({ cursor: 'nonsense' })).rejects.toMatchObject({
    code: 'INVALID_CURSOR',
  })
  await expect(signals.list({ status: ['odd'] })).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  })
})

it('pages hold what is told of meanwhile once, too', async () => {
  const { session, search, feedback, signals, clock, log } = start()
  const sessionId = await session()
  for (let round = 0; round < 4; round++) {
    const queryId = search(sessionId, ['a', 'b'])
    await log.flush()
    const both = ['a', 'b'].map((resultId) => ({ queryId, rating: 1, metadata: { resultId } }))
    await feedback.submit({ sessionId, feedback: both })
    clock.nowMs += 10
  }
  const shown: string[] = []
  let cursor: string | undefined
  do {
    const page = await signals.list({ limit: 1, ...(cursor === undefined ? {} : { cursor }) })
    for (const { signalId } of page.signals) {
      shown.push(signalId)
      await signals.record({ signalId: signalId.toUpperCase(), status: 'processing' })
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(shown).toHaveLength(12)
  expect(new Set(shown).size).toBe(12)
  const again = await signals.list({ sessionId })
  expect(again.signals.map(({ signalId }) => signalId)).toEqual(shown)
  expect(again.signals.map(({ source }) => source)).toEqual(shown.map(() => 'external'))
})

it('a signal that an earlier version was told of, which noted no place of it in the journal, is listed once', async () => {
  const { session, search, signals, store, log } = start()
  const queryId = search(await session(), ['a'])
  await log.flush()
  await signals.record({ signalId: queryId, status: 'processing' })
  const { sequence: _, ...earlier } = store.tables.signals.get(queryId) ?? raise()
  await store.write(() => store.tables.signals.put(queryId, earlier))
  const listed = await signals.list({})
  expect(listed.signals.map(({ signalId }) => signalId)).toEqual([queryId])
})

it('the total is that of what was asked for, on every page', async () => {
  const { session, search, tell, signals } = start()
  const sessionId = await session()
  for (let round = 0; round < 3; round++) await tell(sessionId, search(sessionId, ['a']), 'a')
  await tell(await session(), search(undefined, ['a']), 'a')
  for (const status of ['done', 'new']) await signals.record({ type: 'CLICK', status })
  const first = await signals.list({ type: ['click'], limit: 2 })
  expect(first).toMatchObject({ signals: { length: 2 }, total: 6, complete: true })
  expect(first.counts).toMatchObject({ PENDING: 9, COMPLETED: 1 })
  const { nextCursor: cursor = '' } = first
  expect(await signals.list({ type: ['click'], limit: 9, cursor })).toMatchObject({
    ...{ signals: { length: 4 }, total: 6, complete: true },
  })
  const total = async (query: Parameters<Signals['list']>[0]) =>
    (await signals.list({ limit: 1, ...query })).total
  expect(await total({ sessionId: 'none' })).toBe(0)
  expect(await total({ sessionId })).toBe(6)
  expect(await total({ sessionId, type: ['search'] })).toBe(3)
  expect(await total({ status: ['completed'] })).toBe(1)
  // No word at all asks for everything.
  expect(await total({ type: [' , '] })).toBe(10)
})

it('a count ends at its limit, and says so', async () => {
  const { session, search, feedback, signals, clock } = start()
  await signals.record({ type: 'OLD' })
  clock.nowMs += MINUTE_MS
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  const sent = Array.from({ length: 1000 }, (_, at) => ({
    ...{ queryId, rating: 1, metadata: { resultId: `r${at}`, userAction: 'click' } },
  }))
  for (let round = 0; round < 21; round++) await feedback.submit({ sessionId, feedback: sent })
  expect(await signals.list({ type: ['CLICK'], limit: 3 })).toMatchObject({
    ...{ signals: { length: 3 }, total: 20_000, complete: false },
  })
  const rare = await signals.list({ type: ['OLD'] })
  expect(rare).toMatchObject({ signals: [], total: 0, complete: false })
  const { nextCursor: cursor = '' } = rare
  expect((await signals.list({ type: ['OLD'], cursor })).signals).toHaveLength(1)
})

it('signals that others told of are forgotten in time', async () => {
  const { signals, clock } = start()
  await signals.record({ signalId: 'old' })
  clock.nowMs += 20 * DAY_MS
  await signals.record({ signalId: 'young' })
  expect(await signals.sweep(START_MS + 31 * DAY_MS)).toBe(1)
  expect((await signals.list({})).signals.map(({ signalId }) => signalId)).toEqual(['young'])
  expect(signals.counts().PENDING).toBe(1)
})

it('a fact that can not be learned is given up after five attempts, with an event', async () => {
  const { session, search, tell, store, log, dead, signals, learn, clock } = start()
  const sessionId = await session()
  const { feedbackId } = await tell(sessionId, search(sessionId, ['a']), 'a')
  const fact = clickIn(log, sessionId)
  for (let attempt = 0; attempt < 5; attempt++) {
    expect(dead.isDead(fact)).toBe(false)
    await dead.failed(fact, new Error('a bad entry'))
  }
  expect(dead.isDead(fact)).toBe(true)
  await learn()
  const [signal] = (await signals.list({ status: ['failed'] })).signals
  expect(signal).toMatchObject({ type: 'CLICK', status: 'FAILED', attemptCount: 5 })
  expect(signal?.signalId).toBe(feedbackId.replace(/0000$/, '0001'))
  expect([...store.tables.events.range()].at(-1)?.value).toMatchObject({
    ...{ type: 'SIGNAL_FAILED', correlationId: signal?.signalId },
  })
  // Known after a new start, until its journal entry is gone.
  const config = { retentionMs: 30 * DAY_MS }
  const events = openEvents(store, () => clock.nowMs)
  const opened = openDeadSignals({ store, events, config, clock: () => clock.nowMs })
  expect(opened.isDead(fact)).toBe(true)
  expect(await opened.sweep(START_MS + 31 * DAY_MS)).toBe(1)
  expect(opened.isDead(fact)).toBe(false)
})
