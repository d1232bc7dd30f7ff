import type { AdaptationHistory, AdaptationRead } from '../../schema/adaptation.ts'
import type {
  AdaptationRecord,
  EarlierTotals,
  RuleRecord,
  SuggestionRecord,
} from '../../schema/adaptation-record.ts'
import type { Rule, SuggestionRead } from '../../schema/suggestion.ts'
import { isoTime } from '../wire/moment.ts'
import { EVERY_QUERY } from './content.ts'
import { WATCHED_METRICS } from './figures.ts'
import type { Arms } from './minutes.ts'
import type { RankingVersions } from './versions.ts'

/** An adaptation as it goes over the wire. */
export function showAdaptation(
  record: AdaptationRecord,
  arms: Arms,
  units: [withoutIt: number, withIt: number],
  rankingVersion: number | undefined,
): AdaptationRead {
  const { adaptationId, type, status, tuning, validation, warnings } = record
  const { ruleId, suggestionId } = record
  return {
    ...{ adaptationId, type, status, tuning },
    version: record.restoredBy ?? record.version,
    ...(rankingVersion === undefined ? {} : { rankingVersion }),
    queryHash: record.scope === EVERY_QUERY ? null : record.scope,
    changes: JSON.parse(record.changes),
    metrics: {
      with: showArm(arms.with, units[1]),
      without: showArm(arms.without, units[0]),
      before: showArm(withoutFalseRanks(record), null),
    },
    validation: { ...validation, checks: validation.checks.map(showCheck) },
    rollbackPlan: {
      targetVersion: record.targetVersion,
      triggers: record.triggers.map(({ windowMs, byDefault = false, ...trigger }) => ({
        ...trigger,
        window: windowMs,
        default: byDefault,
      })),
      automatic: true,
    },
    ...(JSON.parse(record.sent) as Partial<AdaptationRead>),
    ...(ruleId === undefined ? {} : { ruleId }),
    ...(suggestionId === undefined ? {} : { suggestionId }),
    ...(warnings.length === 0 ? {} : { warnings }),
    created: isoTime(record.createdMs),
    updated: isoTime(record.updatedMs),
  }
}

/** The same with its past. */
export function showHistory(
  shown: AdaptationRead,
  record: AdaptationRecord,
  versions: Pick<RankingVersions, 'of' | 'restored'>,
): AdaptationHistory {
  const { restoredBy } = record
  const restored = restoredBy === undefined ? undefined : versions.restored(restoredBy)
  return {
    ...shown,
    ...(restored === undefined ? {} : { restored }),
    versions: versions.of(record).map(({ version, reason, content, restores, timeMs }) => ({
      ...{ version, reason, content },
      ...(restores === undefined ? {} : { restores }),
      timestamp: isoTime(timeMs),
    })),
    history: record.history.map(({ timeMs, ...step }) => ({ ...step, timestamp: isoTime(timeMs) })),
  }
}

export function showRule(rule: RuleRecord): Rule {
  const { queryHash = null, changes, createdMs, ...same } = rule
  return { ...same, queryHash, changes: JSON.parse(changes), created: isoTime(createdMs) }
}

export function showSuggestion(record: SuggestionRecord): SuggestionRead {
  const { key: _, rule, patterns, createdMs, updatedMs, ...same } = record
  return {
    ...same,
    rule: rule === undefined ? null : showRule(rule),
    patterns: JSON.parse(patterns),
    created: isoTime(createdMs),
    updated: isoTime(updatedMs),
  }
}

/** Changes of one query that came before ranks were counted have none of them beside their clicks: not known. */
function withoutFalseRanks({ scope, baseline }: AdaptationRecord): EarlierTotals {
  const isFalse = scope !== EVERY_QUERY && baseline.clicked > 0 && baseline.reciprocalRanks === 0
  return isFalse ? { ...baseline, reciprocalRanks: undefined } : baseline
}

function showArm(arm: EarlierTotals, units: number | null): AdaptationRead['metrics']['with'] {
  const shown = (metric: 'ctr' | 'mrr' | 'zeroResultRate' | 'latencyP95') => {
    const value = WATCHED_METRICS[metric](arm)
    return value === undefined ? null : Number(value.toFixed(6))
  }
  return {
    searches: arm.searches,
    units,
    ctr: shown('ctr'),
    mrr: shown('mrr'),
    zeroResultRate: shown('zeroResultRate'),
    latencyP95: shown('latencyP95'),
  }
}

function showCheck({
  value = null,
  from = null,
  passed = null,
  ...check
}: {
  value: number | null | undefined
  from: string | null | undefined
  passed: boolean | null | undefined
}): object {
  return { ...check, value, from, passed }
}
