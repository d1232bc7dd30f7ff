import { createHash } from 'node:crypto'
import { invalid } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { MetricReceipt, MetricSample, MetricType } from '../../schema/metric.ts'
import type { MetricSeries } from '../../schema/metric-record.ts'
import { addToSketch, sketchQuantile } from './sketch.ts'

/** Upper ends of a histogram's buckets, whatever its unit. */
export const HISTOGRAM_BOUNDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500,
  1000, 2500, 5000, 10_000, 100_000, 1_000_000,
]

const LABEL_CHARACTERS_MAX = 128
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/
/** Labels that the page itself writes. */
const OWN_LABELS = new Set(['le', 'quantile'])

/**
 * The labels of a sample, by name. One without a value is none: a scraper takes both for the same series.
 * Throws VALIDATION_FAILED for a label that no scraper would take, and for one that is said twice, and not alike.
 */
export function labelsOf(sample: MetricSample): Record<string, string> {
  const { service, environment, instance } = sample
  const labels: Record<string, string> = { ...sample.labels }
  for (const name of Object.keys(labels)) {
    if (name.length > LABEL_CHARACTERS_MAX)
      throw invalid('labels', `must have names of at most ${LABEL_CHARACTERS_MAX} characters`)
    if (!LABEL.test(name))
      throw invalid(`labels.${name}`, 'must have a name of letters, digits and _, not led by __')
    if (OWN_LABELS.has(name)) throw invalid(`labels.${name}`, 'is a label of the page itself')
  }
  for (const [name, value] of Object.entries({ service, environment, instance })) {
    if (value === undefined) continue
    if ((labels[name] ?? value) !== value) throw invalid(name, contradicts(name))
    labels[name] = value
  }
  for (const [name, value] of Object.entries(labels))
    if (value.includes('\0'))
      throw invalid(
        sample.labels?.[name] === value ? `labels.${name}` : name,
        'must not have the character U+0000, at which a scraper takes a page to end',
      )
  const said = Object.entries(labels).filter(([, value]) => value !== '')
  return Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function contradicts(name: string): string {
  return `contradicts labels.${name}; send one of them, or the same in both`
}

/** Names a set of labels, whatever their order. */
export function labelsKey(labels: Record<string, string>): string {
  return createHash('sha256').update(JSON.stringify(labels)).digest('base64url')
}

export function newSeries(
  type: MetricType,
  labels: Record<string, string>,
  nowMs: number,
): MetricSeries {
  return {
    metricId: newId(nowMs),
    type,
    labels,
    updatedMs: nowMs,
    count: 0,
    sum: 0,
    min: Number.MAX_VALUE,
    max: -Number.MAX_VALUE,
    last: 0,
    sketch: [],
    values: [],
    ...(type === 'histogram' ? { bounds: HISTOGRAM_BOUNDS.map(() => 0).concat(0) } : {}),
  }
}

/** Values that a series keeps, to tell its quantiles exactly. */
const VALUES_MAX = 64

/** The series with one more value. */
export function addValue(series: MetricSeries, value: number, nowMs: number): MetricSeries {
  const { values, ...counted } = series
  const added: MetricSeries = {
    ...counted,
    ...(values === undefined || values.length >= VALUES_MAX
      ? {}
      : { values: insert(values, value) }),
    updatedMs: nowMs,
    count: series.count + 1,
    // Two halves of the greatest number are more than a number can be.
    sum: Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, series.sum + value)),
    min: Math.min(series.min, value),
    max: Math.max(series.max, value),
    last: value,
    sketch: addToSketch(series.sketch, value),
  }
  if (series.bounds === undefined) return added
  const bucket = HISTOGRAM_BOUNDS.findIndex((bound) => value <= bound)
  const at = bucket < 0 ? HISTOGRAM_BOUNDS.length : bucket
  return { ...added, bounds: series.bounds.map((count, own) => (own === at ? count + 1 : count)) }
}

function insert(ascending: readonly number[], value: number): number[] {
  const at = ascending.findIndex((each) => each > value)
  return ascending.toSpliced(at < 0 ? ascending.length : at, 0, value)
}

export function receiptOf(series: MetricSeries): MetricReceipt {
  const { metricId, count, sum, min, max, last } = series
  return {
    metricId,
    processed: true,
    aggregations: {
      count,
      sum,
      min,
      max,
      // Three times .1 add up to more than .3, and the greatest numbers to the greatest that there is.
      avg: Math.max(min, Math.min(max, sum / count)),
      last,
      p50: quantileOf(series, 0.5),
      p95: quantileOf(series, 0.95),
    },
  }
}

/**
 * The least value that a share (0..1) of the values doesn't exceed (the nearest rank). Of many values it is the middle of
 * its bucket, but never outside of what was recorded.
 */
export function quantileOf(series: MetricSeries, share: number): number {
  const { values = [], count, sketch, min, max } = series
  // Rows of an earlier version have no values, and rows that one went on with lack some.
  if (values.length === count) return values[Math.max(1, Math.ceil(share * count)) - 1] ?? min
  return Math.min(max, Math.max(min, sketchQuantile(sketch, share)))
}
