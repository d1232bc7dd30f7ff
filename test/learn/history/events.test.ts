import { expect, it } from 'vitest'
import { type EventLimits, type Events, openEvents } from '../../../src/learn/history/events.ts'
import type { EventRow } from '../../../src/learn/history/rows.ts'
import type { EventList, EventQuery, LearningEvent } from '../../../src/schema/event.ts'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS, MINUTE_MS, START_MS } from '../learner.ts'

const YEARS_MS = 10 * 365 * DAY_MS

/** A history and the clock by which it tells times. */
function start(limits: Partial<EventLimits> = {}) {
  const store = temporaryStore()
  const clock = { nowMs: START_MS }
  const events = openEvents(store, () => clock.nowMs, { eventHeartbeatMs: 20, ...limits })
  const record = (type: string): Promise<LearningEvent> => {
    clock.nowMs += 1000
    return events.record({ type, status: 'COMPLETED', source: 'models' })
  }
  return { store, clock, events, record }
}

async function typesOf(events: Events, query: EventQuery = {}): Promise<[number, string]> {
  const page = Buffer.from(await events.list({ order: 'asc', ...query })).toString()
  const { total, events: listed } = JSON.parse(page) as EventList
  return [total, listed.map(({ type }) => type).join('')]
}

/** What a stream gives until it has given nothing for a while, or ends. */
async function followed(events: Events, query: EventQuery, after?: string): Promise<string> {
  const stop = new AbortController()
  let types = ''
  for await (const row of events.follow(query, after)(stop.signal) as AsyncIterable<
    EventRow | undefined
  >) {
    if (row === undefined) stop.abort()
    else types += row.event.type
  }
  return types
}

const date = (timeMs: number) => new Date(timeMs).toISOString()

/** Two events by the right clock, two while it was years ahead, and two once it was right again. */
async function correct(limits?: Partial<EventLimits>) {
  const { clock, record, ...rest } = start(limits)
  const made = [await record('A'), await record('B')]
  clock.nowMs += YEARS_MS
  made.push(await record('C'), await record('D'))
  clock.nowMs += MINUTE_MS - YEARS_MS
  made.push(await record('E'), await record('F'))
  return { clock, record, made, ...rest }
}

it('times are right again once the clock is, which does not wait for the time that it was at', async () => {
  const { made, events } = await correct()
  const times = made.map(({ timestamp }) => (Date.parse(timestamp) - START_MS) / 1000)
  const ahead = YEARS_MS / 1000
  expect(times).toEqual([1, 2, ahead + 3, ahead + 4, 65, 66])
  expect(await typesOf(events)).toEqual([6, 'ABCDEF'])
  expect(await typesOf(events, { order: 'desc', limit: 4 })).toEqual([6, 'FEDC'])
})

it('dates find what happened between them on both sides of a clock that was set back', async () => {
  const { events } = await correct()
  const [startMs, endMs] = [START_MS + 2000, START_MS + 65_000]
  const dates = { startDate: date(startMs), endDate: date(endMs) }
  expect(await typesOf(events, dates)).toEqual([2, 'BE'])
  expect(await typesOf(events, { ...dates, order: 'desc', limit: 1 })).toEqual([2, 'E'])
  expect(await typesOf(events, { endDate: date(endMs) })).toEqual([3, 'ABE'])
  expect(await typesOf(events, { startDate: date(endMs) })).toEqual([4, 'CDEF'])
  expect(await typesOf(events, { startDate: date(START_MS + YEARS_MS) })).toEqual([2, 'CD'])
  expect(await typesOf(events, { startDate: date(START_MS + 2 * YEARS_MS) })).toEqual([0, ''])
  expect(await typesOf(events, { endDate: date(START_MS) })).toEqual([0, ''])
})

it('a stream goes on behind any event, whatever the clock did since', async () => {
  const { made, events, clock } = await correct()
  for (const [at, rest] of ['BCDEF', 'CDEF', 'DEF', 'EF', 'F', ''].entries())
    expect(await followed(events, {}, made[at]?.id)).toBe(rest)
  const dates = { startDate: date(START_MS + 2000), endDate: date(START_MS + 65_000) }
  clock.nowMs += DAY_MS
  expect(await followed(events, dates)).toBe('BE')
})

it('what was told while the clock was ahead goes by the age of what came next', async () => {
  const { clock, events } = await correct({ retentionMs: 30 * DAY_MS })
  const sinceMs = START_MS - DAY_MS
  expect(events.counts(sinceMs)).toEqual({ A: 1, B: 1, E: 1, F: 1 })
  clock.nowMs = START_MS + 65_000 + 30 * DAY_MS
  await events.sweep(clock.nowMs)
  expect(await typesOf(events)).toEqual([4, 'CDEF'])
  clock.nowMs += 1
  await events.sweep(clock.nowMs)
  expect(await typesOf(events)).toEqual([1, 'F'])
})

it.each([
  ['that is set back by some minutes', -4 * MINUTE_MS],
  ['that a start without a battery set back to a time before this service', -START_MS],
])('a clock %s stands still in the history', async (_, laterMs) => {
  const { clock, record, events } = start()
  const before = await record('A')
  clock.nowMs += laterMs
  const { timestamp } = await record('B')
  expect(timestamp).toBe(before.timestamp)
  const at = { startDate: timestamp, endDate: timestamp }
  expect(await typesOf(events, at)).toEqual([2, 'AB'])
})

it('an event whose transaction failed leaves the clock as it was', async () => {
  const { store, clock, record, events } = start()
  await record('A')
  clock.nowMs += YEARS_MS
  const failing = store.write(() => {
    events.recordWithin({ type: 'B', status: 'COMPLETED', source: 'models' })
    throw new Error('mine')
  })
  await expect(failing).rejects.toThrow('mine')
  clock.nowMs -= YEARS_MS
  const { timestamp } = await record('C')
  expect(Date.parse(timestamp)).toBe(clock.nowMs)
  expect(await typesOf(events, { endDate: timestamp })).toEqual([2, 'AC'])
})

it('of many who follow one at a time is handed what is new, and others have turns in between', async () => {
  const { events, record } = start()
  const stop = new AbortController()
  const order: string[] = []
  const follower = async (name: string) => {
    for await (const row of events.follow({}, undefined)(stop.signal)) {
      if (row === undefined) continue
      order.push(name)
      return
    }
  }
  const following = ['a', 'b', 'c'].map(follower)
  const tick = () => {
    // One for all the turns between two, of which there may be any number.
    if (order.length > 0 && order.at(-1) !== '.') order.push('.')
    if (!stop.signal.aborted) setImmediate(tick)
  }
  setImmediate(tick)
  await record('A')
  await Promise.all(following)
  stop.abort()
  expect(order.join('')).toMatch(/^a\.b\.c/)
})
