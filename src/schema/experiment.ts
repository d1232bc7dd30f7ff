import { type Static, Type } from 'typebox'
import { FreeForm, Id, Moment } from './common.ts'
import { Findings, GuardrailState, SampleRatioState } from './experiment-report.ts'

export const IdPath = Type.Object({ id: Id })

const Name = Type.String({ minLength: 1, maxLength: 128 })

const Variant = Type.Object(
  {
    id: Type.Optional(Id),
    name: Type.Optional(Type.String({ maxLength: 128 })),
    weight: Type.Optional(Type.Number({ minimum: 0 })),
    allocation: Type.Optional(Type.Number({ minimum: 0 })),
    config: Type.Optional(FreeForm),
    weights: Type.Optional(FreeForm),
  },
  { additionalProperties: true },
)
const Variants = Type.Array(Variant, { minItems: 2, maxItems: 100 })

/** What tests and experiments have in common. */
const Common = {
  name: Name,
  variants: Variants,
  trafficAllocation: Type.Optional(
    Type.Union([
      Type.Number({ minimum: 0, maximum: 100 }),
      Type.Record(Type.String(), Type.Number()),
    ]),
  ),
  successMetrics: Type.Optional(Type.Unknown()),
  targetingRules: Type.Optional(Type.Unknown()),
  guardrails: Type.Optional(Type.Unknown()),
  rolloutStrategy: Type.Optional(FreeForm),
  fallbackConfig: Type.Optional(FreeForm),
  mode: Type.Optional(Type.String({ description: 'split (default) or interleaving' })),
  status: Type.Optional(Type.String({ description: 'DRAFT: it starts by hand alone' })),
  startDate: Type.Optional(Moment),
  endDate: Type.Optional(Moment),
}

/** A test of search behaviour. The first variant is control. */
export const SearchTest = Type.Object(Common)

/** An experiment on how the service learns. */
export const LearningExperiment = Type.Object({
  ...Common,
  type: Name,
  technicalMetrics: Type.Optional(Type.Unknown()),
  businessMetrics: Type.Optional(Type.Unknown()),
})

/** Either as the engine takes it. */
export type ExperimentCreate = Static<typeof SearchTest> &
  Partial<Omit<Static<typeof LearningExperiment>, keyof typeof Common>>

export const Assignment = Type.Object({
  sessionId: Id,
  testName: Type.Optional(Name),
  testId: Type.Optional(Id),
})
export type Assignment = Static<typeof Assignment>

export const ExperimentResult = Type.Object({
  experimentId: Type.Optional(Id),
  experimentName: Type.Optional(Name),
  variantId: Type.Optional(Id),
  unit: Type.Optional(Id),
  sessionId: Type.Optional(Id),
  metrics: Type.Record(Type.String({ minLength: 1, maxLength: 128 }), Type.Number(), {
    minProperties: 1,
    maxProperties: 50,
  }),
})
export type ExperimentResult = Static<typeof ExperimentResult>

export const ExperimentQuery = Type.Object({
  status: Type.Optional(Type.String({ maxLength: 256, description: 'one status or a comma list' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
})
export type ExperimentQuery = Static<typeof ExperimentQuery>

const DateTime = Type.String({ format: 'date-time' })

const AnsweredVariant = Type.Object({
  id: Type.String(),
  name: Type.String(),
  share: Type.Number(),
  config: FreeForm,
})

const VariantMetrics = Type.Object(
  {
    units: Type.Integer(),
    searches: Type.Integer(),
    ctr: Type.Number(),
    mrr: Type.Number(),
    zeroResultRate: Type.Number(),
    conversionRate: Type.Number(),
    latencyMs: Type.Number(),
    latencyP95Ms: Type.Number(),
    rating: Type.Number(),
  },
  { additionalProperties: true, description: 'Reported metrics stand beside the own ones.' },
)

const About = {
  name: Type.String(),
  status: Type.String(),
  mode: Type.String(),
  variants: Type.Array(AnsweredVariant),
  trafficAllocation: Type.Number(),
  created: DateTime,
  startDate: DateTime,
  endDate: DateTime,
  ended: Type.Optional(DateTime),
  reason: Type.Optional(FreeForm),
  warnings: Type.Optional(Type.Array(Type.String())),
  successMetrics: Type.Optional(Type.Unknown()),
  targetingRules: Type.Optional(Type.Unknown()),
  guardrails: Type.Optional(Type.Unknown()),
  rolloutStrategy: Type.Optional(FreeForm),
  fallbackConfig: Type.Optional(FreeForm),
}

export const Monitoring = Type.Object({
  srm: SampleRatioState,
  guardrails: Type.Array(GuardrailState),
  step: Type.Object({
    current: Type.Integer({ description: 'from 1' }),
    of: Type.Integer(),
    percent: Type.Number({ description: 'of the units that may be in it' }),
    since: DateTime,
  }),
  nextCheckAt: Type.Union([DateTime, Type.Null()]),
  sampleSize: Type.Integer({ description: 'units that took part so far' }),
})
export type Monitoring = Static<typeof Monitoring>

const Metrics = Type.Record(Type.String(), VariantMetrics, { description: 'by variant' })

export const AnsweredTest = Type.Object({ testId: Type.String(), ...About, metrics: Metrics })

export const AnsweredExperiment = Type.Object({
  experimentId: Type.String(),
  type: Type.String(),
  ...About,
  technicalMetrics: Type.Optional(Type.Unknown()),
  businessMetrics: Type.Optional(Type.Unknown()),
  metrics: Metrics,
  monitoring: Monitoring,
})

/** The same, read alone. */
export const ReportedTest = Type.Object({
  ...AnsweredTest.properties,
  monitoring: Monitoring,
  ...Findings,
})
export const ReportedExperiment = Type.Object({ ...AnsweredExperiment.properties, ...Findings })

const ListBounds = { total: Type.Integer(), limit: Type.Integer() }
export const TestList = Type.Object({ tests: Type.Array(AnsweredTest), ...ListBounds })
export const ExperimentList = Type.Object({
  experiments: Type.Array(AnsweredExperiment),
  ...ListBounds,
})

export const AnsweredAssignment = Type.Object({
  testId: Type.String(),
  testName: Type.String(),
  variantId: Type.String(),
  variantName: Type.String(),
  config: FreeForm,
  inExperiment: Type.Boolean(),
  bucket: Type.Integer({ minimum: 0, maximum: 9999 }),
  reason: Type.Optional(Type.String({ description: 'why it is outside: allocation or targeting' })),
})
export type AnsweredAssignment = Static<typeof AnsweredAssignment>

export const AnsweredResult = Type.Object({
  experimentId: Type.String(),
  variantId: Type.String(),
  recorded: Type.Integer({ description: 'values that were counted' }),
  status: Type.String(),
  monitoring: Monitoring,
})
