import { expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { openMetricNames } from '../../../src/learn/metrics/names.ts'
import { addValue, newSeries } from '../../../src/learn/metrics/series.ts'
import { openMetrics } from '../../../src/metrics/metrics.ts'
import type { MetricSeries } from '../../../src/schema/metric-record.ts'
import { countTurns } from '../../count-turns.ts'

it('all names together have room for so many label sets, and for others when some went', () => {
  const limits = { metricNamesMax: 100, metricSeriesMax: 100_000 }
  const names = openMetricNames(openMetrics(readConfig({})), limits)
  const series: MetricSeries = {
    ...{ metricId: 'm', type: 'gauge', labels: {}, updatedMs: 0 },
    ...{ count: 1, sum: 1, min: 1, max: 1, last: 1, sketch: [] },
  }
  for (let at = 0; at < 20_000; at += 1) names.show('a', `${at}`, series)
  const oneMore = () => names.refuseNew('a', 'gauge')
  expect(oneMore).toThrow('20000 label sets of all names together')
  names.hide('a', '7')
  names.hide('a', '7')
  expect(oneMore).not.toThrow()
  names.show('a', '7', series)
  names.show('a', '7', series)
  expect(oneMore).toThrow('20000 label sets of all names together')
})

it('a label that an earlier version stored does not end the page for a scraper', async () => {
  const metrics = openMetrics(readConfig({}))
  const names = openMetricNames(metrics, { metricNamesMax: 100, metricSeriesMax: 100_000 })
  names.show('a', '', addValue(newSeries('gauge', { shop: 'no\0rth' }, 0), 3, 0))
  const page = String(await metrics.page())
  expect(page).toContain('svc_custom_a{shop="no\ufffdrth"} 3\n')
  expect(page).not.toContain('\0')
})

it('a page of many label sets is written in slices: others have their turns meanwhile', async () => {
  const metrics = openMetrics(readConfig({}))
  const names = openMetricNames(metrics, { metricNamesMax: 100, metricSeriesMax: 100_000 })
  const histogram = addValue(newSeries('histogram', { shop: 'north' }, 0), 0.3, 0)
  for (let at = 0; at < 20_000; at += 1) names.show('a', `${at}`, histogram)
  const { turns, value: page } = await countTurns(() => metrics.page())
  expect(turns).toBeGreaterThan(10)
  // 24 buckets with an end, the last without, a sum and a count.
  expect(String(page).match(/^svc_custom_a/gm)).toHaveLength(20_000 * 27)
})
