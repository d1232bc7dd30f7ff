import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addUnit,
  NO_UNITS,
  subtractUnit,
  type UnitCounts,
  updateUnit,
} from '../../../src/learn/statistics/sums.ts'

const count = fc.integer({ min: 0, max: 10_000 })
const units = fc.array(fc.record({ x: count, y: count }))

function sumsOf(list: UnitCounts[]) {
  return list.reduce(addUnit, NO_UNITS)
}

describe('running sums', () => {
  it('hold the first and second moments', () => {
    expect(
      sumsOf([
        { x: 2, y: 3 },
        { x: 1, y: 5 },
      ]),
    ).toEqual({ units: 2, x: 3, xx: 5, y: 8, yy: 34, xy: 11 })
  })

  it('of a unit that counted on are as if it had come once', () => {
    fc.assert(
      fc.property(units, count, count, (list, x, y) => {
        const early = sumsOf([{ x, y }, ...list])
        const late = updateUnit(early, { x, y }, { x: x + 1, y: y + 2 })
        expect(late).toEqual(sumsOf([...list, { x: x + 1, y: y + 2 }]))
      }),
    )
  })

  it('forget a unit without a trace', () => {
    fc.assert(
      fc.property(units, count, count, (list, x, y) => {
        expect(subtractUnit(sumsOf([...list, { x, y }]), { x, y })).toEqual(sumsOf(list))
      }),
    )
  })
})
