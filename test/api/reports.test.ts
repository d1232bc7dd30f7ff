import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnalyticsReport } from '../../src/schema/analytics.ts'
import { type RunningApp, startApp } from '../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp({ EXPLORATION_SHARE: '0' })
  for (const title of ['bees and honey', 'bees and wax', 'bees at night'])
    await running.call('POST', '/cortex/documents', {
      index: 'hive',
      document: { title },
    })
})
afterAll(() => running.close())

interface Found {
  hits: { id: string }[]
  total: number
  searchContext: { queryId: string; queryHash: string }
}

async function newSession(body: object = {}): Promise<string> {
  const { data } = await running.call<{ sessionId: string }>('POST', '/cortex/sessions', body)
  return data.sessionId
}

async function search(query: string, sessionId?: string, searchType = 'text'): Promise<Found> {
  const body = { query, searchType, ...(sessionId === undefined ? {} : { sessionId }) }
  return (await running.call<Found>('POST', '/cortex/search', body)).data
}

const click = (sessionId: string, { hits, searchContext }: Found, at: number) =>
  running.call('POST', '/cortex/feedback', {
    sessionId,
    feedback: [
      {
        queryId: searchContext.queryId,
        rating: 1,
        metadata: { userAction: 'click', resultId: hits[at]?.id },
      },
    ],
  })

async function report(query = ''): Promise<AnalyticsReport> {
  const path = `/cortex/analytics/reports${query}`
  return (await running.call<AnalyticsReport>('GET', path)).data
}

describe('GET /cortex/analytics/reports', () => {
  it('has nothing to say before the first search, and says it in nulls', async () => {
    expect(await report()).toMatchObject({
      timeWindow: '24h',
      searches: 0,
      ctr: null,
      mrr: null,
      zeroResultRate: null,
      latency: { p50: null, p95: null, p99: null, avg: null },
      topQueries: [],
      byHour: [],
    })
  })

  it('counts exactly what people did, the last of it included', async () => {
    const ann = await newSession({ userId: 'ann' })
    const anns = await newSession({ userId: 'ann' })
    const bob = await newSession()
    const first = await search('bees', ann)
    expect(first.hits).toHaveLength(3)
    await click(ann, first, 1)
    await click(ann, first, 2)
    await click(anns, await search('bees', anns), 0)
    await search('bees', bob)
    await search('unicorns', bob)
    await search('wax', undefined, 'hybrid')
    await search('wax', 'no session', 'hybrid')
    await running.call('POST', '/cortex/analytics', { eventType: 'scroll' })
    const all = await report()
    expect(all).toMatchObject({ searches: 6, clickable: 4, clicks: 2, ctr: 0.5 })
    expect(all).toMatchObject({ sessions: 3, units: 2 })
    expect(all.mrr).toBeCloseTo((1 / 2 + 1) / 4, 10)
    expect(all.zeroResultRate).toBe(1 / 6)
    const { queryHash } = first.searchContext
    expect(all.topQueries[0]).toEqual({
      query: 'bees',
      queryHash,
      searches: 3,
      clickable: 3,
      clicks: 2,
      ctr: 2 / 3,
    })
    const patterns = await running.call<{
      searches: number
      topQueries: { queryHash: string; clickable: number; clicked: number }[]
    }>('GET', '/nous/learn/search-patterns')
    expect(patterns.data.searches).toBe(all.searches)
    for (const { query, clicks, ...same } of all.topQueries)
      expect(
        patterns.data.topQueries.find(({ queryHash }) => queryHash === same.queryHash),
      ).toMatchObject({
        ...same,
        query,
        clicked: clicks,
        ctr: same.ctr && Number(same.ctr.toFixed(6)),
      })
    expect(all.zeroResultQueries).toMatchObject([{ query: 'unicorns', searches: 1 }])
    expect(all.bySearchType).toMatchObject({
      text: { searches: 4, clicks: 2, zeroResultRate: 0.25 },
      hybrid: { searches: 2, clickable: 0, clicks: 0, ctr: null },
    })
    expect(all.feedback).toEqual({ total: 3, byStatus: { LEARNED: 3 } })
    expect(all.events).toEqual({ total: 1, byType: { scroll: 1 } })
    const { p50, p95, p99, avg } = all.latency
    for (const took of [p50, p95, p99, avg]) expect(took).toBeGreaterThan(0)
    expect(p50).toBeLessThanOrEqual(p95 as number)
    expect(all.byHour.reduce((sum, { searches }) => sum + searches, 0)).toBe(6)
  })

  it('answers for each window, and says the same after a restart', async () => {
    const before = await report()
    await running.restart()
    for (const timeWindow of ['1h', '24h', '7d', '30d']) {
      const {
        from: _,
        to: __,
        timeWindow: named,
        ...figures
      } = await report(`?timeWindow=${timeWindow}`)
      expect(named).toBe(timeWindow)
      expect({ ...before, ...figures }).toEqual(before)
    }
  })

  it('counts a list as one search, on however many of its pages hits are clicked', async () => {
    const before = await report()
    const sessionId = await newSession()
    type Page = Found & { nextCursor: string }
    const page = async (more: object) => {
      const body = {
        query: 'bees honey wax night',
        searchType: 'text',
        size: 1,
        sessionId,
        ...more,
      }
      return (await running.call<Page>('POST', '/cortex/search', body)).data
    }
    const first = await page({})
    const pages = [await page({ from: 2 }), await page({ cursor: first.nextCursor }), first]
    for (const each of pages.slice(0, 2)) await click(sessionId, each, 0)
    const counts = { searches: 1, clickable: 1, clicks: 1, ctr: 1 }
    const { queryHash } = first.searchContext
    const own = async () => {
      const all = await report()
      expect(all.clicks).toBe(before.clicks + 1)
      expect(all.searches).toBe(before.searches + 1)
      expect(all.topQueries.find((each) => each.queryHash === queryHash)).toMatchObject(counts)
      return (all.mrr ?? 0) * all.clickable - (before.mrr ?? 0) * before.clickable
    }
    expect(await own()).toBeCloseTo(1 / 2, 10)
    await click(sessionId, first, 0)
    expect(await own()).toBeCloseTo(1, 10)
    const { data } = await running.call<{
      topQueries: { queryHash: string; searches: number; clicked: number }[]
    }>('GET', '/nous/learn/search-patterns')
    expect(data.topQueries.find((each) => each.queryHash === queryHash)).toMatchObject({
      ...{ searches: 1, clicked: 1 },
    })
  })

  it('shows as many queries as are asked for', async () => {
    expect((await report('?limit=1')).topQueries).toHaveLength(1)
  })

  it('reads the window in any case, and names it in one', async () => {
    expect((await report('?timeWindow=24H')).timeWindow).toBe('24h')
  })

  it.each(['2h', '30', ''])('refuses the window %j', async (timeWindow) => {
    const path = `/cortex/analytics/reports?timeWindow=${timeWindow}`
    const { status, details } = await running.call('GET', path)
    expect(status).toBe(400)
    expect(details).toEqual([{ path: 'timeWindow', message: 'must be one of 1h, 24h, 7d, 30d' }])
  })
})
