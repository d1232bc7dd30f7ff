import { describe, expect, it } from 'vitest'
import { serviceError } from '../../../src/errors.ts'
import { MACHINES, mayMove, move } from '../../../src/learn/states.ts'
import type { AdaptationRecord } from '../../../src/schema/adaptation-record.ts'
import type { AdaptationStatus, SuggestionStatus } from '../../../src/schema/statuses.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { MINUTE_MS } from '../learner.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

const ADAPTATION = Object.keys(MACHINES.adaptation) as AdaptationStatus[]
const SUGGESTION = Object.keys(MACHINES.suggestion) as SuggestionStatus[]
const refused = { code: 'INVALID_TRANSITION' }

describe.each([
  ['adaptation', ADAPTATION],
  ['suggestion', SUGGESTION],
] as const)('the statuses of an %s', (machine, statuses) => {
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const))
  it.each(pairs)('%s → %s is allowed or refused by the table', (from, to) => {
    const next: readonly string[] = (MACHINES[machine] as Record<string, readonly string[]>)[from]!
    if (from === to) expect(move(machine, from as never, to as never)).toBe('unchanged')
    else if (next.includes(to)) expect(move(machine, from as never, to as never)).toBe('moved')
    else
      expect(() => move(machine, from as never, to as never)).toThrow(
        expect.objectContaining(refused),
      )
  })
})

describe('the verbs', () => {
  it.each(ADAPTATION)(
    'roll back an adaptation that is %s only where the table allows it',
    async (status) => {
      const shop = openWorkshop()
      const { adaptationId } = await shop.apply({ minScore: 0.5 }, { immediate: true })
      const { adaptations } = shop.store.tables
      await shop.store.write(() =>
        adaptations.put(adaptationId, { ...adaptations.get(adaptationId)!, status }),
      )
      const rolled = shop.adaptations.rollBack(adaptationId)
      if (mayMove('adaptation', status, 'ROLLED_BACK'))
        expect(await rolled).toMatchObject({ status: 'ROLLED_BACK' })
      else {
        await expect(rolled).rejects.toMatchObject(refused)
        expect(shop.adaptations.get(adaptationId).status).toBe(status)
      }
    },
  )

  it.each(SUGGESTION)(
    'apply a suggestion that is %s only where there is something to apply',
    async (status) => {
      const shop = openWorkshop()
      const sent = { queryHash: 'h', patterns: { averageRelevance: 0.1 }, confidence: 0.9 }
      const { suggestionId } = await shop.adaptations.suggest(sent)
      const { suggestions } = shop.store.tables
      await shop.store.write(() =>
        suggestions.put(suggestionId, { ...suggestions.get(suggestionId)!, status }),
      )
      const applied = shop.apply({ minScore: 0.5 }, { suggestionId })
      const now = async () => (await shop.suggestions()).suggestions[0]?.status
      if (status === 'REJECTED' || status === 'EXPIRED') {
        await expect(applied).rejects.toMatchObject(refused)
        expect(await now()).toBe(status)
      } else {
        await applied
        expect(await now()).toBe('APPLIED')
      }
    },
  )
})

it('a change whose step finds the disk full takes it when there is room', async () => {
  const inner = temporaryStore()
  let isFull = false
  const write: Store['write'] = (work) => {
    if (!isFull) return inner.write(work)
    isFull = false
    return Promise.reject(serviceError('DISK_FULL', 'No room.'))
  }
  const shop = openWorkshop({}, { ...inner, write })
  const { adaptationId } = await shop.apply({ minScore: 0.5 })
  shop.clock.nowMs += 60 * MINUTE_MS
  isFull = true
  await expect(shop.adaptations.tick(shop.clock.nowMs)).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(shop.adaptations.get(adaptationId).status).toBe('CANARY')
  await shop.adaptations.tick(shop.clock.nowMs)
  expect(shop.adaptations.get(adaptationId).status).toBe('ACTIVE')
})

it('a round that found no room to remove what is old has failed until the next one, which tries again', async () => {
  const inner = temporaryStore()
  let isFull = true
  const release: Store['release'] = (work) =>
    isFull ? Promise.reject(serviceError('DISK_FULL', 'No room.')) : inner.release(work)
  const shop = openWorkshop({}, { ...inner, release })
  const full = { code: 'DISK_FULL' }
  await expect(shop.pass(0)).rejects.toMatchObject(full)
  await expect(shop.pass(1000)).rejects.toMatchObject(full)
  isFull = false
  await expect(shop.pass(1000)).rejects.toMatchObject(full)
  await shop.pass(MINUTE_MS)
  await shop.pass(1000)
})

describe('a change whose step can not be taken', () => {
  /** From each status in which that may happen, with what the change was before. */
  const WAYS: Record<string, (shop: Workshop) => Promise<{ shop: Workshop; id: string }>> = {
    VALIDATING: async (shop) => {
      const sessionId = await shop.session()
      const queryId = shop.searchIn(sessionId)
      await shop.tell(sessionId, queryId, 'b')
      await shop.pass(1000)
      // A byte of the disk that has changed by itself.
      await shop.store.write(() =>
        shop.store.tables.impressions.put(queryId, Buffer.from('damaged')),
      )
      // Until a new start it is still in memory.
      const again = await shop.reopen()
      const { adaptationId } = await again.apply({ pins: ['b'] })
      return { shop: again, id: adaptationId }
    },
    CANARY: async (shop) => {
      const { adaptationId } = await shop.apply({ model: 'known' })
      const { adaptations } = shop.store.tables
      // As when the model has gone meanwhile.
      const now = { ...adaptations.get(adaptationId)!, tuning: { model: 'gone' } }
      await shop.store.write(() => adaptations.put(adaptationId, now))
      const again = await shop.reopen()
      await again.pass(11 * MINUTE_MS)
      return { shop: again, id: adaptationId }
    },
    ACTIVE: async (shop) => {
      const { adaptationId } = await shop.apply({ pins: ['b'] }, { immediate: true })
      const { adaptations } = shop.store.tables
      const damaged = { ...adaptations.get(adaptationId)!, triggers: [{ metric: 5 }] }
      await shop.store.write(() =>
        adaptations.put(adaptationId, damaged as unknown as AdaptationRecord),
      )
      const again = await shop.reopen()
      expect(again.applying()).toHaveLength(1)
      const other = await again.apply({ model: 'known' })
      await expect(again.pass(11 * MINUTE_MS)).rejects.toThrow(TypeError)
      // The others have had their turn.
      expect(again.adaptations.get(other.adaptationId).status).toBe('ACTIVE')
      return { shop: again, id: adaptationId }
    },
  }

  it.each(Object.keys(WAYS))('is FAILED from %s, and nobody gets it', async (from) => {
    const { shop, id } = await WAYS[from]!(openWorkshop())
    expect(mayMove('adaptation', from as AdaptationStatus, 'FAILED')).toBe(true)
    const { status, history } = shop.store.tables.adaptations.get(id)!
    expect(status).toBe('FAILED')
    expect(history.slice(-2).map((step) => step.status)).toEqual([from, 'FAILED'])
    expect(history.at(-1)?.reason).toMatch(/^(its|the|The) /)
    expect(shop.applying(await shop.session()).some((name) => name.startsWith(id))).toBe(false)
    const told = [...shop.store.tables.events.range()].find(({ value }) => {
      return value.type === 'ADAPTATION_FAILED'
    })
    expect(told?.value).toMatchObject({ adaptationId: id, status: 'FAILED', priority: 'HIGH' })
    await expect(shop.adaptations.rollBack(id)).rejects.toMatchObject(refused)
    expect((await shop.reopen()).adaptations.get(id).status).toBe('FAILED')
  })
})
