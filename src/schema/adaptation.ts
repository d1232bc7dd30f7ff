import { type Static, Type } from 'typebox'
import {
  DateTime,
  FreeForm,
  Id,
  MapOf,
  OneOf,
  PageBounds,
  PageQuery,
  Share,
  Words,
  WordsOf,
} from './common.ts'
import { RULE_FIELDS } from './rule-fields.ts'
import { ADAPTATION_STATUSES } from './statuses.ts'
import { Changes } from './suggestion.ts'

const TRIGGERS_MAX = 50
/** Answers tell each of them, with what came of it. */
const THRESHOLDS_MAX = 1000

const Triggers = Type.Union(
  [
    Type.Array(FreeForm, { maxItems: TRIGGERS_MAX }),
    MapOf(Type.Number(), { maxProperties: TRIGGERS_MAX }),
  ],
  {
    description:
      `List of \`{${RULE_FIELDS.rollbackTriggers.join(', ')}}\` or map metric → number; a name has 128 characters at most. Measured: ctr, mrr, ` +
      'zeroResultRate, latencyP50, latencyP95, latencyP99 (ms), searches. Operators: lt lte gt gte (or their signs) ' +
      'against the threshold; drop (relative), rise (absolute), times against searches without the change: more than so many ' +
      'times as much, or, with a threshold below 1, less, whatever the metric. ' +
      'window: a number of ms, or a text with its unit like "30m", "1h" (default) or "PT1H"; at most a day.',
  },
)

/** A change to the ranking. */
export const Adaptation = Type.Object({
  type: Type.String({ minLength: 1, maxLength: 128 }),
  changes: Changes,
  queryHash: Type.Optional(Id),
  ruleId: Type.Optional(Id),
  suggestionId: Type.Optional(Id),
  source: Type.Optional(Type.String({ maxLength: 512 })),
  confidence: Type.Optional(Share),
  expectedImpact: Type.Optional(Type.Unknown()),
  validationMetrics: Type.Optional(
    Type.Union([MapOf(Type.Unknown()), Type.Array(Type.Union([Type.String(), FreeForm]))], {
      description:
        'metric → figure, or a list of `{metric, value}`: acceptanceThresholds are held against them. A name alone ' +
        'is kept, and has no figure.',
    }),
  ),
  acceptanceThresholds: Type.Optional(
    Type.Union(
      [
        MapOf(Type.Unknown(), { maxProperties: THRESHOLDS_MAX }),
        Type.Array(FreeForm, { maxItems: THRESHOLDS_MAX }),
      ],
      {
        description:
          'metric → number, `{min, max}` or `{operator, threshold}`, or a list of these with their `metric`; held against ' +
          'validationMetrics, or against what is estimated from logged searches (ctrChange, mrrChange, clickPosition). ' +
          'Without a figure it holds nothing back, which `warnings` tell.',
      },
    ),
  ),
  rollbackTriggers: Type.Optional(Triggers),
  immediate: Type.Optional(
    Type.Boolean({ description: 'in force for every search at once, without a canary' }),
  ),
  force: Type.Optional(Type.Boolean({ description: 'the same as `immediate`' })),
})
export type Adaptation = Static<typeof Adaptation>

/** What takes a change back. */
export const RollbackTrigger = Type.Object({
  metric: Type.String(),
  operator: Type.String(),
  threshold: Type.Number(),
  window: Type.Integer({ description: 'milliseconds' }),
  minSamples: Type.Integer(),
  default: Type.Boolean({ description: 'not asked for: watched anyway' }),
})

const Figure = Type.Union([Type.Number(), Type.Null()])
const Arm = Type.Object({
  searches: Type.Integer(),
  units: Type.Union([Type.Integer(), Type.Null()], {
    description: 'null for the searches before: they are counted without whose they were',
  }),
  ctr: Figure,
  mrr: Figure,
  zeroResultRate: Figure,
  latencyP95: Figure,
})

export const AdaptationMetrics = Type.Object(
  { with: Arm, without: Arm, before: Arm },
  {
    description:
      'Searches with the change, those of the same time without it, and those before it.',
  },
)

const AdaptationParts = {
  adaptationId: Type.String(),
  version: Type.Integer({
    description:
      'The version that it made, by which searches name it, also when a rollback has brought it back; after its own ' +
      'rollback the one that repeats what was before, as `restored` tells.',
  }),
  rankingVersion: Type.Optional(
    Type.Integer({
      description:
        'While it is in force: the version of the ranking that is, of which it is a part. Read alone, it tells the content ' +
        'among `versions`. A rollback makes a new one.',
    }),
  ),
  type: Type.String(),
  status: OneOf(ADAPTATION_STATUSES, {
    description:
      'PENDING and VALIDATING are passed within the request. REJECTED: an acceptance threshold is missed. CANARY: ' +
      'for ADAPTATION_CANARY_SHARE of the units, never for searches without a session; until ' +
      'ADAPTATION_CANARY_MS have passed with ADAPTATION_CANARY_SEARCHES_MIN searches, or ten times as long. ' +
      'ACTIVE: for every search. SUPERSEDED: a newer change of the same settings and scope took its place; ' +
      'ACTIVE again when that one is rolled back. ROLLED_BACK: by hand or by a trigger. FAILED: it could not be ' +
      'checked, judged or brought into force, say because the model that it names can not rank; nobody gets it.',
  }),
  queryHash: Type.Union([Type.String(), Type.Null()], { description: 'null: every query' }),
  changes: Type.Unknown(),
  tuning: FreeForm,
  metrics: AdaptationMetrics,
  validation: Type.Object({
    passed: Type.Boolean(),
    failed: Type.Optional(
      Type.Boolean({ description: 'true: it could not be made, for what is logged is damaged' }),
    ),
    samples: Type.Integer(),
    estimates: MapOf(Type.Number()),
    checks: Type.Array(FreeForm),
    note: Type.String(),
  }),
  rollbackPlan: Type.Object({
    targetVersion: Type.Integer({ description: '0 is the ranking without any change' }),
    triggers: Type.Array(RollbackTrigger),
    automatic: Type.Boolean(),
  }),
  source: Type.Optional(Type.String()),
  confidence: Type.Optional(Type.Number()),
  expectedImpact: Type.Optional(Type.Unknown()),
  validationMetrics: Type.Optional(Type.Unknown()),
  acceptanceThresholds: Type.Optional(Type.Unknown()),
  ruleId: Type.Optional(Type.String()),
  suggestionId: Type.Optional(Type.String()),
  warnings: Type.Optional(Type.Array(Type.String())),
  created: DateTime,
  updated: DateTime,
}

/** Answer of applying, and one of a list. */
export const AdaptationRead = Type.Object(AdaptationParts)
export type AdaptationRead = Static<typeof AdaptationRead>

const Version = Type.Object({
  version: Type.Integer(),
  reason: Type.String(),
  content: Type.Array(FreeForm),
  restores: Type.Optional(Type.Integer()),
  timestamp: DateTime,
})

/** One adaptation with its past. */
export const AdaptationHistory = Type.Object({
  ...AdaptationParts,
  versions: Type.Array(Version, {
    description: 'those that it led to, and the one that is in force, if it is a part of that',
  }),
  history: Type.Array(
    Type.Object({
      status: OneOf(ADAPTATION_STATUSES),
      reason: Type.String(),
      version: Type.Optional(Type.Integer()),
      timestamp: DateTime,
    }),
  ),
  restored: Type.Optional(
    Type.Object(
      { version: Type.Integer(), restores: Type.Integer(), kept: Type.Array(Type.String()) },
      {
        description:
          'After its rollback: the new version, whose content is among `versions`, the one that it repeats, later changes kept.',
      },
    ),
  ),
})
export type AdaptationHistory = Static<typeof AdaptationHistory>

export const AdaptationQuery = Type.Object({
  status: Type.Optional(WordsOf(ADAPTATION_STATUSES)),
  type: Type.Optional(Words),
  queryHash: Type.Optional(Id),
  ...PageQuery,
})
export type AdaptationQuery = Static<typeof AdaptationQuery>

export const AdaptationList = Type.Object({
  adaptations: Type.Array(AdaptationRead),
  ...PageBounds,
})
export type AdaptationList = Static<typeof AdaptationList>

export const RollbackBody = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 2048 })),
})
export type RollbackBody = Static<typeof RollbackBody>
