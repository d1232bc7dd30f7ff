import { type Static, Type } from 'typebox'
import { ForeignId, FreeForm, Id, Share, Unquoted } from './common.ts'

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

const Scaler = Type.Object({
  mean: Type.Optional(Unquoted),
  std: Type.Optional(Unquoted),
})

const ModelState = Type.Object(
  {
    weights: Type.Optional(Unquoted),
    bias: Type.Optional(Unquoted),
    scaler: Type.Optional(Scaler),
    featureNames: Type.Optional(Unquoted),
    metrics: Type.Optional(FreeForm),
    hyperparameters: Type.Optional(FreeForm),
    currentEpoch: Type.Optional(Type.Number()),
    trainingProgress: Type.Optional(Type.Number()),
    lastTrainingError: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)

export const ModelSync = Type.Object({
  modelId: Id,
  state: ModelState,
  activate: Type.Optional(Type.Boolean()),
})

const Step = Type.Object(
  {
    step: Type.Optional(Type.String()),
    status: Type.Optional(Type.String()),
    duration: Type.Optional(Type.Number()),
    timestamp: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)

const SignalMetadata = Type.Object(
  {
    processingTime: Type.Optional(Type.Number()),
    processor: Type.Optional(Type.String()),
    attemptCount: Type.Optional(Type.Number({ minimum: 0 })),
    failureReason: Type.Optional(Type.String()),
    processingSteps: Type.Optional(Type.Array(Step, { maxItems: 1000 })),
    performance: Type.Optional(FreeForm),
    context: Type.Optional(FreeForm),
  },
  { additionalProperties: true },
)

/** One step in the processing of a signal. */
export const SignalStep = Type.Object({
  signalId: Id,
  type: Type.Optional(Type.String({ maxLength: 128 })),
  status: Type.Optional(Type.String({ maxLength: 128 })),
  metadata: Type.Optional(SignalMetadata),
})

const Names = Type.Array(Type.String(), { maxItems: 100 })

export const EventQuery = Type.Object({
  type: Type.Optional(Names),
  status: Type.Optional(Names),
  sessionId: Type.Optional(ForeignId),
  modelId: Type.Optional(ForeignId),
  adaptationId: Type.Optional(ForeignId),
  startDate: Type.Optional(Type.String()),
  endDate: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  cursor: Type.Optional(Type.String({ maxLength: 1024 })),
  order: Type.Optional(Type.String({ pattern: '^(?:[aA][sS][cC]|[dD][eE][sS][cC])$' })),
})

/** One line of the history of learning. */
export const LearningEvent = Type.Object({
  id: Type.String(),
  type: Type.String(),
  status: Type.String(),
  priority: Type.String(),
  timestamp: Type.String({ format: 'date-time' }),
  source: Type.String(),
  correlationId: Type.Optional(Type.String()),
  sessionId: Type.Optional(Type.String()),
  modelId: Type.Optional(Type.String()),
  adaptationId: Type.Optional(Type.String()),
  data: FreeForm,
})
export type LearningEvent = Static<typeof LearningEvent>
