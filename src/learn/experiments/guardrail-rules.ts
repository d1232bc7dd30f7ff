import { invalid } from '../../errors.ts'
import { isObject } from '../../object.ts'
import type { GuardrailRule } from '../../schema/experiment-record.ts'
import { EXPERIMENT_RULES_MAX } from '../../schema/experiment-rules.ts'
import { RULE_FIELDS } from '../../schema/rule-fields.ts'
import { plainWord, shownName } from '../../word.ts'
import { boundNamed, mustNameMetric } from '../wire/metric-names.ts'
import {
  type RuleOperator,
  readOperator,
  SAMPLES_ELSEWHERE,
  THRESHOLD_ELSEWHERE,
} from '../wire/operators.ts'
import { percentWarnings } from '../wire/shares.ts'
import { type KnownBody, unreadFieldsAt } from '../wire/unread-fields.ts'
import { harmOf, metricName } from './metrics.ts'
import { readMinSamples } from './min-samples.ts'

type Harm = GuardrailRule['harm']

/** What an operator or a direction says of where harm lies, and of what the threshold is a share of. */
interface Said {
  harm: Harm
  /** The threshold as the share of control's value that may be lost. */
  share?: (threshold: number) => number
}

/** One that is ignored would make the rule another one: fewer samples, or harm on the other side. */
const BODY: KnownBody = {
  is: 'a guardrail',
  known: new Set([
    ...RULE_FIELDS.guardrails,
    ...['name', 'direction', 'value', 'maxDegradation', 'type', 'mode'],
  ]),
  meant: { ...THRESHOLD_ELSEWHERE, ...SAMPLES_ELSEWHERE },
}

const RISE: Said = { harm: 'increase' }
const FALL: Said = { harm: 'decrease' }
/** So many times as much is a rise, or below once as much a fall. */
const TIMES: Said = { harm: 'increase', share: (threshold) => threshold - 1 }
const SAID: Partial<Record<RuleOperator, Said>> = {
  gt: RISE,
  gte: RISE,
  lt: FALL,
  lte: FALL,
  increase: RISE,
  decrease: FALL,
  max: RISE,
  min: FALL,
  higherIsBetter: FALL,
  lowerIsBetter: RISE,
  // As of rollback triggers: 1 - with / without, and with / without.
  drop: { harm: 'decrease', share: (threshold) => threshold },
  times: TIMES,
}

/**
 * Reads guardrails: a list of `{metric, operator | direction, threshold, minSamples?, relative?}`, or a map metric →
 * threshold, whose names may begin with min or max. A metric whose harm is known (`harmOf`) is breached on that side of
 * its threshold, whatever the operator says; for any other the operator names the breach, and without one it is a rise.
 * Throws VALIDATION_FAILED.
 */
export function readGuardrails(sent: unknown, warnings: string[] = []): GuardrailRule[] {
  if (sent === undefined) return []
  if (typeof sent !== 'object' || sent === null)
    throw invalid('guardrails', 'must be a list or a map')
  const sentRules = Array.isArray(sent) ? sent.length : Object.keys(sent).length
  if (sentRules > EXPERIMENT_RULES_MAX) throw tooMany()
  const rules = Array.isArray(sent)
    ? sent.flatMap((rule, at) => readRules(rule, `guardrails[${at}]`, warnings))
    : Object.entries(sent).flatMap(([metric, value]) => readEntry(metric, value, warnings))
  if (rules.length > EXPERIMENT_RULES_MAX) throw tooMany()
  return rules
}

function tooMany(): Error {
  return invalid('guardrails', `must be at most ${EXPERIMENT_RULES_MAX}`)
}

/** `{"maxErrorRate": 0.05}` is the greatest value of errorRate. */
function readEntry(name: string, value: unknown, warnings: string[]): GuardrailRule[] {
  const path = `guardrails.${shownName(name)}`
  if (typeof value === 'object' && value !== null)
    return readRules({ ...value, metric: name }, path, warnings)
  const { metric = name, bound = 'threshold' } = boundNamed(name) ?? {}
  return readRules({ [bound]: value, metric }, path, warnings)
}

/** A least and a greatest value are two rules. */
function readRules(sent: unknown, path: string, warnings: string[]): GuardrailRule[] {
  if (isObject(sent)) warnings.push(...unreadFieldsAt(path, sent, BODY))
  const { min, max, ...same } = isObject(sent) ? sent : {}
  const areBoth = min !== undefined && max !== undefined
  if (!areBoth || same.threshold !== undefined) return [readRule(sent, path, warnings)]
  return [{ min }, { max }].map((bound) => readRule({ ...same, ...bound }, path, warnings))
}

function readRule(sent: unknown, path: string, warnings: string[]): GuardrailRule {
  if (!isObject(sent)) throw invalid(path, 'must be an object')
  const { name, metric: named = name, direction, operator = direction } = sent
  const metric = metricName(mustNameMetric(named, `${path}.metric`))
  const bound = boundOf(sent)
  const place = `${path}.${bound.key ?? 'threshold'}`
  if (typeof bound.threshold !== 'number' || !Number.isFinite(bound.threshold))
    throw invalid(place, 'must be a number')
  const said = operator === undefined ? undefined : readOperator(operator, `${path}.operator`, SAID)
  const relative = isRelative(sent, said, path)
  const share = said?.share?.(bound.threshold) ?? bound.threshold
  const saidHarm = said === TIMES && share < 0 ? 'decrease' : said?.harm
  const harm = bound.harm ?? harmOf(metric) ?? saidHarm
  if (said === TIMES) refuseHarmless(bound.threshold, harm, place)
  if (harm === undefined)
    warnings.push(
      `${path}: nothing says on which side of its threshold ${metric} does harm; a rise is taken to. Send an operator.`,
    )
  const minSamples = readMinSamples(sent, path)
  const rule = {
    metric,
    harm: harm ?? 'increase',
    threshold: relative ? Math.abs(share) : bound.threshold,
    relative,
  }
  warnings.push(...percentWarningsOf(rule, place))
  return {
    ...rule,
    ...(minSamples === undefined ? {} : { minSamples }),
  }
}

/** A rise may be by more than all that there was. */
function percentWarningsOf(
  { metric, harm, threshold, relative }: GuardrailRule,
  path: string,
): string[] {
  if (relative && harm === 'increase') return []
  const side = harm === 'decrease' ? 'below' : 'above'
  return percentWarnings({ metric, threshold, fires: relative ? 'drop' : side }, path)
}

/** A limit that lies where no harm is would never be passed, or be read as its mirror. */
function refuseHarmless(times: number, harm: Harm | undefined, path: string): void {
  if (harm === 'increase' && times < 1)
    throw invalid(path, 'must be 1 or more: of this metric, more is what does harm')
  if (harm === 'decrease' && (times <= 0 || times > 1))
    throw invalid(path, 'must be above 0, and 1 at most: of this metric, less is what does harm')
}

function boundOf({ threshold, min, max, value, maxDegradation = value }: Record<string, unknown>): {
  threshold: unknown
  key?: string
  harm?: Harm
} {
  if (threshold !== undefined) return { threshold }
  if (max !== undefined) return { threshold: max, key: 'max', harm: 'increase' }
  if (min !== undefined) return { threshold: min, key: 'min', harm: 'decrease' }
  return { threshold: maxDegradation }
}

function isRelative(
  { relative, type, mode, maxDegradation }: Record<string, unknown>,
  said: Said | undefined,
  path: string,
): boolean {
  if (relative !== undefined && typeof relative !== 'boolean')
    throw invalid(`${path}.relative`, 'must be true or false')
  if (said?.share !== undefined) return true
  if (typeof relative === 'boolean') return relative
  return maxDegradation !== undefined || [type, mode].map(plainWord).includes('relative')
}
