import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  countIn,
  type OpenPeriod,
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

it('a full period keeps the names that count most, of equals the first ones by name', () => {
  const counts = fc.uniqueArray(fc.tuple(fc.string(), fc.integer({ min: 1, max: 3 })), {
    minLength: HOUR_ROWS_MAX * 1.25,
    maxLength: HOUR_ROWS_MAX * 1.25,
    selector: ([name]) => name,
  })
  fc.assert(
    fc.property(counts, (known) => {
      const rows = new Map(known.map(([name, count]) => [name, { count }]))
      const period: OpenPeriod<Counted> = { level: 1, period: 0, rows, changed: new Set() }
      const sorted = [...known].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      const kept = sorted.slice(0, HOUR_ROWS_MAX).map(([name]) => name)
      countIn(period, 'a name of its own', (row) => (row.count += 1), KIND)
      expect([...rows.keys()].sort()).toEqual([...kept, 'a name of its own'].sort())
      const dropped = sorted.slice(HOUR_ROWS_MAX).map(([name]) => name)
      expect([...period.changed].sort()).toEqual([...dropped, 'a name of its own'].sort())
    }),
  )
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
