import { jsonWith } from '../../json/gradual-text.ts'
import type { AdaptationHistory, AdaptationRead } from '../../schema/adaptation.ts'
import type {
  AdaptationRecord,
  RuleRecord,
  SuggestionRecord,
  WatchedTotals,
} from '../../schema/adaptation-record.ts'
import type { Rule, SuggestionTaken } from '../../schema/suggestion.ts'
import { isoTime } from '../wire/moment.ts'
import { WATCHED_METRICS } from './figures.ts'
import type { ArmName, Arms } from './minutes.ts'
import { EVERY_QUERY } from './ranking-content.ts'
import type { RankingVersions } from './versions.ts'

/** An adaptation as it goes over the wire. */
export function showAdaptation(
  record: AdaptationRecord,
  figures: AdaptationFigures,
): AdaptationRead {
  const sent = JSON.parse(record.sent) as Partial<AdaptationRead>
  return { ...aboutAdaptation(record, figures), changes: JSON.parse(record.changes), ...sent }
}

/**
 * What `showAdaptation` gives, as JSON. What a client sent may be long and is kept as JSON: it is not parsed only to
 * be written again.
 */
export function adaptationJson(record: AdaptationRecord, figures: AdaptationFigures): string {
  const json = jsonWith(aboutAdaptation(record, figures), { changes: record.changes })
  return record.sent === '{}' ? json : `${json.slice(0, -1)},${record.sent.slice(1)}`
}

/** What was counted of a change, and the version of the ranking that it is in force with, if it is. */
export interface AdaptationFigures {
  arms: Arms
  /** How many units each arm has. */
  units: Record<ArmName, number>
  rankingVersion: number | undefined
}

function aboutAdaptation(
  record: AdaptationRecord,
  { arms, units, rankingVersion }: AdaptationFigures,
): Omit<AdaptationRead, 'changes'> {
  const { adaptationId, type, status, tuning, validation, warnings } = record
  const { ruleId, suggestionId } = record
  return {
    adaptationId,
    type,
    status,
    tuning,
    version: record.restoredBy ?? record.version,
    ...(rankingVersion === undefined ? {} : { rankingVersion }),
    queryHash: record.scope === EVERY_QUERY ? null : record.scope,
    metrics: {
      with: showArm(arms.with, units.with),
      without: showArm(arms.without, units.without),
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
    ...(ruleId === undefined ? {} : { ruleId }),
    ...(suggestionId === undefined ? {} : { suggestionId }),
    ...(warnings.length === 0 ? {} : { warnings }),
    created: isoTime(record.createdMs),
    updated: isoTime(record.updatedMs),
  }
}

/** An adaptation with its past, as it goes over the wire. */
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
      version,
      reason,
      content,
      ...(restores === undefined ? {} : { restores }),
      timestamp: isoTime(timeMs),
    })),
    history: record.history.map(({ timeMs, ...step }) => ({ ...step, timestamp: isoTime(timeMs) })),
  }
}

/** A Rule as JSON. */
export function ruleJson(rule: RuleRecord, more: Pick<Rule, 'warnings'> = {}): string {
  const { queryHash = null, changes, createdMs, ...same } = rule
  const about: Omit<Rule, 'changes'> = { ...same, queryHash, created: isoTime(createdMs), ...more }
  return jsonWith(about, { changes })
}

/** A SuggestionRead as JSON; with warnings a SuggestionTaken. */
export function suggestionJson(record: SuggestionRecord, warnings: string[] = []): string {
  const { key: _, rule, patterns, createdMs, updatedMs, ...same } = record
  const about: Omit<SuggestionTaken, 'rule' | 'patterns'> = {
    ...same,
    created: isoTime(createdMs),
    updated: isoTime(updatedMs),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
  return jsonWith(about, { rule: rule === undefined ? 'null' : ruleJson(rule), patterns })
}

/** Changes of one query that came before ranks were counted have none of them beside their clicks: not known. */
function withoutFalseRanks({ scope, baseline }: AdaptationRecord): WatchedTotals {
  const isFalse = scope !== EVERY_QUERY && baseline.clicked > 0 && baseline.reciprocalRanks === 0
  return isFalse ? { ...baseline, reciprocalRanks: undefined } : baseline
}

function showArm(arm: WatchedTotals, units: number | null): AdaptationRead['metrics']['with'] {
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
