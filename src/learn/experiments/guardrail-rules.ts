import { invalid } from '../../errors.ts'
import { isObject } from '../../object.ts'
import type { GuardrailRule } from '../../schema/experiment-record.ts'
import { plainWord } from '../../word.ts'
import { harmOf, metricName } from './metrics.ts'

const GUARDRAILS_MAX = 100

type Harm = GuardrailRule['harm']

/** What the words of a rule say about crossing its threshold, without case and punctuation. */
const ABOVE = new Set(['>', '>=', 'gt', 'gte', 'above', 'greaterthan', 'increase', 'up', 'max'])
const BELOW = new Set(['<', '<=', 'lt', 'lte', 'below', 'lessthan', 'decrease', 'down', 'min'])
const BETTER_HIGHER = new Set(['higher', 'higherisbetter', 'higherbetter', 'maximize'])
const BETTER_LOWER = new Set(['lower', 'lowerisbetter', 'lowerbetter', 'minimize'])
const KNOWN = 'must be one of >, >=, <, <=, above, below, increase, decrease'

/**
 * Reads guardrails: a list of `{metric, operator | direction, threshold, minSamples?, relative?}`, or a map metric →
 * threshold. A metric whose harm is known (`harmOf`) is breached on that side of its threshold, whatever the operator
 * says; for any other the operator names the breach, and without one it is a rise. Throws VALIDATION_FAILED.
 */
export function readGuardrails(sent: unknown, warnings: string[] = []): GuardrailRule[] {
  if (sent === undefined || sent === null) return []
  if (typeof sent !== 'object') throw invalid('guardrails', 'must be a list or a map')
  const rules = Array.isArray(sent)
    ? sent.map((rule, at) => readRule(rule, `guardrails[${at}]`, warnings))
    : Object.entries(sent).map(([metric, value]) => readEntry(metric, value, warnings))
  if (rules.length > GUARDRAILS_MAX)
    throw invalid('guardrails', `must be at most ${GUARDRAILS_MAX}`)
  return rules
}

function readEntry(metric: string, value: unknown, warnings: string[]): GuardrailRule {
  const path = `guardrails.${metric.slice(0, 64)}`
  const rule = typeof value === 'object' && value !== null ? value : { threshold: value }
  return readRule({ ...rule, metric }, path, warnings)
}

function readRule(sent: unknown, path: string, warnings: string[]): GuardrailRule {
  if (!isObject(sent)) throw invalid(path, 'must be an object')
  const rule = sent
  const name = rule.metric ?? rule.name
  if (typeof name !== 'string' || name === '' || name.length > 128)
    throw invalid(`${path}.metric`, 'must be a text of at most 128 characters')
  const metric = metricName(name)
  const bound = boundOf(rule)
  if (typeof bound.threshold !== 'number' || !Number.isFinite(bound.threshold))
    throw invalid(`${path}.threshold`, 'must be a number')
  const relative = isRelative(rule)
  const said = harmSaid(rule.operator ?? rule.direction, path)
  const harm = bound.harm ?? harmOf(metric) ?? said
  if (harm === undefined)
    warnings.push(
      `${path}: nothing says on which side of its threshold ${metric} does harm; a rise is taken to. Send an operator.`,
    )
  return {
    metric,
    harm: harm ?? 'increase',
    threshold: relative ? Math.abs(bound.threshold) : bound.threshold,
    relative,
    ...readSamples(rule.minSamples, path),
  }
}

function boundOf({ threshold, min, max, value, maxDegradation }: Record<string, unknown>): {
  threshold: unknown
  harm?: Harm
} {
  if (threshold !== undefined) return { threshold }
  if (max !== undefined) return { threshold: max, harm: 'increase' }
  if (min !== undefined) return { threshold: min, harm: 'decrease' }
  return { threshold: maxDegradation ?? value }
}

function isRelative({ relative, type, mode, maxDegradation }: Record<string, unknown>): boolean {
  if (typeof relative === 'boolean') return relative
  return maxDegradation !== undefined || type === 'relative' || mode === 'relative'
}

/** Which way the words of the rule say that harm lies. Throws for words that say nothing. */
function harmSaid(sent: unknown, path: string): Harm | undefined {
  if (sent === undefined) return undefined
  const word = plainWord(sent)
  if (ABOVE.has(word) || BETTER_LOWER.has(word)) return 'increase'
  if (BELOW.has(word) || BETTER_HIGHER.has(word)) return 'decrease'
  throw invalid(`${path}.operator`, KNOWN)
}

function readSamples(sent: unknown, path: string): { minSamples?: number } {
  if (sent === undefined) return {}
  if (typeof sent !== 'number' || !Number.isInteger(sent) || sent < 0)
    throw invalid(`${path}.minSamples`, 'must be a whole number that is not negative')
  return { minSamples: sent }
}
