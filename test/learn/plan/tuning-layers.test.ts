import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { layTunings, openLayers } from '../../../src/learn/plan/tuning-layers.ts'
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

it('the same tunings are laid over each other once, others anew', () => {
  const lay = openLayers()
  const [a, b, c] = [{ fieldWeights: { title: 2 } }, { fieldWeights: { tags: 3 } }, { minScore: 1 }]
  const both = lay([a, b])
  expect(both).toEqual({ fieldWeights: { title: 2, tags: 3 } })
  expect(lay([a, b])).toBe(both)
  expect(lay([a])).toBe(a)
  expect(lay([b, a])).toEqual(layTunings([b, a]))
  expect(lay([a, b, c])).toEqual({ ...both, ...c })
  expect(lay([a, { ...b }])).not.toBe(both)
  expect(lay([])).toEqual({})
})

it('of ever new tunings not all are held that were ever laid', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const lay = openLayers()
  const always = { minScore: 1 }
  const first = new WeakRef(lay([always, { boosts: [{ id: 'first', value: 1 }] }]))
  const boosts = Array.from({ length: 1000 }, (_, at) => ({ id: `d${at}`, value: 1 }))
  for (let at = 0; at < 300; at += 1) lay([always, { boosts: [...boosts] }])
  await setImmediate()
  collect()
  expect(first.deref()).toBeUndefined()
})
