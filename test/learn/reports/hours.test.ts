import { expect, it } from 'vitest'
import { newId } from '../../../src/ids.ts'
import type { Fact, FeedbackEntry, Impression } from '../../../src/learn/facts.ts'
import { openHours } from '../../../src/learn/reports/hours.ts'
import { makeReport } from '../../../src/learn/reports/report.ts'
import type { Store } from '../../../src/store/store.ts'
import { ownTimeMs } from '../../../src/threads/own-time.ts'
import { temporaryStore } from '../../store/open.ts'
import { impressionOf } from '../impressions/parts.ts'

const HOUR_MS = 3_600_000
const NOW_MS = 500_000 * HOUR_MS + 30 * 60_000

let sequence = 0

function impression(more: Partial<Impression> = {}): Impression {
  sequence += 1
  return impressionOf({
    queryId: `01900000-0000-7000-8000-${String(sequence).padStart(12, '0')}`,
    ...{ queryHash: 'h-bees', query: 'bees', timeMs: NOW_MS, tookMs: 5, sessionId: 's', unit: 'u' },
    ...more,
  })
}

const searched = (shown: Impression): Fact => ({
  kind: 'search',
  sequence,
  impression: shown,
})

function told(
  shown: Impression | undefined,
  hit: number | undefined,
  more: Partial<FeedbackEntry> = {},
  receivedMs = NOW_MS,
): Fact {
  return {
    kind: 'feedback',
    sequence,
    receivedMs,
    sessionId: 's',
    unit: shown?.unit ?? 'u',
    entry: {
      signalId: 'g',
      queryId: shown?.queryId ?? 'unknown',
      action: 'click',
      rating: 1,
      timeMs: receivedMs,
      status: 'learned',
      ...more,
    },
    impression: shown,
    hit,
  }
}

async function fold(store: Store, facts: readonly Fact[], sliceLength: number): Promise<void> {
  const hours = openHours(store)
  hours.load()
  for (let at = 0; at < facts.length; at += sliceLength)
    await store.write(() => {
      for (const fact of facts.slice(at, at + sliceLength)) hours.take(fact)
      hours.save()
    })
}

const reportOf = (store: Store) => makeReport(store, {}, NOW_MS)

it("counts a search's clicks once, at the best position, in the hour of the search", async () => {
  const store = temporaryStore()
  const early = impression({ timeMs: NOW_MS - 2 * HOUR_MS })
  const facts = [
    searched(early),
    searched(impression()),
    told(early, 2),
    told(early, 1),
    told(early, 2),
    told(early, undefined, { action: 'view' }),
    told(early, 0, { status: 'duplicate' }),
    told(undefined, undefined, { status: 'unmatched' }),
  ]
  await fold(store, facts, 1)
  const report = await reportOf(store)
  expect(report).toMatchObject({ searches: 2, clicks: 1, ctr: 0.5 })
  expect(report.mrr).toBeCloseTo(1 / 2 / 2, 12)
  expect(report.byHour.map(({ searches, clicks }) => [searches, clicks])).toEqual([
    [1, 1],
    [1, 0],
  ])
  expect(report.feedback.byStatus).toEqual({ LEARNED: 4, DUPLICATE: 1, UNMATCHED: 1 })
})

it('counts lists, not their pages, and rates among those of somebody', async () => {
  const store = temporaryStore()
  const { unit: _, sessionId: __, ...nobody } = impression()
  const [first, next, someone] = [impression(), impression({ from: 10 }), impression()]
  const alone = { ...nobody, queryId: impression().queryId }
  const facts = [first, next, someone, nobody as Impression, alone as Impression].map(searched)
  await fold(store, [...facts, told(next, 2), told(alone as Impression, 0)], 2)
  const report = await reportOf(store)
  // That of nobody was clicked, as nobody's others may have been: it is told, and in no rate.
  const counts = { searches: 4, clickable: 2, clicks: 2, ctr: 1 / 2 }
  expect(report).toMatchObject(counts)
  // The click at place 13 is beyond the tenth.
  expect(report.mrr).toBe(0)
  expect(report.topQueries).toMatchObject([counts])
  expect(report.bySearchType.hybrid).toMatchObject(counts)
  expect(report.byHour).toMatchObject([counts])
  // An hour of an earlier version: all of its searches count as such that can be clicked.
  const rows = Array.from(store.tables.hourReports.range())
  await store.write(() => {
    for (const { key, value } of rows) {
      const { clickable: ___, clickedOfNobody: ____, ...all } = value.all
      store.tables.hourReports.put(key, { ...value, all })
    }
  })
  expect(await reportOf(store)).toMatchObject({ searches: 4, clickable: 4, ctr: 0.5 })
  await fold(store, [searched(impression())], 1)
  expect(await reportOf(store)).toMatchObject({ searches: 5, clickable: 5 })
})

it('counts a list once, on however many of its pages hits are clicked, in the hour in which it was begun', async () => {
  const store = temporaryStore()
  const begunMs = NOW_MS - HOUR_MS
  const begin = () => impression({ timeMs: begunMs, queryId: newId(begunMs) })
  const [read, unread] = [begin(), begin()]
  const pageOf = ({ queryId }: Impression, from: number, more: Partial<Impression> = {}) =>
    impression({ from, list: queryId, ...more })
  const pages = [pageOf(read, 3), pageOf(read, 6)]
  const facts = [...[read, unread], ...pages].map(searched)
  await fold(store, [...facts, told(pages[1], 1), told(pages[0], 0)], 1)
  const counts = { searches: 2, clickable: 2, clicks: 1, ctr: 0.5 }
  const report = await reportOf(store)
  expect(report).toMatchObject(counts)
  expect(report.topQueries).toMatchObject([counts])
  expect(report.bySearchType.hybrid).toMatchObject(counts)
  expect(report.byHour).toMatchObject([counts, { searches: 0, clicks: 0 }])
  expect(report.mrr).toBeCloseTo(1 / 4 / 2, 12)
  // The best of all its pages counts, and a page whose list is not known is one by itself.
  await fold(store, [told(read, 2), told(pages[0], 0), told(impression({ from: 10 }), 0)], 2)
  const after = await reportOf(store)
  expect(after).toMatchObject({ searches: 2, clickable: 2, clicks: 2 })
  expect(after.mrr).toBeCloseTo(1 / 3 / 2, 12)
})

it('counts a click on a further page for its query, also in an hour in which nobody asked it', async () => {
  const store = temporaryStore()
  const first = impression({ timeMs: NOW_MS - HOUR_MS })
  const next = impression({ from: 10 })
  await fold(store, [searched(first), searched(next), told(next, 2)], 1)
  const counts = { query: 'bees', searches: 1, clickable: 1, clicks: 1, ctr: 1 }
  expect((await reportOf(store)).topQueries).toMatchObject([counts])
  // Of a list that began before the window there is no search in it.
  await store.write(() => store.tables.hourReports.remove(NOW_MS / HOUR_MS - 1.5))
  expect(await reportOf(store)).toMatchObject({ searches: 0, clicks: 1, topQueries: [] })
  // Whoever clicked takes the words along.
  const hours = openHours(store)
  hours.load()
  await store.write(() => {
    for (const _ of hours.untake?.({ names: new Set(['u']), facts: [] } as never) ?? []);
    hours.save()
  })
  const rows = Array.from(store.tables.hourReports.range(), ({ value }) => value.queries.names)
  expect(rows).toEqual(['[]'])
})

it('counts the clicks of who searched: what others say of a search is feedback, and no click', async () => {
  const store = temporaryStore()
  const [shown, mine] = [impression(), impression()]
  const others = { ...told(shown, 0), sessionId: 't', unit: 'thief' } as Fact
  await fold(store, [searched(shown), searched(mine), others, told(mine, 0)], 10)
  const report = await reportOf(store)
  expect(report).toMatchObject({ searches: 2, clicks: 1, ctr: 0.5, mrr: 0.5 })
  expect(report.feedback.byStatus).toEqual({ LEARNED: 2 })
})

it('takes nobody’s word for a position or a hit that was not on the page', async () => {
  const store = temporaryStore()
  const [one, other, searchedOnly] = [impression(), impression(), impression()]
  const facts = [
    ...[searched(one), searched(other)],
    // A click on no place that is named counts, one on a place that was not there does not.
    ...[told(one, undefined), told(one, undefined, { position: 4 }), told(other, undefined)],
    told(searchedOnly, undefined, { position: 4 }),
    told(searchedOnly, undefined, { resultId: 'never shown', position: 1 }),
  ]
  await fold(store, facts, 10)
  expect(await reportOf(store)).toMatchObject({ clicks: 2, ctr: 1, mrr: 0 })
})

it('is the same fold in slices of any length, and anew after a reset', async () => {
  const shown = Array.from({ length: 300 }, (_, at) =>
    impression({
      timeMs: NOW_MS - (at % 7) * HOUR_MS,
      queryHash: `h-${at % 40}`,
      query: `query ${at % 40}`,
      searchType: at % 2 === 0 ? 'text' : 'hybrid',
      total: at % 5 === 0 ? 0 : 3,
      sessionId: `s-${at % 90}`,
      unit: `u-${at % 60}`,
      ...(at % 3 === 0 ? { model: 'm@1' } : {}),
    }),
  )
  const facts = shown.flatMap((one, at) => [
    searched(one),
    ...(at % 2 === 0 ? [told(one, at % 3), told(one, (at + 1) % 3)] : []),
  ])
  const dump = ({ tables }: Store) => [
    ...[...tables.hourReports.range()].map((row) => JSON.stringify(row)),
    ...[...tables.reportedClicks.range()].map((row) => JSON.stringify(row)),
  ]
  const one = temporaryStore()
  await fold(one, facts, 1)
  const other = temporaryStore()
  await fold(other, facts, 97)
  expect(dump(other)).toEqual(dump(one))
  const hours = openHours(other)
  await other.write(() => {
    hours.reset?.()
    for (const fact of facts) hours.take(fact)
    hours.save()
  })
  expect(dump(other)).toEqual(dump(one))
  const report = await reportOf(one)
  expect(report).toMatchObject({ searches: 300, clicks: 150, sessions: 90, units: 60 })
  expect(report.zeroResultQueries).toHaveLength(8)
})

it('forgets what a transaction that failed had taken', async () => {
  const store = temporaryStore()
  const hours = openHours(store)
  await store
    .write(() => {
      hours.take(searched(impression()))
      hours.save()
      throw new Error('not today')
    })
    .catch(() => hours.load())
  await store.write(() => {
    hours.take(searched(impression()))
    hours.save()
  })
  expect(await reportOf(store)).toMatchObject({ searches: 1 })
})

it('adds up a month of busy hours without holding others up for long', async () => {
  const store = temporaryStore()
  const first = NOW_MS / HOUR_MS - 720
  await store.write(() => {
    for (let hour = 0; hour < 720; hour += 1) {
      const hours = openHours(store)
      for (let at = 0; at < 220; at += 1)
        hours.take(
          searched(
            impression({
              timeMs: (first + hour) * HOUR_MS,
              queryHash: `h-${hour % 9}-${at}`,
              tookMs: 1 + at,
              sessionId: `s-${hour}-${at}`,
            }),
          ),
        )
      hours.save()
    }
  })
  let longestMs = 0
  let beatMs = ownTimeMs()
  const heart = setInterval(() => {
    longestMs = Math.max(longestMs, ownTimeMs() - beatMs)
    beatMs = ownTimeMs()
  }, 1)
  const report = await makeReport(store, { timeWindow: '30d', limit: 100 }, NOW_MS)
  clearInterval(heart)
  expect(report.searches).toBe(720 * 220)
  expect(report.topQueries).toHaveLength(100)
  expect(Math.abs(report.sessions / (720 * 220) - 1)).toBeLessThan(0.07)
  expect(longestMs).toBeLessThan(500)
})

it('a report says from when on it counts: the first hour is whole', async () => {
  const store = temporaryStore()
  const nowMs = Date.UTC(2026, 4, 10, 16, 51)
  const times = [0, 50, 110, 112].map((minutes) => nowMs - minutes * 60_000)
  await fold(
    store,
    times.map((timeMs) => searched(impression({ timeMs }))),
    10,
  )
  const { from, to, searches } = await makeReport(store, { timeWindow: '1h' }, nowMs)
  expect([from, to]).toEqual(['2026-05-10T15:00:00.000Z', '2026-05-10T16:51:00.000Z'])
  expect(searches).toBe(3)
})

it('everything that an hour has a place for is counted in it, and told by the report', async () => {
  const store = temporaryStore()
  const { unit: _, sessionId: __, ...nobody } = impression()
  const clicked = impression()
  const shown = [clicked, nobody, impression({ total: 0 }), impression()]
  await fold(store, [...shown.map(searched), told(clicked, 1), told(nobody, 0)], 1)
  const row = store.tables.hourReports.get(Math.floor(NOW_MS / HOUR_MS))
  const counted = [row?.all, ...(row?.byType ?? []).map(([, counts]) => counts)]
  expect(counted).toHaveLength(2)
  for (const counts of counted)
    for (const [name, count] of Object.entries(counts ?? {})) expect(count, name).toBeGreaterThan(0)
  const { bySearchType, byHour, ...whole } = await reportOf(store)
  for (const figures of [whole, ...Object.values(bySearchType), ...byHour])
    for (const [name, figure] of Object.entries(figures))
      if (typeof figure === 'number') expect(figure, name).toBeGreaterThan(0)
})
