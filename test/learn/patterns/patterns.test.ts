import { describe, expect, it, vi } from 'vitest'
import { openWorkshop, type Workshop } from '../adaptations/workshop.ts'
import { showing } from '../impressions/parts.ts'
import { DAY_MS, MINUTE_MS, QUERY_HASH } from '../learner.ts'

const HOUR_MS = 60 * MINUTE_MS

async function searches(
  shop: Workshop,
  query: Parameters<Workshop['patterns']['searches']>[0] = {},
) {
  await shop.loop.caughtUp()
  return shop.patterns.searches(query)
}

async function feedback(shop: Workshop, window = '24h') {
  await shop.loop.caughtUp()
  return shop.patterns.feedback({ window, limit: 50 })
}

/** A search and a click on its hit at `place` from 0. */
async function click(shop: Workshop, session: string, documentId: string, more = {}) {
  const queryId = shop.searchIn(session, more)
  await shop.log.flush()
  await shop.tell(session, queryId, documentId)
  return queryId
}

describe('the patterns of searches', () => {
  it('count queries, their clicks and what they did not find', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    await click(shop, session, 'd')
    shop.searchIn(session)
    shop.searchIn(undefined)
    shop.searchIn(session, { from: 10 })
    shop.searchIn(undefined, { queryHash: 'q-none', query: 'nothing', total: 0, ...showing([]) })
    const { topQueries, zeroResultQueries, ...found } = await searches(shop)
    expect(found).toMatchObject({ window: '24h', queries: 2, searches: 4 })
    expect(topQueries).toMatchObject([
      {
        ...{ queryHash: QUERY_HASH, query: 'one', searches: 3, clickable: 2, clicked: 1, ctr: 0.5 },
        clickPosition: 4,
        documents: [{ id: 'd', index: 'shop', clicks: 1, position: 4 }],
      },
      { queryHash: 'q-none', searches: 1, zeroResults: 1, ctr: null },
    ])
    expect(zeroResultQueries.map(({ query }) => query)).toEqual(['nothing'])
    expect((await searches(shop, { limit: 1 })).topQueries).toHaveLength(1)
  })

  it('count a list once, on however many of its pages hits are clicked', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const list = shop.searchIn(session)
    shop.searchIn(session)
    for (const from of [4, 8]) await click(shop, session, 'd', { from, list })
    await shop.tell(session, list, 'b')
    const counts = { searches: 2, clickable: 2, clicked: 1, ctr: 0.5, clickPosition: 8 }
    expect((await searches(shop)).topQueries).toMatchObject([counts])
    const { byDevice, byPosition } = await feedback(shop)
    expect(byDevice).toMatchObject([{ searches: 2, clicked: 1, ctr: 0.5 }])
    expect(byPosition.filter(({ clicked }) => clicked > 0)).toMatchObject([{ position: 8 }])
  })

  it('count a click that names no hit, whose place is not known', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const lists = [shop.searchIn(session), shop.searchIn(session), shop.searchIn(session)]
    await shop.log.flush()
    for (const [list, resultId] of [
      [0, undefined],
      [1, undefined],
      [1, 'd'],
    ] as const)
      await shop.tell(session, lists[list]!, resultId)
    const counts = { searches: 3, clickable: 3, clicked: 2, ctr: 0.666667, clickPosition: 4 }
    const documents = [{ id: 'd', clicks: 1, position: 4 }]
    expect((await searches(shop)).topQueries).toMatchObject([{ ...counts, documents }])
    const { byDevice, byPosition } = await feedback(shop)
    expect(byDevice).toMatchObject([{ searches: 3, clicked: 2, ctr: 0.666667 }])
    expect(byPosition.filter(({ clicked }) => clicked > 0)).toMatchObject([{ position: 4 }])
    const again = await shop.reopen()
    expect((await searches(again)).topQueries).toMatchObject([{ ...counts, documents }])
  })

  it.each([
    ['an hour', HOUR_MS],
    ['two days', 2 * DAY_MS],
  ])('keep no words longer than retention of %s lets them, by whole days', async (_, keptMs) => {
    const shop = openWorkshop()
    const { queryPatterns, reformulations, feedbackPatterns } = shop.store.tables
    const words = () =>
      [...queryPatterns.range(), ...reformulations.range()].flatMap(({ value }) =>
        value.slice(0, 2),
      )
    const session = await shop.session()
    await click(shop, session, 'd', { queryHash: 'from', query: 'old words' })
    shop.searchIn(session, { queryHash: 'then', query: 'other old words' })
    shop.searchIn(session, { queryHash: 'to', query: 'old words again' })
    await searches(shop)
    expect(words()).toEqual(expect.arrayContaining(['old words', 'other old words']))
    const sweep = () => shop.patterns.sweep(shop.clock.nowMs - keptMs)
    expect(await sweep()).toBe(0)
    shop.clock.nowMs += keptMs
    // Before they are a day's counts, and in memory, too.
    if (keptMs > DAY_MS) shop.searchIn(await shop.session(), { query: 'new words' })
    await searches(shop)
    shop.clock.nowMs += DAY_MS
    while ((await sweep()) > 0);
    expect(words()).not.toContainEqual(expect.stringContaining('old words'))
    expect(words()).toEqual(keptMs > DAY_MS ? expect.arrayContaining(['new words']) : [])
    expect(feedbackPatterns.count()).toBe(keptMs > DAY_MS ? 1 : 0)
    shop.searchIn(undefined, { queryHash: 'newer', query: 'newer words' })
    const found = await searches(shop, { window: '30d' })
    expect(found.topQueries.map(({ query }) => query)).toContain('newer words')
    expect(words()).not.toContainEqual(expect.stringContaining('old words'))
  })

  it('take a click on a further page for one on the list: who goes on to other words had found something', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const list = shop.searchIn(session, { queryHash: 'from', query: 'from' })
    await click(shop, session, 'd', { queryHash: 'from', query: 'from', from: 10, list })
    shop.searchIn(session, { queryHash: 'to', query: 'to' })
    expect((await searches(shop)).reformulations).toEqual([])
  })

  it('count a click on a search of nobody, and take no rate of it', async () => {
    const shop = openWorkshop()
    const queryId = shop.searchIn(undefined)
    shop.searchIn(undefined)
    await shop.log.flush()
    await shop.tell(await shop.session(), queryId, 'd')
    expect((await searches(shop)).topQueries).toMatchObject([
      { searches: 2, clickable: 0, clicked: 1, ctr: null, clickPosition: 4 },
    ])
    const change = await shop.apply({ minScore: 0.5 }, { queryHash: QUERY_HASH })
    expect(change.metrics.before).toMatchObject({ searches: 2, ctr: null, mrr: null })
    shop.searchIn(await shop.session())
    expect((await searches(shop)).topQueries).toMatchObject([
      { searches: 3, clickable: 1, clicked: 1, ctr: 0 },
    ])
  })

  it('are those of the window that is asked for', async () => {
    const shop = openWorkshop()
    shop.searchIn(undefined)
    await shop.pass(3 * HOUR_MS)
    shop.searchIn(undefined, { queryHash: 'later' })
    expect((await searches(shop, { window: '1h' })).searches).toBe(1)
    expect((await searches(shop, { timeWindow: '24H' })).searches).toBe(2)
    await shop.pass(3 * DAY_MS)
    shop.searchIn(undefined)
    expect((await searches(shop, { window: '24h' })).searches).toBe(1)
    expect((await searches(shop, { window: '7d' })).searches).toBe(3)
    await shop.pass(40 * DAY_MS)
    shop.searchIn(undefined)
    expect((await searches(shop, { window: '30d' })).searches).toBe(1)
    expect([...shop.store.tables.queryPatterns.keys()]).toHaveLength(1)
    await expect(shop.patterns.searches({ window: '2y' })).rejects.toThrow(/^window must be one of/)
    await expect(shop.patterns.searches({ timeWindow: '2y' })).rejects.toThrow(
      /^timeWindow must be one of/,
    )
  })

  it('are read in slices, and count an hour once that goes into its day meanwhile', async () => {
    const shop = openWorkshop()
    const searchAll = (day: string) => {
      for (let at = 0; at < 250; at += 1) shop.searchIn(undefined, { queryHash: `${day}${at}` })
    }
    searchAll('before')
    await shop.pass(DAY_MS)
    searchAll('today')
    await shop.loop.caughtUp()
    let goOn: (() => void) | undefined
    let ms = performance.now()
    const time = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 5))
    const pause = vi
      .spyOn(globalThis, 'setImmediate')
      .mockImplementationOnce((turn: () => void) => {
        goOn = turn
        return {} as NodeJS.Immediate
      })
    const reading = shop.patterns.searches({ window: '7d' })
    time.mockRestore()
    pause.mockRestore()
    await shop.pass(HOUR_MS)
    shop.searchIn(undefined, { queryHash: 'later' })
    await shop.loop.caughtUp()
    goOn?.()
    expect(await reading).toMatchObject({ searches: 501, queries: 501 })
  })

  it('count an hour in its day once, also what comes late, and after the service is opened anew', async () => {
    const shop = openWorkshop()
    const session = await shop.session('ann')
    const counts = async (at: Workshop, window: string) => {
      const { topQueries } = await searches(at, { window })
      return topQueries.map(({ searches: made, clicked }) => [made, clicked])
    }
    const late = shop.searchIn(session)
    shop.searchIn(session)
    for (const window of ['24h', '7d']) expect(await counts(shop, window)).toEqual([[2, 0]])
    await shop.pass(HOUR_MS)
    shop.searchIn(undefined, { queryHash: 'other' })
    await shop.log.flush()
    await shop.tell(await shop.session('ann'), late, 'c')
    const both = [
      [2, 1],
      [1, 0],
    ]
    for (const window of ['24h', '7d', '30d']) expect(await counts(shop, window)).toEqual(both)
    const again = await shop.reopen()
    expect(await counts(again, '7d')).toEqual(both)
    await again.pass(HOUR_MS)
    again.searchIn(undefined)
    const newer = [
      [3, 1],
      [1, 0],
    ]
    for (const window of ['24h', '7d']) expect(await counts(again, window)).toEqual(newer)
    expect(again.patterns.armOf(QUERY_HASH)).toMatchObject({ searches: 3, clicked: 1 })
    const rows = () => JSON.stringify([...again.store.tables.queryPatterns.range()])
    const before = rows()
    await again.loop.rebuild()
    expect(rows()).toBe(before)
  })

  it.each([7, 3650])(
    'go on by the hour and the day once a clock %i days ahead is right',
    async (days) => {
      let shop = openWorkshop()
      shop.clock.nowMs += days * DAY_MS
      shop.searchIn(undefined)
      await shop.pass(-days * DAY_MS)
      const counted = async () => {
        const windows = ['1h', '24h', '7d', '30d'] as const
        const found = await Promise.all(windows.map((window) => searches(shop, { window })))
        return found.map((each) => each.searches)
      }
      for (let time = 0; time < 3; time += 1) shop.searchIn(undefined)
      expect(await counted()).toEqual([3, 3, 3, 3])
      await shop.pass(HOUR_MS)
      shop.searchIn(undefined)
      expect(await counted()).toEqual([4, 4, 4, 4])
      shop = await shop.reopen()
      shop.searchIn(undefined)
      expect(await counted()).toEqual([5, 5, 5, 5])
      const session = await shop.session()
      await click(shop, session, 'd')
      expect((await feedback(shop, '1h')).entries).toBe(1)
    },
  )

  it.each([30, 9600])(
    'count an hour once that comes again as the clock was set back by %i hours for a while',
    async (hours) => {
      const shop = openWorkshop()
      for (let hour = 0; hour < 40; hour += 1) {
        shop.searchIn(undefined)
        await shop.pass(HOUR_MS)
      }
      shop.searchIn(undefined)
      await shop.pass(-hours * HOUR_MS)
      shop.searchIn(undefined)
      await shop.pass(hours * HOUR_MS)
      shop.searchIn(undefined)
      await shop.pass(HOUR_MS)
      shop.searchIn(undefined)
      expect((await searches(shop, { window: '7d' })).searches).toBe(hours === 30 ? 44 : 43)
    },
  )

  it('go on with days that were written without a mark of their newest hour', async () => {
    const shop = openWorkshop()
    shop.searchIn(undefined)
    await shop.loop.caughtUp()
    const { queryPatterns, meta } = shop.store.tables
    await shop.store.write(() => {
      for (const { key, value } of [...queryPatterns.range()])
        queryPatterns.put([24, Math.floor(key[1] / 24), key[2]], value)
      meta.remove('newest hour of query patterns')
    })
    const again = await shop.reopen()
    for (const window of ['24h', '7d']) expect((await searches(again, { window })).searches).toBe(1)
    again.searchIn(undefined)
    for (const window of ['24h', '7d']) expect((await searches(again, { window })).searches).toBe(2)
    await again.pass(HOUR_MS)
    again.searchIn(undefined, { timeMs: again.clock.nowMs })
    for (const window of ['24h', '7d']) expect((await searches(again, { window })).searches).toBe(3)
  })

  it('see a query put in other words: same session, soon after, the first one not clicked', async () => {
    const shop = openWorkshop()
    const [ann, bob, cid, dan] = await Promise.all([1, 2, 3, 4].map(() => shop.session()))
    const at = (queryHash: string) => ({ queryHash, query: queryHash, timeMs: shop.clock.nowMs })
    shop.searchIn(ann, { ...at('from'), total: 0, ...showing([]) })
    shop.searchIn(bob, at('from'))
    await click(shop, cid!, 'a', at('from'))
    shop.searchIn(dan, at('from'))
    await shop.log.flush()
    shop.clock.nowMs += 4 * MINUTE_MS
    await click(shop, ann!, 'b', at('to'))
    shop.searchIn(bob, at('to'))
    shop.searchIn(bob, at('to'))
    shop.searchIn(cid, at('to'))
    await shop.log.flush()
    shop.clock.nowMs += 2 * MINUTE_MS
    shop.searchIn(dan, at('to'))
    expect((await searches(shop)).reformulations).toEqual([
      {
        ...{ from: 'from', fromQuery: 'from', to: 'to', toQuery: 'to' },
        ...{ count: 2, fromNothing: 1, clicked: 1 },
      },
    ])
  })

  it('take who clicked without naming a hit for one who found something, also once it is reckoned anew', async () => {
    const shop = openWorkshop()
    const [ann, bob] = [await shop.session(), await shop.session()]
    for (const session of [ann, bob]) {
      const queryId = shop.searchIn(session, { queryHash: 'from', query: 'from' })
      await shop.log.flush()
      if (session === ann) await shop.tell(session, queryId, undefined)
      shop.searchIn(session, { queryHash: 'to', query: 'to' })
    }
    const counted = [{ from: 'from', to: 'to', count: 1, clicked: 0 }]
    expect((await searches(shop)).reformulations).toMatchObject(counted)
    await shop.loop.rebuild()
    const { reformulations, topQueries } = await searches(shop)
    expect(reformulations).toMatchObject(counted)
    expect(topQueries.map(({ clicked }) => clicked)).toEqual([1, 0])
  })

  it('show queries whose clicks lie far down', async () => {
    const shop = openWorkshop()
    for (let user = 0; user < 5; user += 1) await click(shop, await shop.session(), 'h')
    for (let user = 0; user < 5; user += 1)
      await click(shop, await shop.session(), 'b', { queryHash: 'well' })
    expect((await searches(shop)).clicksFarDown).toMatchObject([
      { queryHash: QUERY_HASH, clickPosition: 8 },
    ])
  })

  it('keep the most frequent queries, whatever else is asked', async () => {
    const shop = openWorkshop()
    for (let search = 0; search < 3; search += 1) shop.searchIn(undefined, { queryHash: 'often' })
    for (let query = 0; query < 1500; query += 1)
      shop.searchIn(undefined, { queryHash: `rare-${query}` })
    await shop.loop.caughtUp()
    const rows = [...shop.store.tables.queryPatterns.keys()]
    expect(rows.filter(([hours]) => hours === 1).length).toBeLessThanOrEqual(625)
    expect(rows.filter(([hours]) => hours === 24).length).toBeLessThanOrEqual(1250)
    for (const window of ['1h', '7d'])
      expect((await searches(shop, { window })).topQueries[0]).toMatchObject({
        ...{ queryHash: 'often', searches: 3 },
      })
  })

  it('go on where they were when the service is opened anew', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    shop.searchIn(session, { queryHash: 'from' })
    const again = await shop.reopen()
    again.clock.nowMs += MINUTE_MS
    again.searchIn(session, { queryHash: 'to', timeMs: again.clock.nowMs })
    const { topQueries, reformulations } = await searches(again)
    expect(topQueries.map(({ searches: count }) => count)).toEqual([1, 1])
    expect(reformulations).toMatchObject([{ from: 'from', to: 'to', count: 1 }])
  })
})

describe('the patterns of feedback', () => {
  it('count by action, position, device and rating', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const queryId = await click(shop, session, 'c', { deviceType: 'Phone' })
    await shop.tell(session, queryId, 'a', { userAction: 'bookmark' }, 0.2)
    await shop.tell(session, queryId, 'c')
    await shop.tell(session, 'unknown', 'c', { userAction: 'dwell' }, 4)
    shop.searchIn(session)
    shop.searchIn(undefined)
    const told = await feedback(shop)
    expect(told).toMatchObject({ entries: 4, unmatched: 1, duplicates: 1 })
    expect(told.byAction).toEqual(
      expect.arrayContaining([
        { action: 'click', count: 1 },
        { action: 'bookmark', count: 1 },
        { action: 'dwell', count: 1 },
      ]),
    )
    expect(told.byPosition).toHaveLength(10)
    expect(told.byPosition[2]).toEqual({ position: 3, shown: 2, clicked: 1, ctr: 0.5 })
    expect(told.byPosition[0]).toEqual({ position: 1, shown: 2, clicked: 0, ctr: 0 })
    expect(told.byDevice).toEqual(
      expect.arrayContaining([
        { deviceType: 'phone', searches: 1, clicked: 1, ctr: 1, entries: 2 },
        { deviceType: 'unknown', searches: 1, clicked: 0, ctr: 0, entries: 1 },
      ]),
    )
    expect(told.ratings.average).toBeCloseTo((1 + 0.2 + 0.8) / 3)
    expect(told.ratings.distribution.map(({ count }) => count)).toEqual([
      ...[0, 0, 1, 0, 0, 0, 0, 0, 1, 1],
    ])
  })

  it('keep few actions and devices, and count the others together', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const entries = Array.from({ length: 100 }, (_, at) => ({
      ...{ queryId: 'q', rating: 1 },
      metadata: { userAction: `action-${at}`, resultId: 'a' },
    }))
    await shop.feedback.submit({ sessionId: session, feedback: entries })
    for (let device = 0; device < 40; device += 1)
      shop.searchIn(session, { deviceType: `device-${device}` })
    const told = await feedback(shop)
    expect(told.byAction[0]).toEqual({ action: 'other', count: 36 })
    expect(told.byDevice.reduce((sum, each) => sum + each.searches, 0)).toBe(40)
    expect(told.byDevice.length).toBeLessThanOrEqual(33)
  })

  it('know a device whose name is cut by the same one after a restart', async () => {
    const deviceType = `a${'😀'.repeat(60)}`
    const shop = openWorkshop()
    shop.searchIn(await shop.session(), { deviceType })
    await feedback(shop)
    const again = await shop.reopen()
    again.searchIn(await again.session(), { deviceType })
    const { byDevice } = await feedback(again)
    expect(byDevice).toMatchObject([{ deviceType: `a${'😀'.repeat(31)}`, searches: 2 }])
  })

  it('count what was told within the window, whenever it was done, as reports do', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const queryId = shop.searchIn(session)
    await shop.log.flush()
    const { nowMs } = shop.clock
    const nextHourMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS
    shop.clock.nowMs = nextHourMs - MINUTE_MS
    const times = [nextHourMs + MINUTE_MS, nowMs - 2 * DAY_MS, nowMs - 40 * DAY_MS]
    for (const [at, timestamp] of times.entries())
      await shop.tell(session, queryId, 'abc'[at]!, { userAction: 'click', timestamp }, at / 2)
    const told = await feedback(shop, '1h')
    expect(told).toMatchObject({ entries: 3, byAction: [{ action: 'click', count: 3 }] })
    expect(told.ratings.average).toBe(0.5)
    shop.clock.nowMs += 4 * HOUR_MS
    expect(await feedback(shop, '1h')).toMatchObject({ entries: 0 })
    expect(await feedback(shop, '24h')).toMatchObject({ entries: 3 })
  })

  it('are empty, and say so, before anything happened', async () => {
    const shop = openWorkshop()
    expect(await feedback(shop)).toMatchObject({
      ...{ entries: 0, byAction: [], byPosition: [], byDevice: [] },
      ratings: { average: null },
    })
  })
})
