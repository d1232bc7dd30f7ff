import { expect, it } from 'vitest'
import { countSearch, emptyArm } from '../../../src/learn/adaptations/figures.ts'
import { type Arms, openMinutes, readTotals } from '../../../src/learn/adaptations/minutes.ts'
import { temporaryStore } from '../../store/open.ts'

it('counts that a row of an earlier version lacks go on from 0', async () => {
  const store = temporaryStore()
  const { latency: _, zeroResults: __, ...earlier } = { ...emptyArm(), searches: 3 }
  const row = { with: earlier, without: earlier } as Arms
  await store.write(() => store.tables.adaptationFigures.put(['change', 0], row))
  expect(readTotals(store, 'change').with).toEqual({ ...emptyArm(), searches: 3 })
  const { totals } = openMinutes(store, 'change')
  countSearch(totals().with, { total: 0 }, 0)
  expect(totals().with).toEqual({ ...emptyArm(), searches: 4, zeroResults: 1, latency: [1] })
})
