import { ownValue } from '../../object.ts'
import type { MetricName } from './metric-names.ts'

/** Whether a metric is never above 1. */
const SHARES: Readonly<Record<MetricName, boolean>> = {
  ctr: true,
  mrr: true,
  zeroResultRate: true,
  conversionRate: true,
  rating: true,
  latencyMean: false,
  latencyP50: false,
  latencyP95: false,
  latencyP99: false,
  searches: false,
}

/** A rule by which something is taken back. */
interface FiringRule {
  metric: string
  /** drop: by more than such a part of what it was. */
  fires: 'above' | 'below' | 'drop'
  threshold: number
}

/**
 * What is said of a threshold that was most likely sent in percent: no share comes to it, so that the rule fires whatever
 * people do, or guards nothing.
 */
export function percentWarnings({ metric, fires, threshold }: FiringRule, path: string): string[] {
  if (threshold <= 1 || ownValue(SHARES, metric) !== true) return []
  const most = fires === 'drop' ? 'falls by 1 at most, which is all of it' : 'is 1 at most'
  const when = fires === 'below' ? 'always' : 'never'
  return [`${path}: ${metric} ${most}, so that this ${when} fires; 20 % is 0.2.`]
}
