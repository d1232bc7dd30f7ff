import { expect, it } from 'vitest'
import { layTunings } from '../../../src/learn/plan/tuning-layers.ts'
import { processorMs } from '../../processor-time.ts'

it('of tunings laid over each other the later wins, and maps and lists of documents join', () => {
  expect(
    layTunings([
      { fusion: 'rrf', fieldWeights: { title: 2, tags: 1 }, pins: [{ id: 'a' }] },
      { fusion: 'convex', fieldWeights: { title: 3 }, pins: [{ id: 'b' }] },
    ]),
  ).toEqual({
    fusion: 'convex',
    fieldWeights: { title: 3, tags: 1 },
    pins: [{ id: 'b' }, { id: 'a' }],
  })
})

it('thousands of tunings are laid over each other without copying each for those behind it', () => {
  const many = Array.from({ length: 4000 }, (_, n) => ({
    ...{ fieldWeights: { [`f${n}`]: n }, pins: [{ id: `p${n}` }] },
    boosts: [{ id: `b${n}`, value: n }],
  }))
  const named = JSON.parse('{"__proto__": 2, "f0": 7}') as Record<string, number>
  const lay = () => layTunings([...many, { fieldWeights: named }])
  expect(processorMs(lay)).toBeLessThan(500)
  const { fieldWeights = {}, pins, boosts } = lay()
  expect(Object.entries(fieldWeights).slice(0, 2)).toEqual([
    ...[
      ['f0', 7],
      ['f1', 1],
    ],
  ])
  expect(Object.entries(fieldWeights).at(-1)).toEqual(['__proto__', 2])
  expect([pins?.[0], pins?.at(-1)]).toEqual([{ id: 'p3999' }, { id: 'p0' }])
  expect([boosts?.[0]?.id, boosts?.at(-1)?.id]).toEqual(['b0', 'b3999'])
})

it('one alone is laid over nothing without a copy, which lists of its searches would keep', () => {
  const tuning = { boosts: [{ id: 'a', value: 0.1 }] }
  expect(layTunings([tuning])).toBe(tuning)
})
