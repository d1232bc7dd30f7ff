import { expect, it } from 'vitest'
import { openHour } from '../../../src/learn/reports/hour.ts'
import { makeReport } from '../../../src/learn/reports/report.ts'
import { HOUR_MS } from '../../../src/learn/wire/duration.ts'
import type { SearchCounts } from '../../../src/schema/analytics-record.ts'
import { temporaryStore } from '../../store/open.ts'

const HOUR = 500_000
const NOW_MS = HOUR * HOUR_MS + 1

/** The report of an hour in which all that was counted is this. */
async function reportOf(all: SearchCounts) {
  const store = temporaryStore()
  await store.write(() => store.tables.hourReports.put(HOUR, { ...openHour().record(), all }))
  return makeReport(store, { timeWindow: '1H' }, NOW_MS)
}

it('no share is more than one or less than nothing, whatever retention left of what it counts', async () => {
  const counts = { searches: 2, clickable: 1, zeroResults: 3, clicked: 3, tookMs: 8 }
  const report = await reportOf({ ...counts, reciprocal: -1e-9 })
  expect(report).toMatchObject({
    ...{ timeWindow: '1h', searches: 2, clickable: 1, clicks: 3 },
    ...{ ctr: 1, mrr: 0, zeroResultRate: 1, latency: { avg: 4 } },
  })
})

it('in an hour that earlier versions counted, every search could be clicked', async () => {
  const counts = { searches: 8, zeroResults: 0, clicked: 2, reciprocal: 1, tookMs: 8 }
  expect(await reportOf(counts)).toMatchObject({ clickable: 8, ctr: 0.25, mrr: 0.125 })
})
