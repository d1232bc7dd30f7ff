import { Type } from 'typebox'
import { FreeForm, Id, Moment } from './common.ts'

export const IdPath = Type.Object({ id: Id })

const Variant = Type.Object(
  {
    id: Type.Optional(Id),
    name: Type.Optional(Type.String({ maxLength: 128 })),
    weight: Type.Optional(Type.Number({ minimum: 0 })),
    allocation: Type.Optional(Type.Number({ minimum: 0 })),
    config: Type.Optional(FreeForm),
  },
  { additionalProperties: true },
)
const Variants = Type.Array(Variant, { minItems: 2, maxItems: 100 })

/** A test of search behaviour. The first variant is control. */
export const SearchTest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128 }),
  variants: Variants,
  trafficAllocation: Type.Optional(
    Type.Union([
      Type.Number({ minimum: 0, maximum: 100 }),
      Type.Record(Type.String(), Type.Number()),
    ]),
  ),
  successMetrics: Type.Optional(Type.Unknown()),
  targetingRules: Type.Optional(Type.Unknown()),
  startDate: Type.Optional(Moment),
  endDate: Type.Optional(Moment),
})

export const Assignment = Type.Object({
  sessionId: Id,
  testName: Type.String({ minLength: 1, maxLength: 128 }),
})

/** An experiment on how the service learns. */
export const LearningExperiment = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128 }),
  type: Type.String({ minLength: 1, maxLength: 128 }),
  variants: Variants,
  technicalMetrics: Type.Optional(Type.Unknown()),
  businessMetrics: Type.Optional(Type.Unknown()),
  guardrails: Type.Optional(Type.Unknown()),
  rolloutStrategy: Type.Optional(FreeForm),
  fallbackConfig: Type.Optional(FreeForm),
})
