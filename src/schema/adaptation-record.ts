import type { AdaptationStatus, SuggestionStatus } from './statuses.ts'
import type { Tuning } from './tuning.ts'

/**
 * `lt` … `gte` hold the figure of searches with the change against the threshold; the others compare it with
 * searches without the change: `drop` 1 − with/without, `rise` with − without, `times` with/without, which
 * below 1 fires at less.
 */
export type TriggerOperator = 'lt' | 'lte' | 'gt' | 'gte' | 'drop' | 'rise' | 'times'

/** When a change is taken back by itself. */
export interface Trigger {
  metric: string
  operator: TriggerOperator
  threshold: number
  /** Searches of the last so many milliseconds count. */
  windowMs: number
  /** Searches with the change (and without it, where compared) before the trigger may fire. */
  minSamples: number
  /** Not asked for: watched anyway. */
  byDefault?: true
}

/** One change among those that are in force for a scope. */
export interface RankingMember {
  adaptationId: string
  version: number
  tuning: Tuning
}

/** One state of a scope's ranking: never changed once it is written. */
export interface RankingVersion {
  version: number
  /** Query hash, or `*` for every query. */
  scope: string
  /** Every change that is in force in this version, the later winning. */
  content: RankingMember[]
  /** The adaptation that led to it. */
  adaptationId: string
  reason: 'APPLIED' | 'ACTIVE' | 'ROLLED_BACK' | 'FAILED'
  /** The version whose content this one repeats. */
  restores?: number
  timeMs: number
}

/** What is in force for a query, or for every query. */
export interface RankingScope {
  /** Number of the version; 0 is the ranking without any change. */
  head: number
  /** Adaptations that are, or may come, into force by themselves, in the order in which they came. */
  open: string[]
}

/** Counts of a scope's searches that rollback triggers watch: with a change, without it, or before it came. */
export interface WatchedTotals {
  searches: number
  /** Searches of somebody: only they can be clicked. */
  known: number
  /** Searches with a click on one of their hits. */
  clicked: number
  /** Sum of 1/position of each first click within the first ten; undefined where it was not counted. */
  reciprocalRanks: number | undefined
  zeroResults: number
  /** Searches by latency bucket, see learn/statistics/latency-histogram.ts. */
  latency: number[]
}

/**
 * What one unit did: searches, clicked ones, ones without results, and how long they took in ms; rows of earlier versions
 * lack that.
 */
export type AdaptationUnitRow = [
  searches: number,
  clicked: number,
  zeroResults: number,
  tookMs?: number,
]

/** What is counted of searches with a change, or without it, while it is under way. */
export interface ArmTotals extends WatchedTotals {
  reciprocalRanks: number
  /** Units that searched, for as many as are told apart. Only in totals, since those keep them. */
  units?: number
}

export interface AdaptationValidation {
  passed: boolean
  /** It could not be made: the change fails. */
  failed?: true
  /** Logged searches that were ranked anew. */
  samples: number
  /** What the change would have done to them. */
  estimates: Record<string, number>
  checks: {
    metric: string
    operator: string
    threshold: number
    value: number | undefined
    from: 'sent' | 'replay' | undefined
    passed: boolean | undefined
  }[]
  note: string
}

export interface AdaptationStep {
  timeMs: number
  status: AdaptationStatus
  reason: string
  version?: number
}

/** An adaptation as the store keeps it. Free-form parts are JSON texts, so that they come back as they were sent. */
export interface AdaptationRecord {
  adaptationId: string
  version: number
  type: string
  status: AdaptationStatus
  /** Query hash, or `*` for every query. */
  scope: string
  changes: string
  tuning: Tuning
  unread: string[]
  warnings: string[]
  sent: string
  triggers: Trigger[]
  validation: AdaptationValidation
  /** Version of the scope that a rollback goes back to; 0 is the ranking without any change. */
  targetVersion: number
  /** The version that took it back. */
  restoredBy?: number
  /** The versions that it led to, oldest first; records of earlier versions of the service lack them. */
  led?: number[]
  /** Adaptations that it took the place of when it became active. */
  supersedes: string[]
  /** The scope's figures before it came. */
  baseline: WatchedTotals
  ruleId?: string
  suggestionId?: string
  createdMs: number
  updatedMs: number
  canaryMs?: number
  activeMs?: number
  history: AdaptationStep[]
}

/** A change that may be applied, by itself or by somebody. */
export interface RuleRecord {
  ruleId: string
  queryHash?: string
  name?: string
  description: string
  changes: string
  source: 'suggestion' | 'client' | 'service'
  suggestionId?: string
  createdMs: number
}

/** Where a suggestion comes from: a client, or one of the patterns that the service looks for. */
export const SUGGESTION_KINDS = [
  'suggested',
  'click_far_down',
  'zero_result_reformulated',
  'frequent_reformulation',
] as const
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number]

export interface SuggestionRecord {
  suggestionId: string
  /** Hash of what was suggested: the same twice is one suggestion. */
  key: string
  source: 'client' | 'service'
  kind: SuggestionKind
  queryHash: string
  patterns: string
  confidence: number
  status: SuggestionStatus
  reason: string
  rule?: RuleRecord
  /** Figures that it rests on. */
  evidence: Record<string, unknown>
  createdMs: number
  updatedMs: number
}
