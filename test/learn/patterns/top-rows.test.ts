import { expect, it } from 'vitest'
import { openTopRows } from '../../../src/learn/patterns/top-rows.ts'
import { HOUR_MS } from '../../../src/learn/wire/duration.ts'
import type { QueryPatternRow } from '../../../src/schema/pattern-record.ts'
import { temporaryStore } from '../../store/open.ts'

interface Counted {
  count: number
}

/** Counts whose newest hour was counted while the clock showed hour 1000. */
async function openAhead() {
  const store = temporaryStore()
  const { meta, queryPatterns } = store.tables
  const add = (sum: Counted, { count }: Counted) => {
    sum.count += count
  }
  const counts = openTopRows<Counted, QueryPatternRow>({
    ...{ name: 'queries', meta, table: queryPatterns, release: store.release, hourRowsMax: 8 },
    ...{ fresh: () => ({ count: 0 }), weight: ({ count }) => count, add, join: add },
    pack: (row) => ({ ...row }) as unknown as QueryPatternRow,
    unpack: (written) => ({ ...(written as unknown as Counted) }),
  })
  const countAt = async (hour: number) => {
    counts.pass(hour * HOUR_MS)
    const addOne = (row: Counted) => {
      row.count += 1
    }
    counts.count(hour * HOUR_MS, 'a', addOne, undefined)
    await store.write(counts.save)
    return meta.get('newest hour of queries')
  }
  expect(await countAt(1000)).toBe(1000)
  return { countAt, sum: (level: 1 | 24, period: number) => countIn(level, period) }

  function countIn(level: 1 | 24, period: number): number | undefined {
    return counts.sumOf('a', { level, first: period, last: period })?.count
  }
}

it('an hour that is a day behind the newest one comes late: it joins its day at once', async () => {
  const { countAt, sum } = await openAhead()
  expect(await countAt(976)).toBe(1000)
  expect([sum(1, 976), sum(24, 40)]).toEqual([1, 1])
})

it('an hour that is further behind is the present one, as the clock was ahead before', async () => {
  const { countAt, sum } = await openAhead()
  // It has its day already where something else was counted in it; the next one is the first apart.
  expect(await countAt(975)).toBe(976)
  expect(await countAt(976)).toBe(976)
  expect(await countAt(977)).toBe(977)
  expect([sum(24, 40), sum(24, 41)]).toEqual([3, 1])
})
