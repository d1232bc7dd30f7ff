import { describe, expect, it } from 'vitest'
import type { Adaptation } from '../../../src/schema/adaptation.ts'
import { MINUTE_MS, QUERY_HASH } from '../learner.ts'
import { DOCUMENTS, openWorkshop, type Workshop } from './workshop.ts'

const HALF = { ADAPTATION_CANARY_SHARE: '0.5', ADAPTATION_CANARY_MS: '3600000' }

/** Searches by new users: those in canary and those out of it, told apart by `having`. */
async function traffic(
  shop: Workshop,
  users: number,
  act: (session: string, having: boolean) => unknown,
) {
  const sessions = await Promise.all(Array.from({ length: users }, () => shop.session()))
  for (const session of sessions) await act(session, shop.applying(session).length > 0)
}

/** A search whose first hit is clicked with a chance; chance is made by turns, so that runs are alike. */
function searcher(shop: Workshop) {
  const turns = { with: 0, without: 0 }
  return async (session: string, having: boolean, everyNth: number) => {
    const queryId = shop.searchIn(session)
    turns[having ? 'with' : 'without'] += 1
    if (turns[having ? 'with' : 'without'] % everyNth !== 0) return undefined
    await shop.log.flush()
    return shop.tell(session, queryId, DOCUMENTS[0]!)
  }
}

async function statusOf(shop: Workshop, { adaptationId }: { adaptationId: string }) {
  await shop.pass(1000)
  return shop.adaptations.get(adaptationId).status
}

function lastEvent({ store }: Workshop) {
  return [...store.tables.events.range({ reverse: true, limit: 1 })][0]!.value
}

describe('a change in canary', () => {
  it('is taken back when its searches are clicked far less than those of the same time', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply({ minScore: 0.5 })
    const search = searcher(shop)
    await traffic(shop, 150, (session, having) => search(session, having, having ? 20 : 2))
    expect(await statusOf(shop, change)).toBe('CANARY')
    await traffic(shop, 150, (session, having) => search(session, having, having ? 20 : 2))
    expect(await statusOf(shop, change)).toBe('ROLLED_BACK')
    expect(shop.applying()).toEqual([])
    const event = lastEvent(shop)
    expect(event).toMatchObject({
      type: 'ADAPTATION_ROLLED_BACK',
      adaptationId: change.adaptationId,
      data: { figures: { metric: 'ctr', operator: 'drop', comparedWith: 'same time' } },
    })
    const figures = (event.data as Record<string, unknown>).figures as {
      value: number
      without: number
      samples: number
    }
    expect(figures.value).toBeLessThan(0.1)
    expect(figures.without).toBeCloseTo(0.5, 1)
    expect(figures.samples).toBeGreaterThanOrEqual(100)
  })

  it('stays when it is clicked like the others', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply({ minScore: 0.5 })
    const search = searcher(shop)
    await traffic(shop, 300, (session, having) => search(session, having, 2))
    expect(await statusOf(shop, change)).toBe('CANARY')
  })

  it('is compared with searches of the same time alone, and waits for them', async () => {
    const shop = openWorkshop({ ...HALF, ADAPTATION_CANARY_SHARE: '1' })
    const search = searcher(shop)
    await traffic(shop, 150, (session, having) => search(session, having, 2))
    await shop.pass(MINUTE_MS)
    const change = await shop.apply({ minScore: 0.5 })
    expect(change.metrics.before).toMatchObject({ searches: 150, ctr: 0.5 })
    await traffic(shop, 150, (session) => shop.searchIn(session))
    expect(await statusOf(shop, change)).toBe('CANARY')
    expect(shop.adaptations.get(change.adaptationId).metrics.with).toMatchObject({ ctr: 0 })
  })

  it('is not judged by one busy unit', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply({ minScore: 0.5 })
    const search = searcher(shop)
    await traffic(shop, 160, async (session, having) => {
      await search(session, having, 1)
    })
    // One unit with the change searches as much as all others together, and never clicks.
    let busy = await shop.session()
    while (shop.applying(busy).length === 0) busy = await shop.session()
    for (let search = 0; search < 100; search += 1) shop.searchIn(busy)
    expect(await statusOf(shop, change)).toBe('CANARY')
    const { metrics } = shop.adaptations.get(change.adaptationId)
    expect(metrics.with.ctr).toBeLessThan(0.6)
    expect(metrics.without.ctr).toBe(1)
  })

  it('is taken back when it finds nothing where others find something', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply({ minScore: 0.5 })
    await traffic(shop, 300, (session, having) => {
      shop.searchIn(session, { total: having ? 0 : 5 })
    })
    expect(await statusOf(shop, change)).toBe('ROLLED_BACK')
    expect(shop.adaptations.get(change.adaptationId).history.at(-1)?.reason).toBe(
      'zeroResultRate rise 0.1: 1',
    )
  })

  it('is taken back when it takes more than twice the time', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply({ minScore: 0.5 })
    const slow = (ms: number) =>
      traffic(shop, 260, (session, having) => {
        shop.searchIn(session, { tookMs: having ? ms : 2 })
      })
    await slow(8)
    expect(await statusOf(shop, change)).toBe('CANARY')
    await slow(40)
    expect(await statusOf(shop, change)).toBe('ROLLED_BACK')
    const { data } = lastEvent(shop)
    expect(data).toMatchObject({
      reason: expect.stringMatching(/^latencyP95 times 2: /),
      figures: {
        ...{ metric: 'latencyP95', comparedWith: 'same time' },
        certainty: {
          of: expect.stringMatching(/^searches slower than .* ms$/),
          with: expect.any(Number),
          interval: [expect.any(Number), 1],
        },
      },
    })
  })

  it('is not taken back for times that differ by chance, though the figure is beyond twice', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply({ minScore: 0.5 })
    const turns = { with: 0, without: 0 }
    // Every 16th search with the change is slow, every 25th without it: 6 and 4 %.
    await traffic(shop, 300, (session, having) => {
      const turn = having ? 'with' : 'without'
      turns[turn] += 1
      const tookMs = turns[turn] % (having ? 16 : 25) === 0 ? 900 : 30
      shop.searchIn(session, { tookMs })
    })
    expect(await statusOf(shop, change)).toBe('CANARY')
    const { metrics } = shop.adaptations.get(change.adaptationId)
    expect(metrics.with.latencyP95).toBeGreaterThan(2 * metrics.without.latencyP95!)
  })

  it('is not judged by few units, however often they search', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply({ minScore: 0.5 })
    const search = searcher(shop)
    await traffic(shop, 30, async (session, having) => {
      for (let each = 0; each < 20; each += 1) await search(session, having, having ? 5 : 2)
    })
    const { metrics, status } = shop.adaptations.get(change.adaptationId)
    expect(metrics.with.searches).toBeGreaterThan(100)
    expect(metrics.with.ctr).toBeLessThan(0.8 * metrics.without.ctr!)
    expect([await statusOf(shop, change), status]).toEqual(['CANARY', 'CANARY'])
  })
})

describe('a change that applies to all', () => {
  it('is compared with the searches before it, once clicks had the time to come', async () => {
    const shop = openWorkshop()
    const search = searcher(shop)
    await traffic(shop, 150, (session) => search(session, false, 2))
    await shop.pass(MINUTE_MS)
    const change = await shop.apply({ minScore: 0.5 }, { immediate: true })
    expect(change.metrics.before).toMatchObject({ searches: 150, ctr: 0.5 })
    await traffic(shop, 150, (session) => search(session, true, 1000))
    expect(await statusOf(shop, change)).toBe('ACTIVE')
    await shop.pass(2 * MINUTE_MS)
    expect(shop.adaptations.get(change.adaptationId).status).toBe('ROLLED_BACK')
    expect(lastEvent(shop).data).toMatchObject({
      figures: { comparedWith: 'before', samples: 150, certainty: { of: 'ctr', with: 0 } },
    })
  })

  it('is not compared by the clicks of a minute that ended just now: more of them are on their way', async () => {
    const shop = openWorkshop()
    const search = searcher(shop)
    await traffic(shop, 150, (session) => search(session, false, 2))
    await shop.pass(MINUTE_MS)
    const change = await shop.apply({ minScore: 0.5 }, { immediate: true })
    await traffic(shop, 150, (session) => search(session, true, 1000))
    await shop.pass(MINUTE_MS - (shop.clock.nowMs % MINUTE_MS) + 5000)
    expect(shop.adaptations.get(change.adaptationId).status).toBe('ACTIVE')
    await shop.pass(30_000)
    expect(shop.adaptations.get(change.adaptationId).status).toBe('ROLLED_BACK')
  })

  it('is not taken back by one user, in however many sessions', async () => {
    const shop = openWorkshop()
    await traffic(shop, 150, (session) => shop.searchIn(session))
    await shop.pass(MINUTE_MS)
    const change = await shop.apply({ minScore: 0.5 }, { immediate: true })
    for (let session = 0; session < 300; session += 1)
      shop.searchIn(await shop.session('ann'), { total: 0, tookMs: 900 })
    await shop.pass(2 * MINUTE_MS)
    const { status, metrics } = shop.adaptations.get(change.adaptationId)
    expect(status).toBe('ACTIVE')
    expect(metrics.with).toMatchObject({ searches: 300, units: 1, zeroResultRate: 1, ctr: 0 })
  })

  it('of one query is compared with the past of that query', async () => {
    const shop = openWorkshop()
    await traffic(shop, 120, (session) => {
      shop.searchIn(session)
    })
    await shop.loop.caughtUp()
    const change = await shop.apply({ minScore: 0.5 }, { immediate: true, queryHash: QUERY_HASH })
    expect(change.metrics.before).toMatchObject({ searches: 120, zeroResultRate: 0 })
    await traffic(shop, 120, (session) => {
      shop.searchIn(session, { queryHash: 'another', total: 0 })
    })
    expect(await statusOf(shop, change)).toBe('ACTIVE')
    await traffic(shop, 120, (session) => {
      shop.searchIn(session, { total: 0 })
    })
    expect(await statusOf(shop, change)).toBe('ROLLED_BACK')
  })

  it('of one query is taken back when its first clicks lie further down than before', async () => {
    const shop = openWorkshop()
    const clickAt = (place: number) =>
      traffic(shop, 8, async (session) => {
        const queryId = shop.searchIn(session)
        await shop.log.flush()
        await shop.tell(session, queryId, DOCUMENTS[place]!)
      })
    await clickAt(0)
    await shop.loop.caughtUp()
    const trigger = { metric: 'mrr', operator: 'drop', threshold: 0.2, window: '10m' }
    const more = { immediate: true, queryHash: QUERY_HASH }
    const rollbackTriggers = [{ ...trigger, minSamples: 5 }]
    const change = await shop.apply({ minScore: 0.5 }, { ...more, rollbackTriggers })
    expect(change.metrics.before).toMatchObject({ searches: 8, ctr: 1, mrr: 1 })
    expect(change.warnings).toBeUndefined()
    await clickAt(2)
    expect(await statusOf(shop, change)).toBe('ACTIVE')
    await shop.pass(2 * MINUTE_MS)
    const { status, history } = shop.adaptations.get(change.adaptationId)
    expect(status).toBe('ROLLED_BACK')
    expect(history.at(-1)?.reason).toBe('mrr drop 0.2: 0.6667')
  })
})

describe('a trigger of the caller', () => {
  const triggers = (trigger: Record<string, unknown>): Partial<Adaptation> => ({
    immediate: true,
    rollbackTriggers: [trigger],
  })

  it('fires as soon as its own figure is reached', async () => {
    const shop = openWorkshop()
    const limit = { metric: 'zeroResultRate', operator: '>', threshold: 0.5, minSamples: 5 }
    const change = await shop.apply({ minScore: 0.5 }, triggers(limit))
    for (let search = 0; search < 4; search += 1) shop.searchIn(undefined, { total: 0 })
    expect(await statusOf(shop, change)).toBe('ACTIVE')
    shop.searchIn(undefined, { total: 0 })
    expect(await statusOf(shop, change)).toBe('ROLLED_BACK')
  })

  it.each([
    ['<=', 'ROLLED_BACK'],
    ['<', 'ACTIVE'],
    ['>=', 'ROLLED_BACK'],
    ['>', 'ACTIVE'],
  ])('with %s, at the figure that it names: %s', async (operator, status) => {
    const shop = openWorkshop()
    const limit = { metric: 'zeroResultRate', operator, threshold: 0.5, minSamples: 4 }
    const change = await shop.apply({ minScore: 0.5 }, triggers(limit))
    for (const total of [0, 5, 0, 5]) shop.searchIn(undefined, { total })
    expect(await statusOf(shop, change)).toBe(status)
  })

  it('looks back as far as its window, and no further', async () => {
    const shop = openWorkshop()
    const limit = { metric: 'zeroResultRate', operator: 'gt', threshold: 0.5, window: '5m' }
    const change = await shop.apply({ minScore: 0.5 }, triggers({ ...limit, minSamples: 10 }))
    for (let search = 0; search < 9; search += 1) shop.searchIn(undefined, { total: 0 })
    await shop.pass(10 * MINUTE_MS)
    shop.searchIn(undefined, { total: 0 })
    expect(await statusOf(shop, change)).toBe('ACTIVE')
    for (let search = 0; search < 9; search += 1) shop.searchIn(undefined, { total: 0 })
    expect(await statusOf(shop, change)).toBe('ROLLED_BACK')
  })

  it('on a time fires as soon as it is certain, and not for two slow searches of twenty', async () => {
    const shop = openWorkshop()
    const limit = { metric: 'p95_latency_ms', operator: '>', threshold: 100, minSamples: 5 }
    const change = await shop.apply({ minScore: 0.5 }, triggers(limit))
    for (const tookMs of [...Array<number>(18).fill(9), 900, 900])
      shop.searchIn(undefined, { tookMs })
    expect(await statusOf(shop, change)).toBe('ACTIVE')
    expect(shop.adaptations.get(change.adaptationId).metrics.with.latencyP95).toBeGreaterThan(100)
    for (let search = 0; search < 5; search += 1) shop.searchIn(undefined, { tookMs: 900 })
    expect(await statusOf(shop, change)).toBe('ROLLED_BACK')
    expect(lastEvent(shop).data).toMatchObject({
      figures: { metric: 'latencyP95', samples: 25, certainty: { with: 0.28, limit: 0.05 } },
    })
    const other = await shop.apply({ minScore: 0.5 }, triggers({ ...limit, threshold: 500 }))
    for (let search = 0; search < 4; search += 1) shop.searchIn(undefined, { tookMs: 900 })
    expect(await statusOf(shop, other)).toBe('ACTIVE')
    shop.searchIn(undefined, { tookMs: 900 })
    expect(await statusOf(shop, other)).toBe('ROLLED_BACK')
  })

  it('on a figure that somebody named looks at the youngest searches, too', async () => {
    const shop = openWorkshop()
    const trigger = { metric: 'ctr', operator: 'lt', threshold: 0.1, window: '1h', minSamples: 50 }
    const more = { immediate: true, rollbackTriggers: [trigger] }
    const change = await shop.apply({ minScore: 0.5 }, more)
    await traffic(shop, 49, (session) => shop.searchIn(session))
    expect(await statusOf(shop, change)).toBe('ACTIVE')
    await traffic(shop, 1, (session) => shop.searchIn(session))
    expect(await statusOf(shop, change)).toBe('ROLLED_BACK')
  })

  it.each([
    ['ctr', 0.8, 1, 'ACTIVE'],
    ['ctr', 0.8, 2, 'ROLLED_BACK'],
    ['ctr', 1.5, 1, 'ROLLED_BACK'],
    ['ctr', 1.5, 2, 'ACTIVE'],
    ['mrr', 0.8, 2, 'ROLLED_BACK'],
  ])(
    'on %s times %d, when every %dth search is clicked: %s',
    async (...[metric, threshold, nth, status]) => {
      const shop = openWorkshop()
      const before = threshold < 1 ? 1 : 2
      const search = searcher(shop)
      await traffic(shop, 40, (session) => search(session, false, before))
      await shop.loop.caughtUp()
      const trigger = { metric, operator: 'times', threshold, minSamples: 20 }
      const change = await shop.apply(
        { minScore: 0.5 },
        { queryHash: QUERY_HASH, ...triggers(trigger) },
      )
      await traffic(shop, 40, (session) => search(session, true, nth))
      await shop.pass(2 * MINUTE_MS)
      expect(await statusOf(shop, change)).toBe(status)
    },
  )

  it.each([
    [0.8, 1000],
    [1.5, 1],
  ])(
    'on times %d waits while there is nothing to be so many times as much of',
    async (...[threshold, nth]) => {
      const shop = openWorkshop()
      await traffic(shop, 40, (session) => shop.searchIn(session))
      await shop.loop.caughtUp()
      const trigger = { metric: 'ctr', operator: 'times', threshold, minSamples: 20 }
      const more = { queryHash: QUERY_HASH, ...triggers(trigger) }
      const change = await shop.apply({ minScore: 0.5 }, more)
      const search = searcher(shop)
      await traffic(shop, 40, (session) => search(session, true, nth))
      await shop.pass(2 * MINUTE_MS)
      expect(await statusOf(shop, change)).toBe('ACTIVE')
    },
  )

  it.each([
    [0.5, 4, 'ROLLED_BACK'],
    [0.5, 40, 'ACTIVE'],
    [2, 4, 'ACTIVE'],
    [2, 400, 'ROLLED_BACK'],
  ])('on a latency times %d, when 40 ms become %d: %s', async (threshold, tookMs, status) => {
    const shop = openWorkshop(HALF)
    const trigger = { metric: 'latencyP50', operator: 'times', threshold }
    const change = await shop.apply({ minScore: 0.5 }, { rollbackTriggers: [trigger] })
    let turns = 0
    await traffic(shop, 260, (session, having) => {
      turns += 1
      shop.searchIn(session, { tookMs: (having ? tookMs : 40) * (1 + (turns % 16) / 16) })
    })
    expect(await statusOf(shop, change)).toBe(status === 'ACTIVE' ? 'CANARY' : status)
  })

  it('of a metric that nobody measures never fires, and the answer says so', async () => {
    const shop = openWorkshop()
    const change = await shop.apply(
      { minScore: 0.5 },
      triggers({ metric: 'joy', operator: 'lt', threshold: 9 }),
    )
    expect(change.warnings?.[0]).toContain('joy')
    for (let search = 0; search < 30; search += 1) shop.searchIn(undefined)
    expect(await statusOf(shop, change)).toBe('ACTIVE')
  })
})

describe('the figures', () => {
  it('count each search once: not its further pages, not a click twice', async () => {
    const shop = openWorkshop()
    const change = await shop.apply({ minScore: 0.5 }, { immediate: true })
    const session = await shop.session()
    const queryId = shop.searchIn(session)
    const further = shop.searchIn(session, { from: 10 })
    await shop.tell(session, queryId, 'b')
    await shop.tell(session, further, 'a')
    await shop.tell(session, queryId, 'c')
    await shop.tell(session, queryId, 'b')
    await shop.loop.caughtUp()
    expect(shop.adaptations.get(change.adaptationId).metrics.with).toMatchObject({
      ...{ searches: 1, units: 1, ctr: 1, mrr: 0.5, zeroResultRate: 0 },
    })
  })

  it('count a click on a further page for the list, once', async () => {
    const shop = openWorkshop()
    const change = await shop.apply({ minScore: 0.5 }, { immediate: true })
    const session = await shop.session()
    const list = shop.searchIn(session)
    shop.searchIn(session)
    await shop.pass(90_000)
    for (const from of [3, 6]) {
      const further = shop.searchIn(session, { from, list })
      await shop.log.flush()
      await shop.tell(session, further, 'a')
    }
    const metrics = async () => {
      await shop.loop.caughtUp()
      return shop.adaptations.get(change.adaptationId).metrics.with
    }
    expect(await metrics()).toMatchObject({ searches: 2, units: 1, ctr: 0.5, mrr: 0.125 })
    await shop.tell(session, list, 'a')
    expect(await metrics()).toMatchObject({ searches: 2, units: 1, ctr: 0.5, mrr: 0.5 })
  })

  it('go by the best click, and count one that names no hit, as tests and reports do', async () => {
    const shop = openWorkshop()
    const change = await shop.apply({ minScore: 0.5 }, { immediate: true })
    const session = await shop.session()
    const clicks = async (...resultIds: (string | undefined)[]) => {
      const queryId = shop.searchIn(session)
      await shop.log.flush()
      for (const resultId of resultIds) await shop.tell(session, queryId, resultId)
      await shop.loop.caughtUp()
      return shop.adaptations.get(change.adaptationId).metrics.with
    }
    expect(await clicks('c', 'a', 'b')).toMatchObject({ searches: 1, ctr: 1, mrr: 1 })
    expect(await clicks(undefined)).toMatchObject({ searches: 2, ctr: 1, mrr: 0.5 })
    expect(await clicks(undefined, 'b')).toMatchObject({ searches: 3, ctr: 1, mrr: 0.5 })
    expect(await clicks('nowhere')).toMatchObject({ searches: 4, units: 1, ctr: 0.75 })
    const { metrics } = shop.adaptations.get(change.adaptationId)
    await shop.loop.rebuild()
    expect(shop.adaptations.get(change.adaptationId).metrics).toEqual(metrics)
  })

  it('go by who was shown the list, not by others who say that they clicked there', async () => {
    const shop = openWorkshop()
    const change = await shop.apply({ minScore: 0.5 }, { immediate: true })
    const [first, other, phone] = [
      await shop.session('ann'),
      await shop.session(),
      await shop.session('ann'),
    ]
    const queryId = shop.searchIn(first)
    shop.searchIn(other)
    const metrics = async () => {
      await shop.loop.caughtUp()
      return shop.adaptations.get(change.adaptationId).metrics.with
    }
    await shop.log.flush()
    await shop.tell(other, queryId, 'a')
    expect(await metrics()).toMatchObject({ searches: 2, units: 2, ctr: 0 })
    await shop.tell(phone, queryId, 'b')
    expect(await metrics()).toMatchObject({ searches: 2, units: 2, ctr: 0.5, mrr: 0.25 })
  })

  it('of a change that is gone stay when all is folded anew', async () => {
    const shop = openWorkshop()
    const { adaptationId } = await shop.apply({ minScore: 0.5 }, { immediate: true })
    shop.searchIn(undefined)
    shop.searchIn(await shop.session())
    await shop.loop.caughtUp()
    await shop.adaptations.rollBack(adaptationId)
    const { metrics } = shop.adaptations.get(adaptationId)
    expect(metrics.with).toMatchObject({ searches: 2, units: 1 })
    await shop.loop.rebuild()
    expect(shop.adaptations.get(adaptationId).metrics).toEqual(metrics)
  })

  it('are the same after all was folded anew', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply({ minScore: 0.5 })
    const search = searcher(shop)
    await traffic(shop, 40, (session, having) => search(session, having, 3))
    await shop.loop.caughtUp()
    const rows = () =>
      JSON.stringify(
        (
          [
            'adaptationFigures',
            'adaptationUnits',
            'queryPatterns',
            'feedbackPatterns',
            'lastSearches',
          ] as const
        ).map((table) => [...shop.store.tables[table].range()]),
      )
    const before = rows()
    await shop.loop.rebuild()
    expect(rows() === before).toBe(true)
    expect(shop.adaptations.get(change.adaptationId).metrics.with.searches).toBeGreaterThan(5)
  })
})
