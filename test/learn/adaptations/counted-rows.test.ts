import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SuggestionRecord } from '../../../src/schema/adaptation-record.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

const DAY_MS = 86_400_000
const ROUND_MS = 30_000
const low = { patterns: { clickThroughRate: 0.01 } }

/** As the tables say it, read row by row. */
function counted({ store: { tables } }: Workshop): ReturnType<Workshop['adaptations']['figures']> {
  const figures: Record<string, Record<string, number>> = { adaptations: {}, suggestions: {} }
  for (const name of ['adaptations', 'suggestions'] as const)
    for (const { value } of tables[name].range()) {
      const counts = figures[name]!
      counts[value.status] = (counts[value.status] ?? 0) + 1
    }
  return figures as ReturnType<Workshop['adaptations']['figures']>
}

/** How often each of the two tables is read until the test ends. */
function watchReads({ store: { tables } }: Workshop): () => number {
  const spies = [tables.adaptations, tables.suggestions].flatMap((table) => [
    vi.spyOn(table, 'get'),
    vi.spyOn(table, 'range'),
  ])
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
}

describe('how many changes and suggestions there are by status', () => {
  it('is known without reading them', async () => {
    const shop = openWorkshop()
    const walk = vi.spyOn(shop.store.tables.suggestions, 'range')
    onTestFinished(() => walk.mockRestore())
    await shop.apply({ minScore: 0.5 }, { immediate: true })
    await shop.apply({ fusion: 'rrf' }, { queryHash: 'h' })
    await shop.adaptations.suggest({ ...low, queryHash: 'h', confidence: 0.9 })
    await shop.adaptations.suggest({ ...low, queryHash: 'h', confidence: 0.1 })
    const reads = watchReads(shop)
    expect(shop.adaptations.figures()).toEqual({
      adaptations: { ACTIVE: 1, CANARY: 1 },
      suggestions: { ACCEPTED: 1, REJECTED: 1 },
    })
    expect(reads()).toBe(0)
    expect(walk).not.toHaveBeenCalled()
  })

  it('is exact whatever becomes of them, also after a start', async () => {
    const shop = openWorkshop()
    const { adaptations } = shop
    const { adaptationId } = await shop.apply({ minScore: 0.5 }, { immediate: true })
    await shop.apply({ minScore: 0.6 }, { immediate: true })
    const { suggestionId } = await adaptations.suggest({ ...low, queryHash: 'a', confidence: 0.9 })
    await adaptations.suggest({ ...low, queryHash: 'b', confidence: 0.9 })
    await shop.apply({ fusion: 'rrf' }, { suggestionId, queryHash: 'a' })
    expect(adaptations.figures()).toEqual({
      adaptations: { SUPERSEDED: 1, ACTIVE: 1, CANARY: 1 },
      suggestions: { APPLIED: 1, ACCEPTED: 1 },
    })
    await expect(adaptations.rollBack(adaptationId)).rejects.toMatchObject({
      code: 'INVALID_TRANSITION',
    })
    const next = await shop.reopen()
    await next.pass(8 * DAY_MS)
    expect(next.adaptations.figures().suggestions).toEqual({ APPLIED: 1, EXPIRED: 1 })
    expect(next.adaptations.figures()).toEqual(counted(next))
    await next.pass(40 * DAY_MS)
    await next.pass(ROUND_MS)
    expect(next.adaptations.figures().suggestions).toEqual({})
    expect(next.adaptations.figures()).toEqual(counted(next))
  })

  it('leaves out what a transaction that failed has written', async () => {
    const shop = openWorkshop()
    await shop.adaptations.suggest({ ...low, queryHash: 'a', confidence: 0.9 })
    const { suggestions } = shop.store.tables
    const { put: original } = suggestions
    const put = vi.spyOn(suggestions, 'put').mockImplementationOnce((id, row) => {
      original(id, row)
      // Of the second row, in the same transaction.
      put.mockImplementationOnce(() => {
        throw new Error('no room')
      })
    })
    const failing = shop.adaptations.suggest({ ...low, queryHash: 'b', confidence: 0.9 })
    await expect(failing).rejects.toThrow('no room')
    put.mockRestore()
    expect(shop.adaptations.figures().suggestions).toEqual({ ACCEPTED: 1 })
  })

  it('is counted once in a store of before, and again where a version of before wrote to it', async () => {
    const shop = openWorkshop()
    await shop.adaptations.suggest({ ...low, queryHash: 'a', confidence: 0.9 })
    const { suggestions, meta } = shop.store.tables
    await shop.store.write(() => meta.remove('suggestionStatuses'))
    expect(shop.adaptations.figures().suggestions).toEqual({ ACCEPTED: 1 })
    const next = await shop.reopen()
    await next.store.write(() => {})
    const reads = watchReads(next)
    expect(next.adaptations.figures().suggestions).toEqual({ ACCEPTED: 1 })
    expect(reads()).toBe(0)
    const [key] = suggestions.keys()
    const known = suggestions.get(key!) as SuggestionRecord
    const other = { ...known, suggestionId: 'other', status: 'EXPIRED' as const }
    await next.store.write(() => suggestions.put('other', other))
    expect(next.adaptations.figures().suggestions).toEqual({ ACCEPTED: 1, EXPIRED: 1 })
    await next.adaptations.suggest({ ...low, queryHash: 'b', confidence: 0.1 })
    expect(next.adaptations.figures()).toEqual(counted(next))
  })
})
