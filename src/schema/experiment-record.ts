import type { ExperimentStatus } from './statuses.ts'
import type { Tuning } from './tuning.ts'

/** A test of search behaviour, or an experiment on how the service learns. */
export type ExperimentKind = 'test' | 'experiment'

export interface ExperimentVariant {
  id: string
  name: string
  /** Share of the units in the experiment, 0..1; all sum to 1. */
  share: number
  /** As it was sent. */
  config: object
  /** What of it changes a ranking. */
  tuning: Tuning
  /** What else was said of it, as it was sent. */
  sent?: { description?: string; weight?: number; allocation?: number }
}

/** One condition on a session; a session is a target when all hold. */
export interface TargetingCondition {
  /** `userId`, `clientId`, `sessionId`, or a dotted path in the session's metadata. */
  field: string
  operator:
    | 'any'
    | 'none'
    | 'gt'
    | 'gte'
    | 'lt'
    | 'lte'
    | 'exists'
    | 'contains'
    | 'startsWith'
    | 'endsWith'
  /** What is compared with; for `any` and `none` each of them. */
  values: unknown[]
}

/** A limit that no variant may cross. */
export interface GuardrailRule {
  /** One of the service's own metrics in its one spelling, or the name of one that is reported. */
  metric: string
  /** Which way harm lies. */
  harm: 'increase' | 'decrease'
  /** The value that may be reached; relative: the share of control's value that may be lost. */
  threshold: number
  relative: boolean
  /** Samples of a variant before it is judged: searches, or reported values. Absent: by where the metric comes from. */
  minSamples?: number
}

/** How the share of units in an experiment grows. */
export interface Rollout {
  type: 'immediate' | 'linear' | 'steps'
  /** Shares of units, 0..1, growing. */
  steps: number[]
  /** Least time at a step. */
  intervalMs: number
  /** Units seen at a step before the next. */
  minSamples: number
}

/** One test or experiment as the store keeps it. Times are milliseconds since the epoch. */
export interface ExperimentRecord {
  id: string
  kind: ExperimentKind
  name: string
  type?: string
  status: ExperimentStatus
  /** Interleaving deals both variants' rankings into one list; else each unit sees one variant. */
  mode: 'split' | 'interleaving'
  /** The first is control. */
  variants: ExperimentVariant[]
  /** Share of all units that may be in it, 0..1. */
  allocation: number
  targeting: TargetingCondition[]
  /** The first is the one that decides. */
  successMetrics: string[]
  guardrails: GuardrailRule[]
  rollout: Rollout
  step: number
  stepSinceMs: number
  /** In force for those who were in it when a guardrail ended it. */
  fallback?: { config: object; tuning: Tuning }
  /** When somebody ended it before its time. */
  fallbackEndedMs?: number
  createdMs: number
  startMs: number
  endMs: number
  /** The end was not asked for: it moves with a start by hand. */
  endByDefault: boolean
  /** A draft that starts by hand alone. */
  held: boolean
  endedMs?: number
  /** Why it ended, when nobody ended it by hand. */
  reason?: { text: string; figures?: Record<string, unknown> }
  /** The p of the sample ratio when it was found unhealthy, which it stays. */
  ratioP?: number
  /** Settings as they were sent, for whoever reads them again. */
  sent: Record<string, unknown>
  warnings: string[]
}

/** Sums over the units of an arm, as learn/statistics has them: units, x, xx, y, yy, xy. */
export type SumsRow = [number, number, number, number, number, number]

/** What the units of one arm did. */
export interface ArmRow {
  /** By metric. Rows of earlier versions have a list, in the order that learn/experiments/arms.ts remembers. */
  sums: Record<string, SumsRow> | SumsRow[]
  /** Searches by latency bucket. */
  latency: number[]
  /** Searches of units that came when there were too many to count. */
  leftOut: number
  /** Units seen since the step that began then. */
  stepSinceMs: number
  stepUnits: number
}

/** What one unit did. */
export interface UnitRow {
  arm: number
  firstMs: number
  lastMs: number
  /** In the order of learn/experiments/metrics.ts, to which new ones are added at the end. */
  counts: number[]
}

/** What came of one search in an experiment. */
export interface SearchOutcome {
  /** Highest place clicked, 1-based; 0 when none is known. */
  best: number
  clicked: boolean
  converted: boolean
  /** Places clicked, 0-based, in an interleaved list. */
  places: number[]
}

/** Values of a reported metric from one unit: its arm, their sum, how many. */
export type ObservedRow = [number, number, number]
