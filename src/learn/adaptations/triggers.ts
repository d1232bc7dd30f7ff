import { invalid } from '../../errors.ts'
import type { Trigger, TriggerOperator } from '../../schema/adaptation-record.ts'
import { RULE_FIELDS } from '../../schema/rule-fields.ts'
import { shownName } from '../../word.ts'
import { DAY_MS, durationOf, durationWarnings, HOUR_MS } from '../wire/duration.ts'
import { boundNamed, lessIsBetter, mustNameMetric } from '../wire/metric-names.ts'
import {
  type RuleOperator,
  readOperator,
  SAMPLES_ELSEWHERE,
  THRESHOLD_ELSEWHERE,
} from '../wire/operators.ts'
import { percentWarnings } from '../wire/shares.ts'
import { type KnownBody, unreadFieldsAt } from '../wire/unread-fields.ts'
import { metricOf, WATCHED_METRICS } from './figures.ts'

/** Watched for every change unless it brings a trigger for the same metric. */
export const DEFAULT_TRIGGERS: readonly Trigger[] = [
  { metric: 'ctr', operator: 'drop', threshold: 0.2 },
  { metric: 'zeroResultRate', operator: 'rise', threshold: 0.1 },
  { metric: 'latencyP95', operator: 'times', threshold: 2 },
].map((trigger) => ({
  ...(trigger as Pick<Trigger, 'metric' | 'operator' | 'threshold'>),
  windowMs: HOUR_MS,
  minSamples: 100,
  byDefault: true,
}))

const WINDOW_MS = HOUR_MS
/** Longest window of a trigger; figures by the minute are kept this long. */
export const WINDOW_MS_MAX = DAY_MS
const SAMPLES_MIN = 20
const MEASURED = Object.keys(WATCHED_METRICS).join(', ')

const BODY: KnownBody = {
  is: 'a trigger',
  known: new Set([...RULE_FIELDS.rollbackTriggers, ...['name', 'direction', 'value', 'windowMs']]),
  meant: {
    ...THRESHOLD_ELSEWHERE,
    ...SAMPLES_ELSEWHERE,
    period: 'window',
    interval: 'window',
    duration: 'window',
    timeWindow: 'window',
  },
}

const FIRES: Partial<Record<RuleOperator, TriggerOperator>> = {
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  drop: 'drop',
  rise: 'rise',
  times: 'times',
  decrease: 'drop',
  increase: 'rise',
  min: 'lt',
  max: 'gt',
  higherIsBetter: 'lt',
  lowerIsBetter: 'gt',
}

export interface TriggersRead {
  triggers: Trigger[]
  warnings: string[]
}

/**
 * Reads `rollbackTriggers`: a list, or a map metric → number. Throws VALIDATION_FAILED that names the place for an
 * unknown operator, a threshold that is no number, or a window that is no time.
 */
export function readTriggers(sent: unknown): TriggersRead {
  const warnings: string[] = []
  const asked = Array.isArray(sent)
    ? sent.map((each, at) => readTrigger(each, `rollbackTriggers[${at}]`, warnings))
    : Object.entries((sent as Record<string, number> | undefined) ?? {}).map((pair) =>
        readPair(pair, warnings),
      )
  for (const { metric } of asked)
    if (metricOf(metric) === undefined)
      warnings.push(
        `The service does not measure ${metric}: its trigger never fires. It measures ${MEASURED}.`,
      )
  const own = new Set(asked.map(({ metric }) => metric))
  return {
    triggers: [...asked, ...DEFAULT_TRIGGERS.filter(({ metric }) => !own.has(metric))],
    warnings,
  }
}

function readTrigger(sent: unknown, path: string, warnings: string[]): Trigger {
  warnings.push(...unreadFieldsAt(path, sent as object, BODY))
  const { direction, operator = direction, ...rest } = sent as Record<string, unknown>
  const { name, metric = name, value, threshold = value, windowMs, window = windowMs } = rest
  const { minSamples } = rest
  if (metric === undefined) throw invalid(`${path}.metric`, `is required: one of ${MEASURED}`)
  const named = nameAndOperator(mustNameMetric(metric, `${path}.metric`))
  if (typeof threshold !== 'number') throw invalid(`${path}.threshold`, 'must be a number')
  if (minSamples !== undefined && !(Number.isInteger(minSamples) && Number(minSamples) >= 0))
    throw invalid(`${path}.minSamples`, 'must be a whole number that is not negative')
  const fires =
    operator === undefined ? named.operator : readOperator(operator, `${path}.operator`, FIRES)
  const figure = { metric: named.metric, operator: fires, threshold }
  warnings.push(...percentWarningsOf(figure, `${path}.threshold`))
  return {
    ...figure,
    windowMs: readWindow(window, `${path}.window`, warnings),
    // There is no figure of no search.
    minSamples: minSamples === undefined ? SAMPLES_MIN : Math.max(1, Number(minSamples)),
  }
}

function readPair([name, threshold]: [string, number], warnings: string[]): Trigger {
  const path = `rollbackTriggers.${shownName(name)}`
  const figure = { ...nameAndOperator(mustNameMetric(name, path)), threshold }
  warnings.push(...percentWarningsOf(figure, path))
  return { ...figure, windowMs: WINDOW_MS, minSamples: SAMPLES_MIN }
}

/** There may be so many times as much of anything. */
function percentWarningsOf(
  { metric, operator, threshold }: Pick<Trigger, 'metric' | 'operator' | 'threshold'>,
  path: string,
): string[] {
  const measured = metricOf(metric)
  if (operator === 'times' || measured === undefined) return []
  const side = operator === 'lt' || operator === 'lte' ? 'below' : 'above'
  const fires = operator === 'drop' ? 'drop' : side
  return percentWarnings({ metric: measured, fires, threshold }, path)
}

/**
 * `ctrDrop` means a drop of ctr, `minCtr` a ctr below; a bare metric is bad below the threshold, or
 * above it where less is better.
 */
function nameAndOperator(name: string): Pick<Trigger, 'metric' | 'operator'> {
  const [, bare = '', word = ''] =
    /^(.+?)_?(drop|decrease|decline|rise|increase)$/i.exec(name) ?? []
  const limit = boundNamed(name)
  const limited = limit === undefined ? undefined : metricOf(limit.metric)
  if (limit !== undefined && limited !== undefined && metricOf(name) === undefined)
    return { metric: limited, operator: limit.bound === 'max' ? 'gt' : 'lt' }
  const metric = metricOf(name) ?? metricOf(bare)
  const plain = lessIsBetter(metric ?? name) ? 'gt' : 'lt'
  if (word === '' || metric === undefined) return { metric: metric ?? name, operator: plain }
  return { metric, operator: /rise|increase/i.test(word) ? 'rise' : 'drop' }
}

/** Longer ones are cut to a day, which a warning tells. */
function readWindow(sent: unknown, path: string, warnings: string[]): number {
  if (sent === undefined) return WINDOW_MS
  const ms = durationOf(sent) ?? 0
  if (ms === 0)
    throw invalid(path, 'must be a text with its unit, like 15m, 1h or PT15M, or a number of ms')
  warnings.push(...durationWarnings(sent, path))
  if (ms > WINDOW_MS_MAX)
    warnings.push(`${path}: a trigger looks back a day, "24h", at most; so does this one.`)
  return Math.min(ms, WINDOW_MS_MAX)
}
