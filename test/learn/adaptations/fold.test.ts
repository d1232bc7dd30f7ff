import { describe, expect, it } from 'vitest'
import type { Fact, Impression } from '../../../src/learn/facts.ts'
import { decodeImpression } from '../../../src/learn/impressions/impression.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

const TABLES = [
  ...(['adaptationFigures', 'adaptationUnits', 'queryPatterns', 'reformulations'] as const),
  ...(['lastSearches', 'feedbackPatterns', 'clickedSearches'] as const),
]

function rows({ store }: Workshop): string {
  return JSON.stringify(TABLES.map((table) => [...store.tables[table].range()]))
}

/** Searches and clicks as the processor would hand them on. */
async function factsOf(shop: Workshop): Promise<Fact[]> {
  const facts: Fact[] = []
  for (let user = 0; user < 6; user += 1) {
    const session = await shop.session()
    for (const queryHash of ['one', 'two']) {
      const queryId = shop.searchIn(session, { queryHash, sessionId: session })
      await shop.log.flush()
      const impression: Impression = decodeImpression(
        shop.store.tables.impressions.get(queryId)!,
      ).impression
      facts.push({
        kind: 'search',
        sequence: facts.length,
        impression,
      })
      facts.push({
        ...{ kind: 'feedback', sequence: facts.length, receivedMs: impression.timeMs },
        ...{ sessionId: session, unit: session, impression, hit: user },
        entry: {
          ...{ signalId: `${queryId}-s`, queryId, action: 'click', rating: 1 },
          ...{ timeMs: impression.timeMs, status: 'learned', resultId: 'a' },
        },
      })
    }
  }
  return facts
}

describe('the fold', () => {
  it('forgets what a failed transaction took, and takes it again', async () => {
    const shop = openWorkshop({ ADAPTATION_CANARY_SHARE: '0.5' })
    await shop.apply({ minScore: 0.5 })
    const facts = await factsOf(shop)
    await shop.loop.caughtUp()
    const consumers = [...shop.patterns.consumers, shop.adaptations.consumer]
    const take = () => {
      for (const fact of facts) for (const consumer of consumers) consumer.take(fact)
    }
    await shop.store.write(() => {
      for (const consumer of consumers) consumer.reset?.()
      take()
      for (const consumer of consumers) consumer.save()
    })
    const once = rows(shop)
    expect(once).toContain('clicked')
    await shop.store.write(() => {
      for (const consumer of consumers) consumer.reset?.()
      take()
    })
    for (const consumer of consumers) consumer.load()
    await shop.store.write(() => {
      take()
      for (const consumer of consumers) consumer.save()
    })
    expect(rows(shop)).toBe(once)
  })
})
