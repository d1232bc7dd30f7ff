import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

interface Found {
  hits: { id: string }[]
  searchContext: { queryId: string; queryHash: string }
}
interface Receipt {
  feedbackId: string
  processed: boolean
  timestamp: string
  accepted: number
  duplicate: number
  unmatched: number
  late: number
}
interface Page {
  feedback: { sessionId: string; resultId: string; status: string; action: string }[]
  summary: { total: number; byAction: Record<string, number> }
}

let running: RunningApp

beforeAll(async () => {
  running = await startApp({ EXPLORATION_SHARE: '0' })
  // Nothing but what people choose tells these apart.
  for (const word of ['one', 'two', 'six', 'ten'])
    await running.call('POST', '/cortex/documents', {
      ...{ index: 'fruit', document: { title: `a red apple pie with a thing ${word}` } },
    })
})
afterAll(() => running.close())

async function session(userId?: string): Promise<string> {
  const made = await running.call<{ sessionId: string }>('POST', '/cortex/sessions', { userId })
  return made.data.sessionId
}

async function search(query: string, sessionId?: string): Promise<Found> {
  const sent = { query, ...(sessionId === undefined ? {} : { sessionId }) }
  return (await running.call<Found>('POST', '/cortex/search', sent)).data
}

function clicked(queryId: string, resultId: string | undefined, more: object = {}) {
  return { queryId, rating: 1, metadata: { userAction: 'click', resultId, ...more } }
}

it('a click moves its document up for everybody within a second', { retry: 3 }, async () => {
  const sessionId = await session()
  const shown = await search('red apple', sessionId)
  const last = shown.hits.at(-1)?.id
  const sent = { sessionId, feedback: [clicked(shown.searchContext.queryId, last)] }
  const answer = await running.call<Receipt>('POST', '/cortex/feedback', sent)
  expect(answer).toMatchObject({
    status: 200,
    data: {
      ...{ processed: true, accepted: 1, duplicate: 0, unmatched: 0, late: 0 },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  })
  await waitUntil(async () => (await search('red apple')).hits[0]?.id === last, 1000)
  // The same words in another spelling are the same query; other words are not.
  expect((await search('  RED   apple ')).hits[0]?.id).toBe(last)
  expect((await search('apple red')).searchContext.queryHash).not.toBe(
    shown.searchContext.queryHash,
  )
  const again = await running.call<Receipt>('POST', '/cortex/feedback', sent)
  expect(again.data).toMatchObject({ accepted: 1, duplicate: 1 })
})

it('what was told is read back by session, query and time', async () => {
  const sessionId = await session()
  const shown = await search('red', sessionId)
  const { queryId } = shown.searchContext
  const [first, second] = shown.hits
  await running.call('POST', '/cortex/feedback', {
    sessionId,
    feedback: [
      clicked(queryId, first?.id),
      { queryId, rating: 3, metadata: { resultId: second?.id } },
    ],
  })
  const page = await running.call<Page>('GET', `/cortex/feedback?sessionId=${sessionId}&limit=5`)
  expect(page.status).toBe(200)
  expect(page.data.feedback).toMatchObject([
    { resultId: second?.id, action: 'rating', rating: 0.6, status: 'LEARNED' },
    { resultId: first?.id, action: 'click', rating: 1, status: 'LEARNED' },
  ])
  expect(page.data.summary).toMatchObject({ total: 2, byAction: { rating: 1, click: 1 } })
  const byQuery = await running.call<Page>('GET', `/cortex/feedback?queryId=${queryId}`)
  expect(byQuery.data.summary.total).toBe(2)
  const analytics = await running.call('GET', `/cortex/sessions/${sessionId}/analytics`)
  expect(analytics.data).toMatchObject({ feedback: 2, clicks: 1, searches: 1 })
  const [day, ...others] = await Promise.all(
    ['24h', '24H', 'P1D', 'pt24h', 'P1DT1M', `${'9'.repeat(40)}d`].map((word) =>
      running.call('GET', `/cortex/feedback?timeframe=${word}`),
    ),
  )
  for (const { data } of others) expect(data).toEqual(day?.data)
  for (const query of [
    'timeframe=soon',
    'timeframe=7',
    'timeframe=0d',
    'timeframe=P1M',
    'timeframe=PT0M',
    'limit=0',
    'limit=1001',
  ])
    expect((await running.call('GET', `/cortex/feedback?${query}`)).status).toBe(400)
  expect((await running.call('GET', '/cortex/feedback?timeframe=7')).error).toBe(
    'timeframe must be a time back with its unit, like 30m, 24h, 7d or PT30M.',
  )
})

it('gives back what was sent of an entry, but for what is long', async () => {
  const sessionId = 'reads itself'
  const customMetadata = { position: 2, viewport: { width: 3, height: 4 }, own: [null, 'x'] }
  const words = { userAction: 'Winked', engagementType: 'Stared' }
  const sent = { ...words, resultId: 'a', queryHash: 'h', customMetadata, own: 'word' }
  const long = { ...words, customMetadata: { notes: 'x'.repeat(5000) } }
  const entries = [{ metadata: sent }, { metadata: long }, {}].map((entry, at) => ({
    ...{ queryId: `q-${at}`, rating: 1 },
    ...entry,
  }))
  await running.must('POST', '/cortex/feedback', { sessionId, feedback: entries })
  const page = await running.must<Page>('GET', `/cortex/feedback?sessionId=${sessionId}`)
  const told = page.feedback.map((row) => (row as { metadata?: object }).metadata)
  expect(told).toEqual([undefined, words, sent])
})

it('takes a moment in all forms in which others are taken, with the same words for what is none', async () => {
  const hour = new Date(Date.now() - 3_600_000).toISOString().slice(0, 13)
  for (const timestamp of [`${hour}:00:00`, `${hour}:00`, `${hour}:00Z`, hour.slice(0, 10)]) {
    const sessionId = `at ${timestamp}`
    const entry = clicked('q', 'a', { timestamp })
    const sent = await running.call('POST', '/cortex/feedback', { sessionId, feedback: [entry] })
    expect(sent, timestamp).toMatchObject({ status: 200 })
    const event = { sessionId, eventType: 'scroll', timestamp }
    expect(await running.call('POST', '/cortex/analytics', event)).toMatchObject({ status: 200 })
    const page = await running.call<Page>('GET', `/cortex/feedback?sessionId=${sessionId}`)
    const told = timestamp.length > 10 ? `${hour}:00:00.000Z` : `${timestamp}T00:00:00.000Z`
    expect(page.data.feedback).toMatchObject([{ timestamp: told }])
  }
  const message = 'must be an ISO 8601 time, such as 2026-01-31T12:00:00Z, or epoch milliseconds'
  for (const timestamp of ['today', '2026-02-30', '']) {
    const event = { eventType: 'scroll', timestamp }
    expect(await running.call('POST', '/cortex/analytics', event)).toMatchObject({
      ...{ status: 400, details: [{ path: 'timestamp', message }] },
    })
    const path = 'feedback[0].metadata.timestamp'
    const feedback = [clicked('q', 'a', { timestamp })]
    const refused = await running.call('POST', '/cortex/feedback', { sessionId: 's', feedback })
    expect(refused).toMatchObject({ status: 400, details: [{ path, message }] })
  }
})

it.each([
  ['an empty list', [], 'feedback'],
  ['a missing query', [{ rating: 1 }], 'feedback[0].queryId'],
  ['an empty query', [{ queryId: '', rating: 1 }], 'feedback[0].queryId'],
  ['a missing rating', [clicked('q', 'a'), { queryId: 'q' }], 'feedback[1].rating'],
  ['a negative rating', [{ queryId: 'q', rating: -0.1 }], 'feedback[0].rating'],
  ['a rating above five', [{ queryId: 'q', rating: 5.1 }], 'feedback[0].rating'],
  ['a rating in words', [{ queryId: 'q', rating: 'good' }], 'feedback[0].rating'],
  [
    'a time in words',
    [clicked('q', 'a', { timestamp: 'today' })],
    'feedback[0].metadata.timestamp',
  ],
  [
    'a time to come',
    [clicked('q', 'a'), clicked('q', 'a', { timestamp: '2099-01-01T00:00:00Z' })],
    'feedback[1].metadata.timestamp',
  ],
  [
    'a position before the first',
    [clicked('q', 'a', { customMetadata: { position: 0 } })],
    'feedback[0].metadata.customMetadata.position',
  ],
  [
    'an id that no document can have',
    [clicked('q', 'é'.repeat(256)), clicked('q', 'é'.repeat(257))],
    'feedback[1].metadata.resultId',
  ],
  [
    'a position between two',
    [clicked('q', 'a', { customMetadata: { position: 1.5 } })],
    'feedback[0].metadata.customMetadata.position',
  ],
  [
    'a stay that ended before it began',
    [clicked('q', 'a', { customMetadata: { dwellTime: -1 } })],
    'feedback[0].metadata.customMetadata.dwellTime',
  ],
  ['too many', Array(1001).fill({ queryId: 'q', rating: 1 }), 'feedback'],
])('%s refuses the whole request and names the place', async (_name, feedback, path) => {
  const total = async () =>
    (await running.call<Page>('GET', '/cortex/feedback?limit=1')).data.summary.total
  const before = await total()
  const answer = await running.call('POST', '/cortex/feedback', { sessionId: 's', feedback })
  expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', details: [{ path }] })
  expect(await total()).toBe(before)
})

it('a repeated request with an Idempotency-Key stores nothing twice', async () => {
  const sessionId = await session()
  const shown = await search('apple pie', sessionId)
  const sent = {
    sessionId,
    feedback: [clicked(shown.searchContext.queryId, shown.hits[0]?.id)],
  }
  const headers = { 'idempotency-key': 'feedback-1' }
  const first = await running.call<Receipt>('POST', '/cortex/feedback', sent, headers)
  const second = await running.call<Receipt>('POST', '/cortex/feedback', sent, headers)
  expect(second.data).toEqual(first.data)
  const page = await running.call<Page>('GET', `/cortex/feedback?sessionId=${sessionId}`)
  expect(page.data.summary.total).toBe(1)
})

it('somebody forgotten leaves no trace in the ranking', async () => {
  const before = (await search('thing red')).hits.map(({ id }) => id)
  const sessionId = await session('to-be-forgotten')
  const shown = await search('thing red', sessionId)
  const sent = {
    sessionId,
    feedback: [clicked(shown.searchContext.queryId, shown.hits.at(-1)?.id)],
  }
  await running.call('POST', '/cortex/feedback', sent)
  await waitUntil(async () => (await search('thing red')).hits[0]?.id !== before[0])
  const path = '/nous/learn/subjects/to-be-forgotten'
  expect(await running.call('DELETE', path)).toMatchObject({
    status: 200,
    data: { removed: { sessions: 1, impressions: 1, feedback: 1 }, rebuilt: true },
  })
  expect((await search('thing red')).hits.map(({ id }) => id)).toEqual(before)
  const page = await running.call<Page>('GET', `/cortex/feedback?sessionId=${sessionId}`)
  expect(page.data.summary.total).toBe(0)
  for (const path of ['', '/analytics'])
    expect(await running.call('GET', `/cortex/sessions/${sessionId}${path}`)).toMatchObject({
      ...{ status: 404, code: 'SESSION_NOT_FOUND' },
    })
  const history = await running.call('GET', `/nous/learn/events?sessionId=${sessionId}`)
  expect(history.data).toMatchObject({ events: [], total: 0 })
  // An unknown session is served like any other.
  expect((await search('thing red', sessionId)).hits.map(({ id }) => id)).toEqual(before)
  for (const name of ['to-be-forgotten', 'nobody'])
    expect(await running.call('DELETE', `/nous/learn/subjects/${name}`)).toMatchObject({
      ...{ status: 404, code: 'SUBJECT_NOT_FOUND' },
    })
})

it('what was told and learned is there after a new start', async () => {
  const sessionId = await session()
  const shown = await search('red with', sessionId)
  const last = shown.hits.at(-1)?.id
  const feedback = [clicked(shown.searchContext.queryId, last)]
  await running.call('POST', '/cortex/feedback', { sessionId, feedback })
  await running.restart({ EXPLORATION_SHARE: '0' })
  await waitUntil(async () => (await search('red with')).hits[0]?.id === last)
  const page = await running.call<Page>('GET', `/cortex/feedback?sessionId=${sessionId}`)
  expect(page.data.feedback).toMatchObject([{ resultId: last, status: 'LEARNED' }])
})

it('what teaches nothing as it was sent is told', async () => {
  const sessionId = await session()
  const { hits, searchContext } = await search('red apple', sessionId)
  const { queryId } = searchContext
  const shown = hits[0]?.id
  const send = async (...feedback: object[]) =>
    (
      await running.call<{ warnings?: string[] }>('POST', '/cortex/feedback', {
        sessionId,
        feedback,
      })
    ).data.warnings
  expect(await send(clicked(queryId, shown))).toBeUndefined()
  expect(
    await send(
      clicked(queryId, shown),
      { queryId, rating: 1, userAction: 'click', metadata: { position: 1 } },
      { queryId, rating: 1, metadata: { userAction: 'klick' } },
    ),
  ).toEqual([
    'feedback[1].userAction is not read; it belongs in feedback[1].metadata.userAction.',
    'feedback[1].metadata.position is not read; it belongs in feedback[1].metadata.customMetadata.position.',
    'feedback[2] names no action that is known: it is kept, and teaches nothing; "click" is one.',
    NO_HIT,
  ])
  const same = { queryId, rating: 1, resultId: 'a' }
  expect(await send(...Array.from({ length: 20 }, () => same))).toHaveLength(8)
})

it('a rating of 1 beside stars is told to be the best of the other scale', async () => {
  const sessionId = await session()
  const { hits, searchContext } = await search('red apple', sessionId)
  const [metadata, { queryId }] = [{ resultId: hits[0]?.id }, searchContext]
  const rated = async (...ratings: number[]) => {
    const feedback = ratings.map((rating) => ({ queryId, rating, metadata }))
    return (
      await running.call<{ warnings?: string[] }>('POST', '/cortex/feedback', {
        ...{ sessionId, feedback },
      })
    ).data.warnings
  }
  expect(await rated(1, 0.2)).toBeUndefined()
  expect(await rated(4, 1.5, 0.2)).toBeUndefined()
  const sentence = (one: string, stars: number) =>
    `feedback[${one}, which is the best of 0 to 1, and feedback[${stars}].rating is one of 5 stars: if 1 is a star, too, send 0.2.`
  expect(await rated(5, 1)).toEqual([sentence('1].rating is 1', 0)])
  expect(await rated(1, 1, 3)).toEqual([
    sentence('0].rating is 1 (the first of 2 such entries)', 2),
  ])
})

it('names that nobody reads are told, and seconds where milliseconds are read', async () => {
  const sessionId = await session()
  const { hits, searchContext } = await search('red apple', sessionId)
  const { queryId } = searchContext
  const entry = clicked(queryId, hits[0]?.id)
  const timestamp = Math.floor(Date.now() / 1000)
  const sent = {
    ...{ sessionId, sesion: 1 },
    feedback: [
      { ...entry, ratings: 1, deviceType: 'mobile' },
      clicked(queryId, hits[0]?.id, { timestamp }),
    ],
  }
  const { data } = await running.call<Receipt & { warnings: string[] }>(
    ...(['POST', '/cortex/feedback', sent] as const),
  )
  expect(data).toMatchObject({ late: 1 })
  expect(data.warnings).toEqual([
    '"sesion" is not a field of feedback and was ignored.',
    'feedback[1].metadata.timestamp lies more than 30 days back: it is kept, and teaches nothing.',
    'feedback[0]: "ratings" is not a field of an entry and was ignored; "rating" is.',
    'feedback[0]: "deviceType" is not a field of an entry and was ignored; "metadata.customMetadata.deviceType" is.',
    'feedback[1].metadata.timestamp: a number is epoch milliseconds, and this one is a moment of 1970; send the date as text, or seconds times 1000.',
  ])
})

const NO_HIT =
  'feedback[1] names no hit: the ranking learns nothing from it; send metadata.resultId, or metadata.customMetadata.position.'

it('what others call the action and the hit is told, and an entry without a hit', async () => {
  const sessionId = await session()
  const { hits, searchContext } = await search('red apple', sessionId)
  const { queryId } = searchContext
  const sent = (...feedback: object[]) =>
    running.must<Receipt & { warnings?: string[] }>('POST', '/cortex/feedback', {
      sessionId,
      feedback,
    })
  const left = { queryId, rating: 0, metadata: { userAction: 'abandon' } }
  expect((await sent(left)).warnings).toBeUndefined()
  const named = { queryId, rating: 1, metadata: { action: 'click', documentId: hits[0]?.id } }
  expect((await sent(left, named)).warnings).toEqual([
    'feedback[1].metadata.action is not read; feedback[1].metadata.userAction is.',
    'feedback[1].metadata.documentId is not read; feedback[1].metadata.resultId is.',
    NO_HIT,
  ])
  const both = { userAction: 'click', resultId: hits[1]?.id, action: 'ours', id: 7 }
  expect((await sent({ queryId, rating: 1, metadata: both })).warnings).toBeUndefined()
})

it('why feedback is unmatched is told', async () => {
  const sessionId = await session()
  const { hits, searchContext } = await search('red apple', sessionId)
  const entry = clicked(searchContext.queryId, hits[0]?.id)
  const told = (who: string, ...feedback: object[]) =>
    running.must<Receipt & { warnings?: string[] }>('POST', '/cortex/feedback', {
      sessionId: who,
      feedback,
    })
  const unknown = { ...entry, queryId: 'none' }
  expect(await told(sessionId, entry, unknown, { ...unknown, queryId: 'no' })).toMatchObject({
    unmatched: 2,
    warnings: [
      "feedback[1].queryId names no search that is known (the first of 2 such entries): nothing is learned from it; send the queryId of a search's searchContext.",
    ],
  })
  expect(await told('nobody', entry)).toMatchObject({
    unmatched: 1,
    warnings: [expect.stringMatching(/^sessionId: there is no such session, or it is over/)],
  })
})

it('a field that a search does not have is told, and not kept', async () => {
  const found = await running.call<Found & { searchContext: { warnings?: string[] } }>(
    ...(['POST', '/cortex/search', { query: 'red apple', filter: { title: 'none' } }] as const),
  )
  expect(found.data.hits).not.toHaveLength(0)
  expect(found.data.searchContext.warnings).toEqual([
    '"filter" is not a field of a search and was ignored; "filters" is.',
  ])
})

async function reportedClicks(): Promise<number> {
  const path = '/cortex/analytics/reports?timeWindow=1h'
  return (await running.must<{ clicks: number }>('GET', path)).clicks
}

it('a click on a search that showed nothing is warned of, and counts nowhere', async () => {
  const before = await reportedClicks()
  const name = 'showed nothing'
  const variants = [{ id: 'a' }, { id: 'b' }]
  const { testId } = await running.must('POST', '/cortex/ab-test', { name, variants })
  const sessionId = await session()
  const { hits, searchContext } = await search('unheard-of', sessionId)
  expect(hits).toEqual([])
  const metadata = { userAction: 'click' }
  const told = { sessionId, feedback: [{ queryId: searchContext.queryId, rating: 1, metadata }] }
  const { warnings } = await running.must('POST', '/cortex/feedback', told)
  expect(warnings).toEqual([
    'feedback[0].queryId names a search that showed no hit: it is kept, counts as no click and teaches the ranking nothing.',
  ])
  const analytics = await running.must('GET', `/cortex/sessions/${sessionId}/analytics`)
  expect(analytics).toMatchObject({ feedback: 1, clicks: 0 })
  expect(await reportedClicks()).toBe(before)
  const { metrics } = await running.must<{ metrics: Record<string, { ctr: number }> }>(
    ...(['GET', `/cortex/ab-test/${testId}`] as const),
  )
  expect(Object.values(metrics)).toMatchObject([{ ctr: 0 }, { ctr: 0 }])
  await running.must('POST', `/cortex/ab-test/${testId}/stop`)
})

it('a click on what was not shown is warned of, and counted by neither the session nor the report', async () => {
  const sessionId = await session()
  const shown = await search('thing', sessionId)
  const { queryId } = shown.searchContext
  const before = await reportedClicks()
  const beyond = {
    queryId,
    rating: 1,
    metadata: { userAction: 'click', customMetadata: { position: 99 } },
  }
  const answer = await running.call<Receipt & { warnings: string[] }>('POST', '/cortex/feedback', {
    ...{ sessionId, feedback: [clicked(queryId, 'no hit'), beyond] },
  })
  expect(answer.data).toMatchObject({ accepted: 2, duplicate: 0, unmatched: 0 })
  expect(answer.data.warnings).toHaveLength(1)
  const analytics = await running.must('GET', `/cortex/sessions/${sessionId}/analytics`)
  expect(analytics).toMatchObject({ feedback: 2, clicks: 0 })
  expect(await reportedClicks()).toBe(before)
})

it('hits of two indices that share an id are two results, told by position with the id or without', async () => {
  for (const index of ['north', 'south'])
    await running.must('PUT', `/cortex/documents/d1?index=${index}`, { title: 'puffin' })
  const sessionId = await session()
  const { hits, searchContext } = await search('puffin', sessionId)
  expect(hits.map(({ id }) => id)).toEqual(['d1', 'd1'])
  const at = (position: number, resultId: string | undefined, userAction: string) => ({
    queryId: searchContext.queryId,
    rating: 1,
    metadata: { userAction, resultId, customMetadata: { position } },
  })
  const send = async (...feedback: object[]) =>
    (await running.must<Receipt>('POST', '/cortex/feedback', { sessionId, feedback })).duplicate
  expect(await send(at(2, 'd1', 'click'), at(1, 'd1', 'click'))).toBe(0)
  expect(await send(at(1, undefined, 'purchase'), at(2, undefined, 'purchase'))).toBe(0)
  expect(await send(at(2, undefined, 'click'), at(1, 'd1', 'purchase'))).toBe(2)
})
