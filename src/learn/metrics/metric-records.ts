import type { Config } from '../../config.ts'
import { invalid, serviceError } from '../../errors.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { NoteDone } from '../../schema/answer.ts'
import { type MetricReceipt, MetricSample, type MetricType } from '../../schema/metric.ts'
import type { MetricSeries } from '../../schema/metric-record.ts'
import type { Store } from '../../store/store.ts'
import type { Sweep } from '../round.ts'
import { bodyOf, unreadFields } from '../wire/unread-fields.ts'
import { openMetricNames } from './names.ts'
import { addValue, labelsKey, labelsOf, newSeries, receiptOf } from './series.ts'

/** Metrics that clients record; they stand on the metrics page beside the service's own. */
export interface MetricRecords {
  /**
   * Resolves when the value is on the disk. Throws VALIDATION_FAILED, NAME_TAKEN when the name has another type or
   * would be mistaken for a part of another metric, TOO_MANY_SERIES.
   */
  record: (sample: MetricSample, noteDone?: NoteDone) => Promise<MetricReceipt>
  /** Removes series that nobody has recorded for long. */
  sweep: Sweep
}

export interface MetricRecordsOptions {
  store: Store
  metrics: Pick<Metrics, 'family'>
  config: Pick<Config, 'metricNamesMax' | 'metricSeriesMax' | 'retentionMs'>
  clock: () => number
}

const SWEEP_ROWS = 1000
/** Labels that are not read would put the values of all of them into one series. */
const BODY = bodyOf('a value', MetricSample, {
  metric: 'name',
  metricName: 'name',
  tags: 'labels',
  attributes: 'labels',
  dimensions: 'labels',
  env: 'environment',
  host: 'instance',
})

export function openMetricRecords(options: MetricRecordsOptions): MetricRecords {
  const { store, metrics, config, clock } = options
  const { metricSeries } = store.tables
  const names = openMetricNames(metrics, config)
  for (const { key, value } of metricSeries.range()) names.show(...key, value)

  /** Inside the transaction: the series that the value belongs to, or a new one. */
  function seriesWithin(
    sample: MetricSample,
    labels: Record<string, string>,
    key: string,
  ): MetricSeries {
    const { name } = sample
    const known = names.typeOf(name)
    const type = (sample.type?.toLowerCase() as MetricType | undefined) ?? known ?? 'gauge'
    if (known !== undefined && known !== type)
      throw serviceError('NAME_TAKEN', `This metric is a ${known}; its type can't change.`, {
        details: [{ path: 'type', message: `must be ${known}, or not be sent` }],
      })
    if (type === 'counter' && sample.value < 0)
      throw invalid('value', 'must not be negative: a counter only grows')
    const series = metricSeries.get([name, key])
    if (series !== undefined) return series
    names.refuseNew(name, type)
    return newSeries(type, labels, clock())
  }
  function addWithin(sample: MetricSample, labels: Record<string, string>, key: string) {
    const series = addValue(seriesWithin(sample, labels, key), sample.value, clock())
    metricSeries.put([sample.name, key], series)
    names.show(sample.name, key, series)
    return series
  }
  /** After a transaction that failed, the page shows what the store holds. */
  function restore(name: string, key: string): void {
    const stored = metricSeries.get([name, key])
    if (stored === undefined) names.hide(name, key)
    else names.show(name, key, stored)
  }
  return {
    record: async (sample, noteDone) => {
      if (!Number.isFinite(sample.value)) throw invalid('value', 'must be a finite number')
      const labels = labelsOf(sample)
      const key = labelsKey(labels)
      try {
        const series = await store.write(() => {
          noteDone?.()
          return addWithin(sample, labels, key)
        })
        const warnings = unreadFields(sample, BODY)
        return { ...receiptOf(series), ...(warnings.length > 0 ? { warnings } : {}) }
      } catch (cause) {
        restore(sample.name, key)
        throw cause
      }
    },
    sweep: async (nowMs) => {
      const idle = names.idleSince(nowMs - config.retentionMs, SWEEP_ROWS)
      if (idle.length === 0) return 0
      await store.release(() => {
        metricSeries.removeAll(idle)
      })
      for (const key of idle) restore(...key)
      return idle.length
    },
  }
}
