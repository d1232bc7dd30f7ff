import { expect, it } from 'vitest'
import { paceFor } from '../../../src/learn/loop/slice.ts'

it('what is young is taken in short slices with rests, what is old in long ones with hardly any', () => {
  expect(paceFor(0)).toEqual({ sliceMs: 0.5, restMs: 5 })
  expect(paceFor(150)).toEqual({ sliceMs: 0.5, restMs: 3.5 })
  expect(paceFor(450)).toEqual({ sliceMs: 0.5, restMs: 2 })
  expect(paceFor(1200)).toEqual({ sliceMs: 3, restMs: 2 })
  expect(paceFor(3_600_000)).toEqual({ sliceMs: 8, restMs: 2 })
})
