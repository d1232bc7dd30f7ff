import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  replaces,
  withMember,
  withoutMember,
} from '../../../src/learn/adaptations/ranking-content.ts'
import type { RankingMember } from '../../../src/schema/adaptation-record.ts'

const member = (adaptationId: string, version = 1): RankingMember => ({
  adaptationId,
  version,
  tuning: { pins: [{ id: adaptationId }] },
})
const ids = (content: RankingMember[]) => content.map(({ adaptationId }) => adaptationId)

describe('the content of a version', () => {
  it('is the earlier one exactly, once the newest change is rolled back', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.nat(), (names, chosen) => {
        const target = names.map((name) => member(name))
        const superseded = names.filter((_, at) => (chosen >> at) & 1)
        const content = withMember(target, member('newest'), superseded)
        const removed = { adaptationId: 'newest', supersedes: superseded }
        const { content: restored, kept } = withoutMember(content, target, removed)
        expect(restored).toEqual(target)
        expect(kept).toEqual([])
      }),
    )
  })

  it('keeps what came later, and leaves out what that took the place of', () => {
    const target = ['one', 'two'].map((name) => member(name))
    const bad = withMember(target, member('bad'), ['one'])
    const later = withMember(bad, member('later'), ['two'])
    const removed = { adaptationId: 'bad', supersedes: ['one'] }
    const { content, kept } = withoutMember(later, target, removed)
    expect(ids(content)).toEqual(['one', 'later'])
    expect(kept).toEqual(['later'])
  })

  it('has what another rollback brought back before what is newer', () => {
    const newer = member('newer', 3)
    const target = [member('gone', 2), newer]
    const present = [member('brought', 1), newer, member('unrelated', 4)]
    const removed = { adaptationId: 'unrelated', supersedes: [] }
    const { content } = withoutMember(present, target, removed)
    expect(ids(content)).toEqual(['brought', 'newer'])
  })

  it('lets a change take the place of one that sets nothing else', () => {
    expect(replaces({ fusion: 'rrf', minScore: 1 }, { fusion: 'convex' })).toBe(true)
    expect(replaces({ fusion: 'rrf' }, { fusion: 'convex', minScore: 1 })).toBe(false)
    expect(replaces({ fusion: 'rrf' }, {})).toBe(false)
  })
})
