import { describe, expect, it } from 'vitest'
import { SEVERAL } from '../../../src/learn/patterns/askers.ts'
import type { QueryPatternRow, WrittenDocument } from '../../../src/schema/pattern-record.ts'
import { DOCUMENTS, openWorkshop, type Workshop } from '../adaptations/workshop.ts'
import { showing } from '../impressions/parts.ts'
import { MINUTE_MS, QUERY_HASH } from '../learner.ts'

const HOUR_MS = 60 * MINUTE_MS

/** A search and a click on one of its hits. */
async function click(shop: Workshop, session: string, documentId: string, more = {}) {
  const queryId = shop.searchIn(session, more)
  await shop.log.flush()
  await shop.tell(session, queryId, documentId)
}

/** Writes the patterns of queries as they were before ranks were counted. */
async function withoutRanks({ store, loop }: Workshop): Promise<void> {
  const { queryPatterns } = store.tables
  await loop.caughtUp()
  await store.write(() => {
    for (const { key, value } of [...queryPatterns.range()]) {
      const [query, searches, known, clicked, zeroResults, firstPositions, ...more] = value
      const documents = more.filter((part): part is WrittenDocument => Array.isArray(part))
      const row = [query, searches, known, clicked, zeroResults, firstPositions] as const
      queryPatterns.put(key, [...row, ...documents] satisfies QueryPatternRow)
    }
  })
}

describe('the ranks of best clicks of a query', () => {
  it('take the place of those of worse clicks, also of a further page', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const list = shop.searchIn(session)
    const further = shop.searchIn(session, { from: 3, list })
    await shop.log.flush()
    const ranksAfter = async (queryId: string, resultId: string) => {
      await shop.tell(session, queryId, resultId)
      await shop.loop.caughtUp()
      return shop.patterns.armOf(QUERY_HASH).reciprocalRanks
    }
    expect(await ranksAfter(further, 'a')).toBe(1 / 4)
    expect(await ranksAfter(list, 'c')).toBe(840 / 2520)
    expect(await ranksAfter(list, 'a')).toBe(1)
    expect(await ranksAfter(list, 'b')).toBe(1)
  })

  it('are summed up to the tenth place, on first pages, without a rest', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    const hits = showing(
      Array.from({ length: 12 }, (_, at) => ({ indexId: 1, id: `hit-${at}`, score: 1 })),
    )
    for (const place of [2, 6, 0, 10]) await click(shop, session, `hit-${place}`, hits)
    await click(shop, session, 'hit-1', { ...hits, from: 5 })
    await shop.loop.caughtUp()
    const ranks = 1 / 3 + 1 / 7 + 1
    expect(shop.patterns.armOf(QUERY_HASH).reciprocalRanks).toBeCloseTo(ranks, 12)
    await shop.pass(HOUR_MS)
    await click(shop, await shop.session(), 'hit-2', { ...hits, timeMs: shop.clock.nowMs })
    await shop.loop.caughtUp()
    const all = Math.round(2520 * (ranks + 1 / 3)) / 2520
    expect(shop.patterns.armOf(QUERY_HASH).reciprocalRanks).toBe(all)
  })

  it('are not guessed for rows from before they were counted', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    await click(shop, session, 'c')
    await click(shop, session, 'a', { queryHash: 'first' })
    shop.searchIn(session, { queryHash: 'never' })
    await withoutRanks(shop)
    const ranks = (at: Workshop, queryHash: string) => at.patterns.armOf(queryHash).reciprocalRanks
    const again = await shop.reopen()
    for (const each of [QUERY_HASH, 'first', 'never'])
      await click(again, session, 'b', { queryHash: each })
    for (const next of [0, HOUR_MS]) {
      await again.pass(next)
      again.searchIn(undefined, { timeMs: again.clock.nowMs })
      await again.loop.caughtUp()
      expect(ranks(again, QUERY_HASH)).toBeUndefined()
      expect(ranks(again, 'first')).toBe(1.5)
      expect(ranks(again, 'never')).toBe(0.5)
    }
    expect((await again.patterns.searches({ window: '7d' })).topQueries[0]).toMatchObject({
      ...{ queryHash: QUERY_HASH, searches: 4, clicked: 2, clickPosition: 2.5 },
      documents: [
        { id: 'b', clicks: 1, position: 2 },
        { id: 'c', clicks: 1, position: 3 },
      ],
    })
    await again.loop.rebuild()
    expect(ranks(again, QUERY_HASH)).toBeCloseTo(1 / 3 + 1 / 2, 12)
  })
})

describe('the patterns of queries', () => {
  it('are read as they were written before it was noted who asked', async () => {
    const shop = openWorkshop()
    await click(shop, await shop.session(), 'c')
    await shop.loop.caughtUp()
    const { queryPatterns } = shop.store.tables
    await shop.store.write(() => {
      for (const { key, value } of [...queryPatterns.range()]) {
        const [query, searches, known, clicked, zeroResults, firstPositions, ...more] = value
        const [ranks, asker, ...documents] = more
        expect(asker).toBeGreaterThan(0)
        const row = [query, searches, known, clicked, zeroResults, firstPositions] as const
        queryPatterns.put(key, [...row, ranks, ...documents] satisfies QueryPatternRow)
      }
    })
    const before = await shop.patterns.searches({})
    const again = await shop.reopen()
    expect(await again.patterns.searches({})).toEqual(before)
    await click(again, await again.session(), 'c')
    await again.loop.caughtUp()
    for (const { value } of queryPatterns.range()) expect(value[7]).toBe(SEVERAL)
    expect((await again.patterns.searches({})).topQueries).toMatchObject([
      { searches: 2, clicked: 2, documents: [{ id: 'c', clicks: 2 }] },
    ])
  })
})

describe('a change of one query', () => {
  it('says which figures of its past are not known, and which of its triggers ask for them', async () => {
    const shop = openWorkshop()
    const session = await shop.session()
    await click(shop, session, DOCUMENTS[3]!)
    await withoutRanks(shop)
    const rollbackTriggers = ['mrr', 'latencyP95', 'ctr'].map((metric) => ({
      ...{ metric, operator: 'drop', threshold: 0.2 },
    }))
    const more = { queryHash: QUERY_HASH, rollbackTriggers }
    const { adaptationId, warnings } = await shop.apply({ minScore: 0.5 }, more)
    expect(warnings).toEqual([
      expect.stringContaining('The mrr of the searches before the change is not known'),
      expect.stringContaining('The latencyP95 of the searches before'),
    ])
    const again = await shop.reopen()
    const { before } = again.adaptations.get(adaptationId).metrics
    expect(before).toMatchObject({ searches: 1, ctr: 1, mrr: null, latencyP95: null })
  })

  it('that came before ranks were counted does not say that it was never clicked', async () => {
    const shop = openWorkshop()
    const { adaptationId } = await shop.apply({ minScore: 0.5 }, { queryHash: QUERY_HASH })
    const { adaptations } = shop.store.tables
    const record = adaptations.get(adaptationId)!
    const baseline = { ...record.baseline, searches: 9, known: 9, clicked: 8, reciprocalRanks: 0 }
    await shop.loop.caughtUp()
    await shop.store.write(() => adaptations.put(adaptationId, { ...record, baseline }))
    const again = await shop.reopen()
    expect(again.adaptations.get(adaptationId).metrics.before.mrr).toBe(null)
  })
})
