import { describe, expect, it } from 'vitest'
import { MACHINES, mayMove, move } from '../../../src/learn/states.ts'
import type { AdaptationStatus, SuggestionStatus } from '../../../src/schema/adaptation-record.ts'
import { openWorkshop } from './workshop.ts'

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
      const now = () => shop.adaptations.listSuggestions({}).suggestions[0]?.status
      if (status === 'REJECTED' || status === 'EXPIRED') {
        await expect(applied).rejects.toMatchObject(refused)
        expect(now()).toBe(status)
      } else {
        await applied
        expect(now()).toBe('APPLIED')
      }
    },
  )
})
