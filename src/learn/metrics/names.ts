import { variableOf } from '../../config.ts'
import { serviceError } from '../../errors.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { MetricType } from '../../schema/metric.ts'
import type { MetricSeries } from '../../schema/metric-record.ts'
import { linesOf } from './page.ts'

/** The recorded metrics in memory, as the page shows them. */
export interface MetricNames {
  /** Adds a series, or its newer state. */
  show: (name: string, key: string, series: MetricSeries) => void
  hide: (name: string, key: string) => void
  typeOf: (name: string) => MetricType | undefined
  /** Throws TOO_MANY_SERIES, or NAME_TAKEN when a page could not tell the metric from a part of another. */
  refuseNew: (name: string, type: MetricType) => void
  /** [name, key] of some series that got no value since a time. */
  idleSince: (timeMs: number, limit: number) => [string, string][]
}

export interface MetricLimits {
  metricNamesMax: number
  metricSeriesMax: number
}

interface Named {
  type: MetricType
  series: Map<string, MetricSeries>
  remove: () => void
}

const PREFIX = 'svc_custom_'
/** Series of all names together. */
const SERIES_MAX = 20_000
/** What the page adds to the name of a histogram or a summary. */
const PARTS = ['_bucket', '_sum', '_count']
const PART = /_(?:bucket|sum|count)$/

export function openMetricNames(
  metrics: Pick<Metrics, 'family'>,
  limits: MetricLimits,
): MetricNames {
  const names = new Map<string, Named>()
  let total = 0

  function add(name: string, type: MetricType): Named {
    const family = `${PREFIX}${name}`
    const series = new Map<string, MetricSeries>()
    function* read(): Generator<string> {
      for (const each of series.values()) yield linesOf(family, each)
    }
    const remove = metrics.family({ name: family, help: 'Recorded by clients', type, lines: read })
    const named = { type, series, remove }
    names.set(name, named)
    return named
  }
  /** Which limit leaves no room for one more series, of a name that is known or a new one. */
  function fullBy(named: Named | undefined): string | undefined {
    const { metricSeriesMax, metricNamesMax } = limits
    if (named === undefined && names.size >= metricNamesMax)
      return `${names.size} names of metrics, the setting ${variableOf('metricNamesMax')}`
    if (named !== undefined && named.series.size >= metricSeriesMax)
      return `${named.series.size} label sets of this name, the setting ${variableOf('metricSeriesMax')}`
    return total >= SERIES_MAX ? `${total} label sets of all names together` : undefined
  }
  /** Whether its lines on the page, or those of a metric that has parts, would have one name. */
  function meetsAnother(name: string, type: MetricType): boolean {
    if (hasParts(type) && PARTS.some((part) => names.has(name + part))) return true
    const whole = PART.test(name) ? names.get(name.replace(PART, '')) : undefined
    return whole !== undefined && hasParts(whole.type)
  }
  return {
    show: (name, key, series) => {
      const named = names.get(name) ?? add(name, series.type)
      if (!named.series.has(key)) total += 1
      named.series.set(key, series)
    },
    hide: (name, key) => {
      const named = names.get(name)
      if (named?.series.delete(key) !== true) return
      total -= 1
      if (named.series.size > 0) return
      named.remove()
      names.delete(name)
    },
    typeOf: (name) => names.get(name)?.type,
    refuseNew: (name, type) => {
      const named = names.get(name)
      const full = fullBy(named)
      if (full !== undefined)
        throw serviceError('TOO_MANY_SERIES', `No room for one more: there are ${full}.`, {
          details: [
            { path: named === undefined ? 'name' : 'labels', message: 'makes one series more' },
          ],
        })
      if (meetsAnother(name, type))
        throw serviceError(
          'NAME_TAKEN',
          'Another metric already has a line of this name; choose another name.',
          { details: [{ path: 'name', message: 'is taken' }] },
        )
    },
    idleSince: (timeMs, limit) => {
      const idle: [string, string][] = []
      for (const [name, { series }] of names)
        for (const [key, { updatedMs }] of series)
          if (updatedMs < timeMs && idle.length < limit) idle.push([name, key])
      return idle
    },
  }
}

function hasParts(type: MetricType): boolean {
  return type === 'histogram' || type === 'summary'
}
