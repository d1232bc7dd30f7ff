import { v7 as uuid } from 'uuid'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryStore } from '../../store/open.ts'
import { showing } from '../impressions/parts.ts'
import { DAY_MS, type Learner, MINUTE_MS, openLearner, QUERY_HASH, START_MS } from '../learner.ts'

function start(settings: Record<string, string> = {}): Learner {
  const learner = openLearner(temporaryStore(), settings)
  onTestFinished(learner.close)
  return learner
}

const HOUR_MS = 60 * MINUTE_MS
const entry = (queryId: string, metadata: Record<string, unknown> = {}, rating = 1) => ({
  queryId,
  rating,
  metadata: { userAction: 'click', resultId: 'a', ...metadata },
})

it('an answer says what became of each entry', async () => {
  const { session, search, feedback, sessions } = start()
  const sessionId = await session('u-1')
  const queryId = search(sessionId, ['a', 'b'])
  const receipt = await feedback.submit({
    sessionId,
    feedback: [
      entry(queryId),
      entry(queryId),
      entry(queryId, { resultId: 'b' }),
      entry(uuid()),
      entry('never heard of'),
      entry(queryId, { timestamp: START_MS - 31 * DAY_MS }),
    ],
  })
  expect(receipt).toEqual({
    feedbackId: expect.stringMatching(/^[0-9a-f-]{32}0000$/),
    processed: true,
    timestamp: new Date(START_MS).toISOString(),
    accepted: 6,
    duplicate: 1,
    unmatched: 2,
    late: 1,
    warnings: [
      expect.stringContaining('feedback[3].queryId names no search that is known (the first of 2'),
      'feedback[5].metadata.timestamp lies more than 30 days back: it is kept, and teaches nothing.',
    ],
  })
  expect(sessions.totals.of(sessionId)).toMatchObject({ feedback: 5, clicks: 2 })
  expect(feedback.figures()).toEqual({ learned: 2, duplicate: 1, unmatched: 2, late: 1 })
})

it('what teaches nothing is a duplicate, too, when it is told again: a client repeats a request whose answer was lost', async () => {
  const { session, search, feedback, sessions, clock } = start()
  const sessionId = await session('u-1')
  const queryId = search(sessionId, ['a', 'b'])
  const late = { timestamp: START_MS - 31 * DAY_MS }
  const unmatched = [
    ...[entry(uuid()), entry('never heard of'), entry('never heard of', { resultId: 'b' })],
    ...[1, 2].map((position) => entry('?', { resultId: undefined, customMetadata: { position } })),
  ]
  const sent = [...unmatched, entry(queryId, late)]
  const tell = async (who: string) => {
    const { duplicate, unmatched, late } = await feedback.submit({ sessionId: who, feedback: sent })
    return { duplicate, unmatched, late }
  }
  expect(await tell(sessionId)).toEqual({ duplicate: 0, unmatched: 5, late: 1 })
  expect(await tell(sessionId)).toEqual({ duplicate: 6, unmatched: 0, late: 0 })
  expect(await tell('no session')).toEqual({ duplicate: 0, unmatched: 6, late: 0 })
  expect(await tell('no session')).toEqual({ duplicate: 6, unmatched: 0, late: 0 })
  expect(sessions.totals.of(sessionId)).toMatchObject({ feedback: 6, clicks: 0 })
  expect((await feedback.read({ limit: 100 })).summary.total).toBe(12)
  clock.nowMs += 30 * MINUTE_MS + 1
  expect(await tell('no session')).toEqual({ duplicate: 1, unmatched: 5, late: 0 })
})

it('entries are read into one form', async () => {
  const { session, search, feedback, log } = start()
  const sessionId = await session('u-1')
  const queryId = search(sessionId, ['a'])
  const { feedbackId } = await feedback.submit({
    sessionId: sessionId.toUpperCase(),
    feedback: [
      {
        queryId,
        rating: 4,
        metadata: {
          ...{ colour: 'red' },
          engagementType: 'USER_BEHAVIOR_CLICK',
          timestamp: '2026-05-10T13:30:00+02:00',
          resultId: 'a',
          queryHash: 'h',
          customMetadata: { position: 1, dwellTime: 4000, category: 'x' },
        },
      },
      { queryId, rating: 1 },
    ],
  })
  const [row] = log.journal.read({ limit: 1, reverse: true })
  expect(row?.entry).toMatchObject({ type: 'feedback', sessionId, timeMs: START_MS })
  expect(row?.entry.data).toEqual({
    feedbackId,
    unit: 'u-1',
    entries: [
      {
        queryId,
        ...{ action: 'click', engagementType: 'USER_BEHAVIOR_CLICK', rating: 0.8 },
        ...{ resultId: 'a', position: 1, dwellMs: 4000, queryHash: 'h' },
        timeMs: Date.UTC(2026, 4, 10, 11, 30),
        metadata: {
          customMetadata: { position: 1, dwellTime: 4000, category: 'x' },
          colour: 'red',
        },
        ...{ signalId: feedbackId.replace(/0000$/, '0001'), status: 'learned' },
      },
      {
        ...{ queryId, action: 'rating', rating: 1, timeMs: START_MS },
        ...{ signalId: feedbackId.replace(/0000$/, '0002'), status: 'learned' },
      },
    ],
  })
})

it('a result that is named counts, wherever its position lies', async () => {
  const { session, search, feedback, added } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a', 'b', 'c'])
  const metadata = { resultId: 'a', customMetadata: { position: 3 } }
  await feedback.submit({ sessionId, feedback: [entry(queryId, metadata)] })
  const scores = await added()
  expect(scores.a).toBeGreaterThan(scores.c ?? 0)
})

it('a position without a result means what stood there', async () => {
  const { session, search, feedback, added } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['k', 'l', 'm'], { from: 10 }).toUpperCase()
  const metadata = { userAction: 'click', customMetadata: { position: 12 } }
  await feedback.submit({ sessionId, feedback: [{ queryId, rating: 1, metadata }] })
  expect((await added()).l).toBeGreaterThan(0)
  const [row] = (await feedback.read({})).feedback
  expect(row).toMatchObject({ resultId: 'l', status: 'LEARNED', queryId: queryId.toLowerCase() })
  // Beyond the page and between positions stands nothing.
  for (const position of [9, 14, 11.5])
    await feedback.submit({
      sessionId,
      feedback: [{ queryId, rating: 1, metadata: { customMetadata: { position } } }],
    })
  expect((await feedback.read({ limit: 3 })).feedback.map(({ resultId }) => resultId)).toEqual(
    Array(3).fill(undefined),
  )
})

it('what a search did not show is told of, once, and is no click of the session', async () => {
  const learner = start()
  const { feedback, sessions } = learner
  const sessionId = await learner.session()
  const queryId = learner.search(sessionId, ['a', 'b'], { from: 10 })
  const click = (metadata: object) => ({
    queryId,
    rating: 1,
    metadata: { userAction: 'click', ...metadata },
  })
  const at = (position: number) => click({ customMetadata: { position } })
  const shown = [click({ resultId: 'a' }), at(12), click({})]
  const none = [click({ resultId: 'z' }), at(13), at(1), click({ resultId: 'y' })]
  const good = await feedback.submit({ sessionId, feedback: shown })
  expect(good.warnings).toEqual([expect.stringContaining('feedback[2] names no hit')])
  expect(sessions.totals.of(sessionId)).toMatchObject({ clicks: 3, feedback: 3 })
  const mixed = await feedback.submit({ sessionId, feedback: [click({ resultId: 'b' }), ...none] })
  // Words and counts stay: b was told before, and a click on no known place says what the one without a place said.
  expect(mixed).toMatchObject({ accepted: 5, duplicate: 3, unmatched: 0 })
  expect(mixed.warnings).toEqual([
    expect.stringMatching(
      /^feedback\[1\]\.metadata\.resultId names none of .* \(the first of 4 such entries\): .* teaches the ranking nothing/,
    ),
  ])
  expect(sessions.totals.of(sessionId)).toMatchObject({ clicks: 3, feedback: 5 })
  const beyond = await feedback.submit({ sessionId, feedback: [at(99)] })
  expect(beyond.warnings?.[0]).toContain('feedback[0].metadata.customMetadata.position names none')
  const lost = { ...click({ resultId: 'z' }), queryId: 'nobody knows' }
  const unknown = await feedback.submit({ sessionId, feedback: [lost] })
  expect(unknown).toMatchObject({ unmatched: 1 })
  expect(unknown.warnings).toEqual([expect.stringContaining('feedback[0].queryId names no search')])
})

it('what is said of somebody else’s search is told of, and counts as before for the session', async () => {
  const { session, search, feedback, sessions } = start()
  const [ann, bob, phone] = [await session('ann'), await session('bob'), await session('ann')]
  const [own, theirs] = [search(bob, ['a', 'b']), search(ann, ['a', 'b'])]
  const mixed = await feedback.submit({
    sessionId: bob,
    feedback: [entry(own), entry(theirs), entry(theirs, { resultId: 'b' })],
  })
  expect(mixed).toMatchObject({ accepted: 3, duplicate: 0, unmatched: 0 })
  expect(mixed.warnings).toEqual([
    expect.stringMatching(
      /^feedback\[1\]\.queryId names a search of somebody else \(the first of 2 such entries\): .* sessionId/,
    ),
  ])
  expect(sessions.totals.of(bob)).toMatchObject({ feedback: 3, clicks: 3 })
  // One user's sessions, and nobody's searches, are nobody else's.
  const fine = [theirs, search(undefined, ['a'])].map((queryId) => entry(queryId))
  expect(await feedback.submit({ sessionId: phone, feedback: fine })).not.toHaveProperty('warnings')
})

it('each search is looked up once for a request, however many entries speak of it', async () => {
  const learner = start()
  const sessionId = await learner.session()
  const queryId = learner.search(sessionId, ['a', 'b'])
  const shown = vi.spyOn(learner.log, 'shown')
  const entries = Array.from({ length: 50 }, (_, at) => ({
    queryId,
    rating: 1,
    metadata: { userAction: `word ${at}`, customMetadata: { position: 1 + (at % 3) } },
  }))
  await learner.feedback.submit({ sessionId, feedback: entries })
  expect(shown.mock.calls.length).toBe(1)
})

it('a position tells hits of two indices apart that share an id', async () => {
  const { session, search, feedback, loop, memory } = start()
  const sessionId = await session()
  const hits = showing([1, 2].map((indexId) => ({ indexId, id: 'k', score: 1 })))
  const metadata = { userAction: 'click', resultId: 'k', customMetadata: { position: 2 } }
  const queryId = search(sessionId, [], { ...hits, total: 2 })
  await feedback.submit({ sessionId, feedback: [{ queryId, rating: 1, metadata }] })
  await loop.caughtUp()
  expect(memory.describe(QUERY_HASH, '2/k')?.gain).toBeGreaterThan(0)
  expect(memory.describe(QUERY_HASH, '1/k')?.gain).toBe(0)
})

it('one entry from the future refuses the request as a whole, and names the place', async () => {
  const { session, search, feedback, log } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  await log.flush()
  const last = log.journal.last()
  for (const timestamp of [START_MS + 5 * MINUTE_MS + 1, '2027-01-01T00:00:00Z', 1e300]) {
    const good = entry(queryId, { timestamp: START_MS + 5 * MINUTE_MS })
    const sent = { sessionId, feedback: [good, good, good, entry(queryId, { timestamp })] }
    await expect(feedback.submit(sent)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'feedback[3].metadata.timestamp' }],
    })
  }
  expect(log.journal.last()).toBe(last)
})

it('feedback of unknown and expired sessions is kept, and matches nothing', async () => {
  const { session, sessions, search, feedback, clock, added, tell } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  expect(await tell(uuid(), queryId, 'a')).toMatchObject({ accepted: 1, unmatched: 1 })
  expect(await tell('no session', queryId, 'a')).toMatchObject({ accepted: 1, unmatched: 1 })
  clock.nowMs += HOUR_MS
  expect(await tell(sessionId, queryId, 'a')).toMatchObject({ accepted: 1, unmatched: 1 })
  expect(await added()).toEqual({})
  expect(feedback.figures().unmatched).toBe(3)
  // What a session did ends with it: its searches and events are not counted after that either.
  expect(sessions.totals.of(sessionId)).toMatchObject({ feedback: 0, clicks: 0 })
})

it('feedback keeps a session awake', async () => {
  const { session, search, clock, tell, sessions } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  for (let round = 0; round < 3; round++) {
    clock.nowMs += 20 * MINUTE_MS
    await tell(sessionId, queryId, 'a')
  }
  expect(sessions.get(sessionId).status).toBe('ACTIVE')
})

it('the same told again is a duplicate by when it happened, in any order', async () => {
  const { session, search, feedback } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  const at = async (minutes: number, metadata: Record<string, unknown> = {}) => {
    const timestamp = START_MS - minutes * MINUTE_MS
    const sent = [entry(queryId, { timestamp, ...metadata })]
    return (await feedback.submit({ sessionId, feedback: sent })).duplicate
  }
  expect(await at(100)).toBe(0)
  expect(await at(10)).toBe(0)
  expect(await at(100)).toBe(1)
  expect(await at(129)).toBe(1)
  expect(await at(131)).toBe(0)
  expect(await at(45)).toBe(0)
  expect(await at(10, { userAction: 'share' })).toBe(0)
  expect(await at(10, { resultId: 'b' })).toBe(0)
  expect(await at(10, { userAction: 'CLICK' })).toBe(1)
})

it('the same is a duplicate half an hour later, and no longer', async () => {
  const learner = openLearner(temporaryStore())
  onTestFinished(learner.close)
  const sessionId = await learner.session()
  const queryId = learner.search(sessionId, ['a', 'b'])
  const told: number[] = []
  for (const waitMs of [0, 30 * MINUTE_MS, 1]) {
    learner.clock.nowMs += waitMs
    learner.sessions.touch(sessionId)
    told.push((await learner.tell(sessionId, queryId, 'a')).duplicate)
  }
  expect(told).toEqual([0, 1, 0])
})

it('the same told again is a duplicate for as long as its session lasts, however long ago it is said to have happened', async () => {
  const { session, search, feedback, clock } = start()
  // What is told stands in a row of its half hour, which begins before the session does.
  clock.nowMs += 29 * MINUTE_MS
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  const timestamp = START_MS - 3 * 24 * HOUR_MS
  const say = async () => {
    const sent = [entry(queryId, { timestamp })]
    return (await feedback.submit({ sessionId, feedback: sent })).duplicate
  }
  expect(await say()).toBe(0)
  for (let round = 0; round < 24 * 3; round++) {
    clock.nowMs += 20 * MINUTE_MS
    await feedback.sweep(clock.nowMs)
    expect(await say()).toBe(1)
  }
})

it('the same told again is a duplicate though it is said to have happened before its session', async () => {
  const { session, search, feedback, clock, sessions } = start()
  const queryId = search(await session('ann'), ['a'])
  clock.nowMs += 3 * DAY_MS
  const sessionId = await session('ann')
  const timestamp = START_MS + DAY_MS
  const say = async (of: string) => {
    await feedback.sweep(clock.nowMs)
    const sent = [entry(of, { timestamp })]
    return (await feedback.submit({ sessionId, feedback: sent })).duplicate
  }
  for (const of of [queryId, 'never heard of']) expect(await say(of)).toBe(0)
  for (let round = 0; round < 3; round += 1) {
    clock.nowMs += 20 * MINUTE_MS
    for (const of of [queryId, 'never heard of']) expect(await say(of)).toBe(1)
  }
  expect(sessions.totals.of(sessionId)).toMatchObject({ feedback: 2 })
})

it('a repetition is found among any number of entries about one search, in one request and over several', async () => {
  const { session, search, feedback, store } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  const say = async (words: string[]) => {
    const sent = words.map((userAction) => entry(queryId, { userAction }))
    const { accepted, duplicate } = await feedback.submit({ sessionId, feedback: sent })
    return { accepted, duplicate }
  }
  const words = (from: number) => Array.from({ length: 200 }, (_, at) => `word-${from + at}`)
  expect(await say([...words(0), 'word-7'])).toEqual({ accepted: 201, duplicate: 1 })
  expect(await say([...words(100), 'word-299'])).toEqual({ accepted: 201, duplicate: 101 })
  expect(await say([...words(0), ...words(200)])).toEqual({ accepted: 400, duplicate: 300 })
  expect(await say([...words(0), ...words(200)])).toEqual({ accepted: 400, duplicate: 400 })
  // Of one search and half hour only so many share a row.
  expect(store.tables.feedbackSeen.count()).toBe(1 + 400 - 256)
})

it('a row of before is still known', async () => {
  const { session, search, feedback, store } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  const say = async (from: number, to: number) => {
    const sent = Array.from({ length: to - from }, (_, at) =>
      entry(queryId, { userAction: `word-${from + at}` }),
    )
    return (await feedback.submit({ sessionId, feedback: sent })).duplicate
  }
  await say(0, 300)
  await store.write(() => {
    for (const { key, value } of [...store.tables.feedbackSeen.range()]) {
      const [first] = value as [string, number][]
      if (key[1] === first?.[0]) store.tables.feedbackSeen.put(key, first[1])
    }
  })
  expect(await say(290, 310)).toBe(10)
})

it('what was told is not remembered for ever', async () => {
  const { session, search, tell, feedback, store } = start()
  const sessionId = await session()
  await tell(sessionId, search(sessionId, ['a']), 'a')
  expect(await feedback.sweep(START_MS + 23 * HOUR_MS)).toBe(0)
  expect(await feedback.sweep(START_MS + 26 * HOUR_MS)).toBe(1)
  expect(store.tables.feedbackSeen.count()).toBe(0)
})

it('a thousand entries are one request, and its answer is durable', async () => {
  const { session, search, feedback, memory, added } = start()
  const sessionId = await session()
  const documents = Array.from({ length: 100 }, (_, at) => `d${at}`)
  const ids = Array.from({ length: 10 }, (_, at) =>
    search(sessionId, documents, { queryHash: `h${at}` }),
  )
  const all = ids.flatMap((queryId) =>
    documents.map((resultId) => entry(queryId, { resultId, userAction: 'share' })),
  )
  expect(await feedback.submit({ sessionId, feedback: all })).toMatchObject({
    ...{ accepted: 1000, duplicate: 0, unmatched: 0 },
  })
  expect(Object.keys(await added('h3'))).toHaveLength(100)
  expect(memory.figures()).toMatchObject({ queries: 10, gained: 10, pairs: 1000 })
})

it('what was told is read back, newest first, with a summary', async () => {
  const { session, search, tell, feedback, clock } = start()
  const first = await session()
  const second = await session()
  const queryId = search(first, ['a', 'b'])
  await tell(first, queryId, 'a', { userAction: 'click' }, 0.5)
  clock.nowMs += 2 * HOUR_MS
  const third = await session()
  await tell(third, queryId, 'b', { userAction: 'purchase' }, 1)
  await tell(second, queryId, 'b', { userAction: 'click' }, 0)
  const all = await feedback.read({})
  expect(all.feedback.map(({ sessionId, status }) => [sessionId, status])).toEqual([
    [second, 'UNMATCHED'],
    [third, 'LEARNED'],
    [first, 'LEARNED'],
  ])
  expect(all.feedback[2]).toEqual({
    ...{ feedbackId: expect.any(String), signalId: expect.any(String), sessionId: first, queryId },
    ...{ resultId: 'a', action: 'click', rating: 0.5, status: 'LEARNED' },
    timestamp: new Date(START_MS).toISOString(),
    received: new Date(START_MS).toISOString(),
    metadata: { resultId: 'a', userAction: 'click' },
  })
  expect(all.summary).toEqual({
    ...{ total: 3, duplicates: 0, byAction: { click: 2, purchase: 1 } },
    ...{ averageRating: 0.5, complete: true },
  })
  expect((await feedback.read({ limit: 1 })).feedback).toHaveLength(1)
  expect((await feedback.read({ limit: 1 })).summary.total).toBe(3)
  expect((await feedback.read({ timeframe: '1h' })).summary.total).toBe(2)
  expect((await feedback.read({ timeframe: '3h' })).summary.total).toBe(3)
  expect((await feedback.read({ sessionId: third.toUpperCase() })).summary.total).toBe(1)
  expect((await feedback.read({ queryId: uuid() })).summary).toMatchObject({
    ...{ total: 0, averageRating: null },
  })
})

it('a duplicate is listed, and counts once in the summary', async () => {
  const { session, search, feedback } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a', 'b'])
  const sent = [
    entry(queryId, {}, 1),
    entry(queryId, {}, 0.2),
    entry(queryId, { resultId: 'b' }, 0.5),
    entry(queryId, { userAction: 'share' }, 0),
  ]
  await feedback.submit({ sessionId, feedback: sent })
  const { feedback: rows, summary } = await feedback.read({})
  expect(rows.map(({ status }) => status)).toEqual(['LEARNED', 'LEARNED', 'DUPLICATE', 'LEARNED'])
  expect(summary).toEqual({
    ...{ total: 3, duplicates: 1, byAction: { click: 2, share: 1 } },
    ...{ averageRating: 0.5, complete: true },
  })
})

it('a summary names the most frequent actions, and counts the others together', async () => {
  const { session, search, feedback } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a', 'b'])
  const rare = Array.from({ length: 80 }, (_, at) => entry(queryId, { userAction: `rare-${at}` }))
  const often = ['a', 'b'].map((resultId) => entry(queryId, { resultId, userAction: 'often' }))
  await feedback.submit({ sessionId, feedback: [...rare, ...often] })
  const { summary } = await feedback.read({})
  expect(summary.total).toBe(82)
  expect(Object.keys(summary.byAction)).toHaveLength(65)
  expect(summary.byAction).toMatchObject({ often: 2, other: 17 })
})

it('a time that somebody stayed is said to be in milliseconds where it was most likely sent in seconds', async () => {
  const { session, search, feedback } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a', 'b', 'c', 'd'])
  const stayed = (resultId: string, dwellTime: number) =>
    entry(queryId, { resultId, userAction: 'click', customMetadata: { dwellTime } })
  const told = async (...entries: ReturnType<typeof stayed>[]) =>
    (await feedback.submit({ sessionId, feedback: entries })).warnings
  expect(await told(stayed('a', 0), stayed('b', 1000), entry(queryId, {}))).toBeUndefined()
  expect(await told(stayed('a', 45_000), stayed('c', 45), stayed('d', 999))).toEqual([
    'feedback[1].metadata.customMetadata.dwellTime is less than a second (the first of 2 such entries), for it is read in milliseconds: send 45000 for 45 seconds.',
  ])
})

it('while nothing is learned, feedback is told so, and not that its search is wrong', async () => {
  const { session, feedback } = start({ LEARNING: 'false' })
  const sessionId = await session('u-1')
  const sent = { sessionId, feedback: [entry(uuid()), entry(uuid())] }
  expect((await feedback.submit(sent)).warnings).toEqual([
    'LEARNING is off: searches are not recorded, and feedback[0] (the first of 2 such entries) is kept and teaches nothing.',
  ])
})
