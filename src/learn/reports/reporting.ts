import type { Config } from '../../config.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { AnalyticsReport, ReportQuery } from '../../schema/analytics.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'
import type { Log } from '../loop/log.ts'
import type { Examination } from '../memory/examination.ts'
import { type MetricRecords, openMetricRecords } from '../metrics/metric-records.ts'
import type { Sweep } from '../round.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type Analytics, openAnalytics } from './analytics.ts'
import { openHours } from './hours.ts'
import { type Lag, openLag } from './lag.ts'
import { openMovedOf } from './moved-clicks.ts'
import { makeReport } from './report.ts'
import { openTally, type Tally } from './tally.ts'

/** What is counted, and what is told of it. */
export interface Reporting {
  analytics: Analytics
  metricRecords: MetricRecords
  tally: Tally
  lag: Lag
  examination: Examination
  consumers: readonly Consumer[]
  /** Figures of a window of time, as far as learning has come. */
  report: (query: ReportQuery) => Promise<AnalyticsReport>
  /** Seconds from the receipt of a feedback entry until searches see it. */
  onLag: (seconds: number) => void
  sweeps: Readonly<Record<string, Sweep>>
}

export interface ReportingOptions {
  store: Store
  log: Log
  sessions: Sessions
  metrics: Metrics
  config: Config
  examination: Examination
  featureNames: () => readonly string[]
  clock: () => number
}

export function openReporting(options: ReportingOptions): Reporting {
  const { store, log, metrics, config, examination, featureNames, clock } = options
  const hours = openHours(store, openMovedOf(log, featureNames))
  const tally = openTally(store)
  const lag = openLag()
  const metricRecords = openMetricRecords(options)
  return {
    analytics: openAnalytics(options),
    metricRecords,
    tally,
    lag,
    examination,
    consumers: [tally, hours, examination],
    report: (query) => makeReport(store, query, clock()),
    onLag: (seconds) => {
      lag.observe(seconds)
      metrics.loopLag(seconds)
    },
    sweeps: {
      hours: (nowMs) => hours.sweep(nowMs - config.retentionMs),
      examination: (nowMs) => examination.sweep(nowMs - config.retentionMs),
      metricRecords: metricRecords.sweep,
    },
  }
}
