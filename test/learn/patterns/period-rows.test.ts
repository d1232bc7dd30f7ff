import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  countIn,
  openPeriod,
  periodsIn,
  type RowKind,
} from '../../../src/learn/patterns/period-rows.ts'
import type { QueryPatternRow } from '../../../src/schema/pattern-record.ts'
import { temporaryStore } from '../../store/open.ts'

interface Counted {
  count: number
}

const HOUR_ROWS_MAX = 8
const KIND: RowKind<Counted> = {
  hourRowsMax: HOUR_ROWS_MAX,
  fresh: () => ({ count: 0 }),
  weight: ({ count }) => count,
  add: (sum, { count }) => {
    sum.count += count
  },
  join: (day, { count }) => {
    day.count += count
  },
}

function addOne(row: Counted): void {
  row.count += 1
}

it('a full period keeps the names that count most, of equals the first ones by name', () => {
  const counts = fc.uniqueArray(fc.tuple(fc.string(), fc.integer({ min: 1, max: 3 })), {
    minLength: HOUR_ROWS_MAX * 1.25,
    maxLength: HOUR_ROWS_MAX * 1.25,
    selector: ([name]) => name,
  })
  fc.assert(
    fc.property(counts, (known) => {
      const period = openPeriod<Counted>(
        1,
        0,
        known.map(([name, count]) => [name, { count }]),
      )
      const sorted = [...known].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      const kept = sorted.slice(0, HOUR_ROWS_MAX).map(([name]) => name)
      countIn(period, 'a name of its own', addOne, undefined, KIND)
      expect([...period.rows.keys()].sort()).toEqual([...kept, 'a name of its own'].sort())
      const dropped = sorted.slice(HOUR_ROWS_MAX).map(([name]) => name)
      expect([...period.removed].sort()).toEqual(dropped.sort())
      expect(period.changed.map(({ name }) => name)).toEqual(['a name of its own'])
    }),
  )
})

it('of names that come and go, none is removed that was not on the disk, and none is held', () => {
  const period = openPeriod<Counted>(1, 0, [['b', { count: 1 }]])
  for (let at = 0; at < 1000; at += 1) countIn(period, `c${at}`, addOne, undefined, KIND)
  expect(period.removed).toEqual([])
  expect(period.changed.length).toBeLessThanOrEqual(HOUR_ROWS_MAX * 1.25)
  for (const name of ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9'])
    countIn(period, name, addOne, undefined, KIND)
  expect(period.rows.has('b')).toBe(false)
  expect(period.removed).toEqual(['b'])
})

it('periods that hold a row are found, also those that follow each other', async () => {
  const store = temporaryStore()
  const { queryPatterns } = store.tables
  await store.write(() => {
    for (const [level, period] of [...[5, 6, 9].map((hour) => [1, hour]), [24, 0]] as const)
      for (const name of ['a', 'b'])
        queryPatterns.put([Number(level), Number(period), name], {} as QueryPatternRow)
  })
  expect([...periodsIn(queryPatterns)]).toEqual([
    [1, 5],
    [1, 6],
    [1, 9],
    [24, 0],
  ])
})
