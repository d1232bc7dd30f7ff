import { expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { firstIdOf } from '../../../src/ids.ts'
import { openRetention, type RetentionOptions } from '../../../src/learn/health/retention.ts'
import { openEvents } from '../../../src/learn/history/events.ts'
import { openLog } from '../../../src/learn/loop/log.ts'
import { openMetricRecords } from '../../../src/learn/metrics/metric-records.ts'
import { openHours } from '../../../src/learn/reports/hours.ts'
import { openMetrics } from '../../../src/metrics/metrics.ts'
import type { EventList } from '../../../src/schema/event.ts'
import { temporaryStore } from '../../store/open.ts'

const DAY_MS = 86_400_000
const START_MS = 20_000 * DAY_MS

function fails(err: unknown): never {
  throw err
}

it('removes what is past its time, of every kind, and nothing that is not', async () => {
  const store = temporaryStore()
  let nowMs = START_MS
  const clock = () => nowMs
  const config = readConfig({ RETENTION_MS: String(30 * DAY_MS), EVENTS_MAX: '100' })
  const log = openLog(store, 100, clock)
  const events = openEvents(store, clock, config)
  const hours = openHours(store)
  const metrics = openMetrics(config)
  const metricRecords = openMetricRecords({ store, metrics, config, clock })
  let kept = 0
  const retain = openRetention({
    ...{ store, log, config, kept: () => kept },
    sweeps: {
      events: events.sweep,
      metricRecords: metricRecords.sweep,
      hours: (atMs) => hours.sweep(atMs - config.retentionMs),
    },
    onFailure: fails,
    onEnd: () => {},
    onRemoved: () => {},
  })
  const { tables } = store
  const counted = () => ({
    journal: tables.journal.count(),
    impressions: tables.impressions.count(),
    events: tables.events.count(),
    eventDays: tables.eventDays.count(),
    hours: tables.hourReports.count(),
    clicks: tables.reportedClicks.count(),
    metrics: tables.metricSeries.count(),
  })

  for (let day = 0; day < 3; day += 1) {
    nowMs = START_MS + day * DAY_MS
    const queryId = `${firstIdOf(nowMs)}-7000-8000-00000000000${day}`
    log.show(queryId, { head: '{}', replay: '{}', found: Buffer.of(0) })
    await log.append(() => ({ entry: { timeMs: nowMs, type: 'analytics' }, value: undefined }))
    await events.record({ type: 'MODEL_SYNCED', status: 'CANDIDATE', source: 'models' })
    await metricRecords.record({ name: 'a', value: 1, labels: { day: String(day) } })
    hours.take({
      kind: 'analytics',
      sequence: day,
      timeMs: nowMs,
      sessionId: undefined,
      data: { eventType: 'a' },
    })
    await store.write(() => {
      hours.save()
      tables.reportedClicks.put(queryId, 1)
    })
  }
  const all = counted()
  expect(all).toMatchObject({ journal: 6, impressions: 3, events: 3, hours: 3, clicks: 3 })
  await retain(nowMs)
  expect(counted()).toEqual(all)

  // A day and a half later than the first two days' ends: only the third is left.
  const laterMs = START_MS + 31.5 * DAY_MS
  await retain(laterMs)
  const untaken = counted()
  expect(untaken).toMatchObject({ events: 1, hours: 1, clicks: 1, metrics: 1 })
  expect(untaken, 'what learning has yet to take stays').toMatchObject({
    journal: 6,
    impressions: 3,
  })
  kept = 6
  await retain(laterMs)
  expect(counted()).toMatchObject({ journal: 2, impressions: 1 })
  expect(String(await metrics.page())).toContain('svc_custom_a{day="2"} 1')
  expect(String(await metrics.page())).not.toContain('day="0"')
  await retain(START_MS + 90 * DAY_MS)
  expect(Object.values(counted())).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(String(await metrics.page())).not.toContain('svc_custom_a')
})

/** Retention of which no part may fail. */
function openSilentRetention(
  parts: Pick<RetentionOptions, 'store' | 'log' | 'config'> & Partial<RetentionOptions>,
) {
  const quiet = { onFailure: fails, onEnd: () => {}, onRemoved: () => {} }
  return openRetention({ kept: () => 0, sweeps: {}, ...quiet, ...parts })
}

it('keeps at most so many impressions and events, the newest', async () => {
  const store = temporaryStore()
  const clock = () => START_MS
  const config = readConfig({ IMPRESSIONS_MAX: '1000', EVENTS_MAX: '100' })
  const log = openLog(store, 10_000, clock)
  const events = openEvents(store, clock, config)
  const retain = openSilentRetention({ store, log, config, sweeps: { events: events.sweep } })
  const idOf = (at: number) => `${firstIdOf(START_MS)}-7000-8000-${String(at).padStart(12, '0')}`
  await store.write(() => {
    for (let at = 0; at < 2500; at += 1) store.tables.impressions.put(idOf(at), Buffer.from([1]))
    for (let at = 0; at < 150; at += 1)
      events.recordWithin({ type: 'A', status: 'B', source: 'models', data: { at } })
  })
  await retain(START_MS)
  expect([...store.tables.impressions.keys({ limit: 1 })]).toEqual([idOf(1500)])
  expect(store.tables.impressions.count()).toBe(1000)
  const list = await events.list({ order: 'asc', limit: 1000 })
  const left = JSON.parse(Buffer.from(list).toString()) as EventList
  expect(left.total).toBe(100)
  expect(left.events[0]?.data).toEqual({ at: 50 })
})

it('keeps a journal of so many bytes, the newest of it, but for what is still to be learned', async () => {
  const store = temporaryStore()
  const config = readConfig({ JOURNAL_BYTES_MAX: '1048576' })
  const log = openLog(store, 10_000, () => START_MS)
  const { journal } = store.tables
  let kept = 100
  const retain = openSilentRetention({ store, log, config, kept: () => kept })
  await store.write(() => {
    for (let at = 0; at < 2000; at += 1)
      log.journal.appendWithin({ timeMs: START_MS, type: 'searches', data: ['x'.repeat(1500)] })
  })
  expect(journal.bytes()).toBeGreaterThan(3e6)
  await retain(START_MS)
  expect([...journal.keys({ limit: 1 })]).toEqual([101])
  kept = 2000
  await retain(START_MS)
  expect(journal.bytes()).toBeLessThanOrEqual(1048576)
  expect(journal.count()).toBeGreaterThan(100)
  expect(journal.has(2000)).toBe(true)
  expect(log.isCut()).toBe(true)
})

it('removes more in each round for as long as more comes than it removes', async () => {
  const store = temporaryStore()
  const log = openLog(store, 10_000, () => START_MS)
  let due = 0
  let removed = 0
  const sweep = async () => {
    const rows = Math.min(due, 1000)
    due -= rows
    removed += rows
    return rows
  }
  const config = readConfig({})
  const retain = openSilentRetention({ store, log, config, sweeps: { rows: sweep } })
  const rounds: number[] = []
  for (const coming of [100_000, 20_000, 20_000, 20_000, 20_000, 20_000, 0, 0, 100_000]) {
    due += coming
    removed = 0
    await retain(START_MS)
    rounds.push(removed / 1000)
  }
  expect(rounds).toEqual([10, 20, 40, 80, 30, 20, 0, 0, 10])
})

it('makes no room for what was shown while the clock was ahead by removing what is shown now', async () => {
  const store = temporaryStore()
  const config = readConfig({ IMPRESSIONS_MAX: '1000' })
  const log = openLog(store, 10_000, () => START_MS)
  const retain = openSilentRetention({ store, log, config })
  const idOf = (timeMs: number, at: number) =>
    `${firstIdOf(timeMs)}-7000-8000-${String(at).padStart(12, '0')}`
  const aheadMs = START_MS + 400 * DAY_MS
  await store.write(() => {
    for (let at = 0; at < 1000; at += 1)
      store.tables.impressions.put(idOf(aheadMs, at), Buffer.from([1]))
    for (let at = 0; at < 20; at += 1)
      store.tables.impressions.put(idOf(START_MS, at), Buffer.from([1]))
  })
  await retain(START_MS)
  expect(store.tables.impressions.count()).toBe(1000)
  const [first, last] = [idOf(START_MS, 0), idOf(aheadMs, 19)]
  expect([...store.tables.impressions.keys({ limit: 1 })]).toEqual([first])
  expect(store.tables.impressions.has(last)).toBe(false)
})

it('an impression that learning would read again after a crash stays until it is learned for good', async () => {
  const store = temporaryStore()
  const clock = () => START_MS
  const config = readConfig({ IMPRESSIONS_MAX: '1000' })
  const log = openLog(store, 10_000, clock)
  let kept = 1
  const retain = openSilentRetention({ store, log, config, kept: () => kept })
  const idOf = (at: number) => `${firstIdOf(START_MS)}-7000-8000-${String(at).padStart(12, '0')}`
  const ids = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => idOf(from + at))
  const told = { unit: 'u', entries: [{ queryId: idOf(7) }, { queryId: idOf(1990) }] }
  await store.write(() => {
    for (const id of ids(0, 2000)) store.tables.impressions.put(id, Buffer.from([1]))
    const entries = [
      { type: 'searches', data: ids(0, 900) },
      { type: 'searches', data: ids(900, 1100) },
      { type: 'feedback', data: told },
    ]
    for (const entry of entries) log.journal.appendWithin({ timeMs: START_MS, ...entry })
  })
  const left = () => [...store.tables.impressions.keys({})]
  await retain(START_MS)
  expect(left()).toEqual([idOf(7), ...ids(900, 2000)])
  kept = 2
  await retain(START_MS)
  expect(left()).toEqual([idOf(7), ...ids(1000, 2000)])
  kept = 3
  await retain(START_MS)
  expect(left()).toEqual(ids(1000, 2000))
})

it('goes on behind a part that fails, and says which', async () => {
  const store = temporaryStore()
  const config = readConfig({})
  const log = openLog(store, 100, () => START_MS)
  const swept: string[] = []
  const failed: string[] = []
  const retain = openRetention({
    ...{ store, log, config, kept: () => 0 },
    sweeps: {
      first: () => Promise.reject(new Error('full')),
      second: async () => {
        swept.push('second')
        return 0
      },
    },
    onFailure: (err, part) => failed.push(`${part}: ${(err as Error).message}`),
    onEnd: () => {},
    onRemoved: () => {},
  })
  await store.write(() => store.tables.impressions.put(firstIdOf(1), Buffer.from([1])))
  await retain(START_MS)
  expect(failed).toEqual(['first: full'])
  expect(swept).toEqual(['second'])
  expect(store.tables.impressions.count()).toBe(0)
})
