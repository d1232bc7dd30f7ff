import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newId } from '../../src/ids.ts'
import type { EventReport } from '../../src/learn/history/events.ts'
import type { EventList, LearningEvent } from '../../src/schema/event.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp({
    EVENT_HEARTBEAT_MS: '60',
    EVENT_STREAM_STALL_MS: '1000',
    EVENT_STREAMS_MAX: '3',
    REQUEST_TIMEOUT_MS: '2000',
  })
})
afterAll(() => running.close())

const record = (report: Partial<EventReport> = {}) =>
  running.app.learning.events.record({
    type: 'MODEL_SYNCED',
    status: 'CANDIDATE',
    source: 'models',
    ...report,
  })

const list = (query = '') => running.call<EventList>('GET', `/nous/learn/events${query}`)

async function typesOf(query: string): Promise<string[]> {
  return (await list(query)).data.events.map(({ type }) => type)
}

const CHANGE = newId()

describe('GET /nous/learn/events', () => {
  const made: LearningEvent[] = []
  beforeAll(async () => {
    for (const report of [
      { type: 'MODEL_SYNCED', modelId: 'm-1' },
      { type: 'MODEL_ACTIVATED', modelId: 'm-1', status: 'ACTIVE' },
      { type: 'MODEL_SYNCED', modelId: 'm-2' },
      { type: 'ADAPTATION_APPLIED', adaptationId: CHANGE, status: 'PENDING' },
      { type: 'FEEDBACK_RECEIVED', sessionId: 's-1', status: 'COMPLETED', data: { n: 1 } },
    ]) {
      made.push(await record(report))
      // A moment of their own, so that dates can tell them apart.
      const at = Date.now()
      await waitUntil(() => Date.now() > at)
    }
  })

  it('gives all of them, the newest first, each as it was recorded', async () => {
    const { data } = await list()
    expect(data).toEqual({ events: [...made].reverse(), total: 5, limit: 100 })
    expect(data.events[0]).toMatchObject({
      status: 'COMPLETED',
      priority: 'NORMAL',
      ...{ correlationId: null, sessionId: 's-1' },
      data: { n: 1 },
    })
  })

  it.each([
    ['?type=model_synced', 2],
    ['?type=MODEL_SYNCED,MODEL_ACTIVATED', 3],
    ['?type=MODEL_SYNCED&type=FEEDBACK_RECEIVED', 3],
    ['?status=active,pending', 2],
    ['?type=MODEL_SYNCED&status=ACTIVE', 0],
    ['?modelId=m-1', 2],
    [`?adaptationId=${CHANGE}`, 1],
    ['?sessionId=s-1', 1],
    ['?sessionId=nobody', 0],
    [`?adaptationId=${CHANGE.toUpperCase()}`, 1],
    ['?startDate=2020-01-01', 5],
    ['?startDate=-1', 5],
    ['?endDate=2020-01-01', 0],
    ['?endDate=1969-12-31', 0],
  ])('finds with %s as many as match', async (query, count) => {
    const { data } = await list(query)
    expect(data.events).toHaveLength(count)
    expect(data.total).toBe(count)
  })

  it('reads dates as ISO 8601 with any zone and as epoch ms, both ends included', async () => {
    const [, second, , fourth] = made.map(({ timestamp }) => timestamp) as [
      string,
      string,
      string,
      string,
    ]
    const zoned = (iso: string) =>
      new Date(Date.parse(iso) + 7_200_000).toISOString().replace('Z', '+02:00')
    for (const [from, to] of [
      [second, fourth],
      [Date.parse(second), Date.parse(fourth)],
      [encodeURIComponent(zoned(second)), zoned(fourth)],
    ])
      expect(await typesOf(`?startDate=${from}&endDate=${to}&order=ASC`)).toEqual([
        'MODEL_ACTIVATED',
        'MODEL_SYNCED',
        'ADAPTATION_APPLIED',
      ])
    const today = (made[4] as LearningEvent).timestamp.slice(0, 10)
    expect((await list(`?endDate=${today}&type=FEEDBACK_RECEIVED`)).data.total).toBe(1)
  })

  it.each(['asc', 'desc'])(
    'pages through them %s, each once, while more are recorded',
    async (order) => {
      const { total } = (await list('?type=MODEL_SYNCED,MODEL_ACTIVATED')).data
      const seen: string[] = []
      let cursor = ''
      for (let pages = 0; pages < 20; pages += 1) {
        const query = `?type=MODEL_SYNCED,MODEL_ACTIVATED&order=${order}&limit=1${cursor}`
        const { data } = await list(query)
        seen.push(...data.events.map(({ id }) => id))
        if (order === 'desc') await record({ type: 'MODEL_SYNCED' })
        if (data.nextCursor === undefined) break
        cursor = `&cursor=${data.nextCursor}`
      }
      expect(seen).toHaveLength(total)
      expect([...seen].sort()).toEqual(order === 'asc' ? seen : [...seen].reverse())
      expect(new Set(seen).size).toBe(total)
    },
  )

  it('pages through all without a filter too', async () => {
    const { events, total } = (await list('?limit=1000')).data
    const seen: LearningEvent[] = []
    let cursor = ''
    do {
      const { data } = await list(`?limit=3${cursor}`)
      expect(data.total).toBe(total)
      seen.push(...data.events)
      cursor = data.nextCursor === undefined ? '' : `&cursor=${data.nextCursor}`
    } while (cursor !== '')
    expect(seen).toEqual(events)
  })

  it.each([
    ['?startDate=yesterday', 'startDate', 'VALIDATION_FAILED'],
    ['?endDate=2026-13-01', 'endDate', 'VALIDATION_FAILED'],
    ['?endDate=2026-02-29', 'endDate', 'VALIDATION_FAILED'],
    ['?startDate=2026-02-30T00:00:00Z', 'startDate', 'VALIDATION_FAILED'],
    ['?startDate=2026-01-02&endDate=2026-01-01', 'endDate', 'VALIDATION_FAILED'],
    ['?limit=0', 'limit', 'VALIDATION_FAILED'],
    ['?limit=1001', 'limit', 'VALIDATION_FAILED'],
    ['?limit=ten', 'limit', 'VALIDATION_FAILED'],
    ['?order=up', 'order', 'VALIDATION_FAILED'],
    ['?cursor=abc', 'cursor', 'INVALID_CURSOR'],
  ])('refuses %s and names %s', async (query, path, expected) => {
    const { status, code, details } = await list(query)
    expect(status).toBe(400)
    expect(code).toBe(expected)
    expect(details[0]?.path).toBe(path)
  })

  it('refuses the cursor of another query', async () => {
    const { nextCursor } = (await list('?limit=1')).data
    for (const other of ['&type=MODEL_SYNCED', '&order=asc'])
      expect(await list(`?limit=1&cursor=${nextCursor}${other}`)).toMatchObject({
        status: 400,
        code: 'INVALID_CURSOR',
      })
  })
})

/** A client of the stream that reads bytes, as they come. */
interface Follower {
  socket: Socket
  text: () => string
  /** Ids of the events so far. */
  ids: () => string[]
  closed: () => boolean
}

async function follow(query = '', headers: Record<string, string> = {}): Promise<Follower> {
  const { port, hostname } = new URL(running.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => {
    socket.destroy()
  })
  let text = ''
  let closed = false
  socket.setEncoding('utf8')
  socket.on('data', (piece) => {
    text += piece
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
  })
  const lines = Object.entries({ host: 'a', accept: 'text/event-stream', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`GET /api/nous/learn/events${query} HTTP/1.1\r\n${head}\r\n`)
  await waitUntil(() => text.includes('\r\n\r\n'))
  return {
    socket,
    text: () => text,
    ids: () => [...text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id),
    closed: () => closed,
  }
}

const streams = async () => {
  const page = await running.metricsPage()
  return Number(/^svc_event_streams (\d+)$/m.exec(page)?.[1])
}

describe('the stream of events', () => {
  it('sends each event as it is recorded, with its type and id, and a comment in silence', async () => {
    const follower = await follow()
    expect(follower.text()).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(follower.text()).toMatch(/content-type: text\/event-stream\r\n/)
    expect(follower.text()).toMatch(/cache-control: no-store\r\n/)
    const event = await record({ type: 'GATE_PASSED', modelId: 'm-3' })
    await waitUntil(() => follower.ids().length === 1)
    const told = `id: ${event.id}\nevent: GATE_PASSED\ndata: ${JSON.stringify(event)}\n\n`
    expect(follower.text()).toContain(told)
    await waitUntil(() => follower.text().includes(': still here\n\n'))
    // What ends the event's chunk came with it, and not with the next event.
    expect(follower.text()).toContain(`${told}\r\n3\r\n:\n\n`)
  })

  it('says in comments what of its address it does not read, or doubts', async () => {
    const query = '?order=asc&limit=1&cursor=&tpye=A&startDate=2000000000'
    const follower = await follow(query)
    await waitUntil(() => follower.text().includes('retry: '))
    const comments = [...follower.text().matchAll(/^: (.+)$/gm)].map(([, text]) => text)
    expect(comments).toEqual([
      '"tpye" is not read in this address and was ignored; "type" is.',
      expect.stringMatching(/^startDate: a number is epoch milliseconds/),
      ...['order', 'limit', 'cursor'].map(
        (name) =>
          `"${name}" is not read by a stream, which has each event as it comes, and was ignored.`,
      ),
    ])
  })

  it('goes on behind the event that a client names, without a gap', async () => {
    const first = await follow()
    const made: string[] = []
    const more = async () => made.push((await record()).id)
    for (let at = 0; at < 5; at += 1) await more()
    await waitUntil(() => first.ids().length === 5)
    expect(first.ids()).toEqual(made)
    first.socket.destroy()
    await more()
    const second = await follow('', { 'last-event-id': made[1] ?? '' })
    await waitUntil(() => second.ids().length === 4)
    await more()
    await waitUntil(() => second.ids().length === 5)
    expect(second.ids()).toEqual(made.slice(2))
  })

  it('goes on behind a number, by which streams of before named an event', async () => {
    const late = await follow('', { 'last-event-id': '999999999' })
    await record({ type: 'LATE' })
    await waitUntil(() => late.text().includes('event: LATE'))
    expect(late.ids()).toHaveLength(1)
    const early = await follow('', { 'last-event-id': '1' })
    await waitUntil(() => early.ids().includes(late.ids()[0] ?? ''))
    expect(early.ids().length).toBeGreaterThan(1)
  })

  it('goes on behind an event that a client has from a list, and an empty name is none', async () => {
    for (let at = 0; at < 3; at += 1) await record({ type: 'NAMED' })
    const { data } = await running.call<{ events: { id: string }[] }>(
      ...(['GET', '/nous/learn/events?type=named&order=asc'] as const),
    )
    const follower = await follow('?type=named', {
      'last-event-id': data.events[0]?.id.toUpperCase() ?? '',
    })
    await waitUntil(() => follower.ids().length === 2)
    const fresh = await follow('', { 'last-event-id': '' })
    await record({ type: 'NAMED' })
    await waitUntil(() => follower.ids().length === 3 && fresh.ids().length === 1)
    expect(fresh.ids()).toEqual(follower.ids().slice(-1))
  })

  it('refuses an id that no event has, also one that reads as later than all', async () => {
    await record()
    const later = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
    const refused = await follow('', { 'last-event-id': later })
    expect(refused.text()).toMatch(/^HTTP\/1.1 400/)
    expect(refused.text()).toContain('INVALID_CURSOR')
  })

  it('sends only what matches, from a date on if one is named', async () => {
    await record({ type: 'WANTED', modelId: 'm-9' })
    const follower = await follow('?type=wanted&modelId=m-9&startDate=2020-01-01')
    await waitUntil(() => follower.ids().length === 1)
    await record({ type: 'WANTED', modelId: 'm-8' })
    await record({ type: 'WANTED', modelId: 'm-9' })
    await waitUntil(() => follower.ids().length === 2)
    expect(follower.text()).not.toContain('m-8')
  })

  it.each(['0', '1970-01-01', '-1', '1969-12-31'])(
    'sends all that is kept from %s on',
    async (date) => {
      await record({ type: 'KEPT' })
      const { data } = await list('?type=kept')
      const follower = await follow(`?type=kept&startDate=${date}`)
      await waitUntil(() => follower.ids().length === data.total)
    },
  )

  it('sends nothing from before the date, whatever event a client names and while the date is to come', async () => {
    const early = await record({ type: 'DATED' })
    await waitUntil(() => Date.now() > Date.parse(early.timestamp))
    const late = await record({ type: 'DATED' })
    const { data } = await list('?order=asc&limit=1')
    const resumed = await follow(`?type=dated&startDate=${late.timestamp}`, {
      'last-event-id': data.events[0]?.id ?? '',
    })
    await waitUntil(() => resumed.ids().length > 0)
    expect(resumed.text()).toContain(late.id)
    expect(resumed.text()).not.toContain(early.id)
    const startMs = Date.now() + 3000
    const coming = await follow(`?type=dated&startDate=${startMs}`)
    const before = await record({ type: 'DATED' })
    await waitUntil(() => Date.now() >= startMs)
    const after = await record({ type: 'DATED' })
    await waitUntil(() => coming.ids().length > 0)
    expect(coming.text()).toContain(after.id)
    expect(coming.text()).not.toContain(before.id)
  })

  it('ends behind the last event before a date', async () => {
    const isWhole = ({ text }: { text: () => string }) => text().endsWith('\r\n0\r\n\r\n')
    const event = await record({ type: 'BEFORE' })
    const past = await follow('?startDate=2019-01-01&endDate=2020-01-01')
    await waitUntil(() => isWhole(past))
    expect(past.ids()).toEqual([])
    const endMs = Date.parse(event.timestamp) + 3000
    const soon = await follow(`?type=before&startDate=2020-01-01&endDate=${endMs}`)
    await waitUntil(() => soon.ids().length === 1)
    await record({ type: 'BEFORE' })
    await waitUntil(() => soon.ids().length === 2)
    expect(isWhole(soon)).toBe(false)
    await waitUntil(() => Date.now() > endMs)
    await record({ type: 'BEFORE' })
    await waitUntil(() => isWhole(soon))
    expect(soon.ids()).toHaveLength(2)
  })

  it.each([
    ['?startDate=never', {}],
    ['', { 'last-event-id': 'x' }],
    ['', { 'last-event-id': '01900000-0000-7000-8000-000000000009' }],
  ])('refuses %s %j before it begins', async (query, headers) => {
    const refused = await follow(query, headers)
    expect(refused.text()).toMatch(/^HTTP\/1.1 400 /)
  })

  it('goes on with what is kept where the event that a client names is gone', async () => {
    const gone = await record({ type: 'GONE' })
    await waitUntil(() => Date.now() > Date.parse(gone.timestamp))
    const kept = await record({ type: 'GONE' })
    const { retentionMs } = running.app.config
    await running.app.learning.events.sweep(Date.parse(kept.timestamp) + retentionMs)
    const follower = await follow('?type=gone', { 'last-event-id': gone.id })
    await waitUntil(() => follower.ids().length === 1)
    expect(follower.ids()).toEqual([kept.id])
    // One that a store had which was put back from a backup meanwhile.
    await waitUntil(() => Date.now() > Date.parse(kept.timestamp))
    const lost = await follow('?type=gone', { 'last-event-id': newId() })
    const next = await record({ type: 'GONE' })
    await waitUntil(() => lost.ids().length === 1)
    expect(lost.ids()).toEqual([next.id])
  })

  it('lasts longer than a request may, and is counted while it does', async () => {
    await waitUntil(async () => (await streams()) === 0)
    const follower = await follow()
    const startedMs = Date.now()
    await waitUntil(() => Date.now() - startedMs > 2700)
    expect(follower.closed()).toBe(false)
    expect(await streams()).toBe(1)
    follower.socket.destroy()
    await waitUntil(async () => (await streams()) === 0)
    const page = await running.metricsPage()
    expect(page).toMatch(/svc_api_requests_total\{[^}]*learn\/events",status="200"\} [1-9]/)
    expect(page).not.toMatch(/learn\/events",status="499"/)
  })

  it('is for so many clients at a time', async () => {
    await waitUntil(async () => (await streams()) === 0)
    for (let client = 0; client < 3; client += 1) await follow()
    const refused = await follow()
    expect(refused.text()).toMatch(/^HTTP\/1.1 503 /)
    expect(refused.text()).toContain('"code":"OVERLOADED"')
  })

  it('lets go of a client that takes nothing', async () => {
    await waitUntil(async () => (await streams()) === 0)
    const slow = await follow()
    slow.socket.pause()
    const quick = await follow()
    const data = { filler: 'x'.repeat(500_000) }
    for (let at = 0; at < 60; at += 1) await record({ type: 'LARGE', data })
    await waitUntil(async () => (await streams()) === 1)
    await waitUntil(() => quick.ids().length === 60)
    slow.socket.resume()
    await waitUntil(slow.closed)
    expect(slow.ids().length).toBeLessThan(60)
  })

  it('ends when the service does', async () => {
    const follower = await follow()
    const startedMs = Date.now()
    await running.restart()
    expect(Date.now() - startedMs).toBeLessThan(10_000)
    await waitUntil(follower.closed)
    expect(follower.text().endsWith('0\r\n\r\n')).toBe(true)
  })
})
