import { invalid } from '../../errors.ts'
import { asObject } from '../../object.ts'
import type { Adaptation } from '../../schema/adaptation.ts'
import type { AdaptationValidation } from '../../schema/adaptation-record.ts'
import { RULE_FIELDS } from '../../schema/rule-fields.ts'
import { shownName } from '../../word.ts'
import { boundNamed, lessIsBetter, mustNameMetric } from '../wire/metric-names.ts'
import { type RuleOperator, readOperator, THRESHOLD_ELSEWHERE } from '../wire/operators.ts'
import { type KnownBody, unreadFieldsAt } from '../wire/unread-fields.ts'

type Check = AdaptationValidation['checks'][number]

interface Threshold {
  metric: string
  operator: 'lt' | 'lte' | 'gt' | 'gte'
  threshold: number
}

const COMPARE = {
  lt: (value: number, threshold: number) => value < threshold,
  lte: (value: number, threshold: number) => value <= threshold,
  gt: (value: number, threshold: number) => value > threshold,
  gte: (value: number, threshold: number) => value >= threshold,
}
const PASSES: Partial<Record<RuleOperator, Threshold['operator']>> = {
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  min: 'gte',
  max: 'lte',
  higherIsBetter: 'gte',
  lowerIsBetter: 'lte',
}

const BODY: KnownBody = {
  is: 'a threshold',
  known: new Set([...RULE_FIELDS.acceptanceThresholds, ...['name', 'value']]),
  meant: THRESHOLD_ELSEWHERE,
}

/**
 * Reads `acceptanceThresholds`: a map metric → number, → `{min, max}`, → `{operator, threshold}`, or a list of
 * `{metric, operator, threshold}`. A bare number is a minimum, or a maximum where less is better or the name says so
 * (`maxTook`).
 * Says in `warnings` what is not read of them. Throws VALIDATION_FAILED that names the place.
 */
export function readThresholds(sent: unknown, warnings: string[] = []): Threshold[] {
  if (Array.isArray(sent))
    return sent.flatMap((each: Record<string, unknown>, at) => {
      const path = `acceptanceThresholds[${at}]`
      const { name, metric = name } = each
      warnings.push(...unreadFieldsAt(path, each, BODY))
      return readLimits(mustNameMetric(metric, `${path}.metric`), each, path)
    })
  return Object.entries((sent as Record<string, unknown> | undefined) ?? {}).flatMap(
    ([metric, limits]) => {
      const path = `acceptanceThresholds.${shownName(metric)}`
      warnings.push(...unreadFieldsAt(path, asObject(limits) ?? {}, BODY))
      return readLimits(mustNameMetric(metric, path), limits, path)
    },
  )
}

function readLimits(metric: string, sent: unknown, path: string): Threshold[] {
  const byName =
    (boundNamed(metric)?.bound ?? (lessIsBetter(metric) ? 'max' : 'min')) === 'max' ? 'lte' : 'gte'
  if (typeof sent === 'number') return [{ metric, operator: byName, threshold: sent }]
  if (typeof sent !== 'object' || sent === null)
    throw invalid(path, 'must be a number or an object')
  const { operator = byName, value, threshold = value, min, max } = sent as Record<string, unknown>
  const limits = [
    ['threshold', operator, threshold],
    ['min', 'min', min],
    ['max', 'max', max],
  ] as const
  const read = limits.filter(([, , limit]) => limit !== undefined)
  if (read.length === 0) throw invalid(path, 'must name a threshold')
  return read.map(([place, word, limit]) => {
    const known = readOperator(word, `${path}.operator`, PASSES)
    if (typeof limit !== 'number') throw invalid(`${path}.${place}`, 'must be a number')
    return { metric, operator: known, threshold: limit }
  })
}

/**
 * Reads `validationMetrics` as a map: of a list, what has a figure. Throws VALIDATION_FAILED that names the place of an
 * object without a name.
 */
export function readValidation(sent: Adaptation['validationMetrics']): Record<string, unknown> {
  if (!Array.isArray(sent)) return sent ?? {}
  const figures = sent.map((each, at) => {
    if (typeof each === 'string') return [each, undefined]
    const { name, metric = name, value } = each as Record<string, unknown>
    return [mustNameMetric(metric, `validationMetrics[${at}].metric`), value]
  })
  return Object.fromEntries(figures.filter(([, value]) => value !== undefined))
}

/**
 * Holds each threshold against the figure that was sent, else the estimated one; neither: not judged. `minAccuracy` is
 * held against `accuracy` where there is no figure by its own name. Throws
 * VALIDATION_FAILED for one that was sent as no number: it would pass for none, and the change unjudged.
 */
export function checkThresholds(
  thresholds: readonly Threshold[],
  sent: Record<string, unknown>,
  estimates: Record<string, number>,
): Check[] {
  return thresholds.map(({ metric, operator, threshold }) => {
    const plain = boundNamed(metric)?.metric ?? metric
    const given = mustBeNumber(sent, metric) ?? mustBeNumber(sent, plain)
    const value = given ?? ownNumber(estimates, metric) ?? ownNumber(estimates, plain)
    const from = given !== undefined ? 'sent' : value === undefined ? undefined : 'replay'
    const passed = value === undefined ? undefined : COMPARE[operator](value, threshold)
    return { metric, operator, threshold, value, from, passed }
  })
}

/** What is estimated of a change that logged searches can be ranked anew with. */
const ESTIMATED = 'ctrChange, mrrChange, clickPosition'
const NAMES_TOLD_MAX = 20

/** Thresholds that were held against nothing, and figures that nothing can be held against. */
export function warningsOfChecks(
  checks: readonly Check[],
  sent: Record<string, unknown>,
): string[] {
  const open = checks.filter(({ passed }) => passed === undefined).map(({ metric }) => metric)
  const worded = Object.keys(sent).filter((metric) => typeof (sent[metric] ?? 0) !== 'number')
  const warnings: string[] = []
  if (open.length > 0)
    warnings.push(
      `acceptanceThresholds: there is no figure of ${listed(open)}, so nothing was held back by it: validationMetrics have none, and the service itself estimates ${ESTIMATED} alone, from clicked searches that are logged.`,
    )
  if (worded.length > 0)
    warnings.push(
      `validationMetrics: what is sent of ${listed(worded)} is no number; it is kept, and no threshold can be held against it.`,
    )
  return warnings
}

function listed(metrics: readonly string[]): string {
  return [...new Set(metrics)].slice(0, NAMES_TOLD_MAX).map(shownName).join(', ')
}

function mustBeNumber(sent: Record<string, unknown>, metric: string): number | undefined {
  const figure = Object.hasOwn(sent, metric) ? (sent[metric] ?? undefined) : undefined
  if (figure === undefined || typeof figure === 'number') return figure
  throw invalid(
    `validationMetrics.${metric}`,
    'must be a number, for a threshold is held against it',
  )
}

function ownNumber(figures: Record<string, unknown>, metric: string): number | undefined {
  const figure = Object.hasOwn(figures, metric) ? figures[metric] : undefined
  return typeof figure === 'number' ? figure : undefined
}
