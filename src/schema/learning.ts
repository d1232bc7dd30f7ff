import { Type } from 'typebox'
import { ForeignId, FreeForm, Id, Share } from './common.ts'

const Words = Type.Array(Type.String(), { maxItems: 1000 })

/** Figures about a query, lists of patterns, or both. */
const Patterns = Type.Object(
  {
    averageRelevance: Type.Optional(Share),
    clickThroughRate: Type.Optional(Share),
    conversionRate: Type.Optional(Share),
    requiresOptimization: Type.Optional(Type.Boolean()),
    confidence: Type.Optional(Share),
    positivePatterns: Type.Optional(Words),
    negativePatterns: Type.Optional(Words),
    neutralPatterns: Type.Optional(Words),
  },
  { additionalProperties: true },
)

export const Suggestion = Type.Object({ queryHash: Id, patterns: Patterns, confidence: Share })

export const Adaptation = Type.Object({
  type: Type.String({ minLength: 1, maxLength: 128 }),
  changes: Type.Union([
    Type.Object({}, { additionalProperties: true, minProperties: 1 }),
    Type.Array(Type.Unknown(), { minItems: 1 }),
  ]),
  source: Type.Optional(Type.String()),
  confidence: Type.Optional(Share),
  expectedImpact: Type.Optional(Type.Unknown()),
  validationMetrics: Type.Optional(Type.Unknown()),
  acceptanceThresholds: Type.Optional(Type.Unknown()),
  rollbackTriggers: Type.Optional(
    Type.Union([Type.Array(FreeForm), Type.Record(Type.String(), Type.Number())]),
  ),
})
