import { describe, expect, it } from 'vitest'
import { NOTHING_ADDED } from '../../../src/schema/plan.ts'
import { ANY_INDEX, unpackAdded } from '../../../src/search/query/added-scores.ts'
import { packTuned, tunedScores } from '../../../src/search/query/tuned-scores.ts'

const ONE = [{ record: { id: 1, name: 'one' } }]
const TWO = [...ONE, { record: { id: 2, name: 'two' } }]

describe('pins and boosts', () => {
  it('puts pins above boosts, the first pin highest, in the indices that their name may mean', () => {
    const pins = [{ id: 'a' }, { id: 'b', index: 'two' }, { id: 'b', index: 'none' }]
    const scores = tunedScores({ pins, boosts: [{ id: 'c', value: 0.2 }] }, TWO)
    expect(scores.map(([indexId, id]) => [indexId, id])).toEqual([
      [ANY_INDEX, 'a'],
      [2, 'b'],
      [ANY_INDEX, 'c'],
    ])
    const [first = 0, second = 0, boost] = scores.map(([, , value]) => value)
    expect(first).toBeGreaterThan(second)
    expect(second).toBeGreaterThan(100)
    expect(boost).toBe(0.2)
  })

  it('gives a document that is pinned twice its first place', () => {
    const pins = [{ id: 'a' }, { id: 'b' }, { id: 'b', index: 'one' }, { id: 'a' }, { id: 'c' }]
    const scores = tunedScores({ pins }, ONE)
    expect(scores.map(([, id]) => id)).toEqual(['a', 'b', 'c'])
    expect(scores.map(([, , value]) => value)).toEqual(
      scores.map(([, , value]) => value).toSorted((one, other) => other - one),
    )
  })

  it('adds the boosts of a document, and keeps their sum below a pin, too', () => {
    const boosts = Array.from({ length: 30 }, (_, at) => [
      { id: 'b', value: 100 },
      { id: 'c', value: 0.5 },
      { id: 'd', value: at < 2 ? 60 : -100 },
    ])
    const scores = tunedScores({ pins: [{ id: 'a' }], boosts: boosts.flat() }, ONE)
    expect(scores.map(([, id]) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(scores.slice(1).map(([, , value]) => value)).toEqual([100, 15, -100])
  })

  it('keeps a boost below a pin, however large it is', () => {
    const boosts = [1e308, -1e308].map((value) => ({ id: `c${value}`, value }))
    const scores = tunedScores({ pins: [{ id: 'a' }], boosts }, ONE)
    const [pin = 0, most = 0, least = 0] = scores.map(([, , value]) => value)
    expect(pin).toBeGreaterThan(most)
    expect(most + least).toBe(0)
  })

  it('joins what is said of a document with its index and without', () => {
    const boosts = [
      { id: 'c', value: 1 },
      { id: 'c', index: 'two', value: 5 },
      { id: 'd', value: 2 },
    ]
    expect(tunedScores({ boosts }, TWO)).toEqual([
      [1, 'c', 1],
      [2, 'c', 6],
      [ANY_INDEX, 'd', 2],
    ])
  })
})

describe('packed additions of a change', () => {
  it('are made once for all sets of indices that mean the same', () => {
    const everywhere = { boosts: [{ id: 'a', value: 1 }] }
    expect(packTuned(everywhere, ONE)).toBe(packTuned(everywhere, TWO))
    const somewhere = { boosts: [{ id: 'a', index: 'two', value: 1 }] }
    expect(packTuned(somewhere, ONE)).toBe(NOTHING_ADDED)
    expect(unpackAdded(packTuned(somewhere, TWO))).toEqual([[2, 'a', 1]])
    expect(packTuned(somewhere, TWO)).toBe(packTuned(somewhere, TWO.slice(1)))
    expect(packTuned({}, TWO)).toBe(NOTHING_ADDED)
  })

  it('are made anew once very many are kept', () => {
    const first = { boosts: [{ id: 'first', value: 1 }] }
    const made = packTuned(first, ONE)
    expect(packTuned(first, ONE)).toBe(made)
    for (let list = 0; list < 60; list += 1)
      packTuned(
        { boosts: Array.from({ length: 1000 }, (_, at) => ({ id: `${at}`, value: 1 })) },
        ONE,
      )
    const again = packTuned(first, ONE)
    expect(again).not.toBe(made)
    expect(again).toEqual(made)
  })
})
