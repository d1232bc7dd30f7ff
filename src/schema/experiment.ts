import { type Static, Type } from 'typebox'
import {
  DateTime,
  FreeForm,
  Id,
  MapOf,
  OneOf,
  PageBounds,
  PageQuery,
  Word,
  Words,
} from './common.ts'
import { COUNTED_FIGURES } from './experiment-metrics.ts'
import { Findings, GuardrailState, SampleRatioState } from './experiment-report.ts'
import { Guardrails, MetricNames, TargetingRules } from './experiment-rules.ts'
import { EXPERIMENT_STATUSES } from './statuses.ts'
import { TUNING_SHAPES } from './tuning.ts'

const When = (description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Number()], { description }))

const Name = Type.String({ minLength: 1, maxLength: 128 })

const SHARE =
  'share of those who take part, of 1 or of 100; variants without one divide what the others leave'
export const Variant = Type.Object(
  {
    id: Type.Optional(Id),
    name: Type.Optional(Type.String({ maxLength: 128 })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    weight: Type.Optional(Type.Number({ minimum: 0, description: SHARE })),
    allocation: Type.Optional(Type.Number({ minimum: 0, description: SHARE })),
    share: Type.Optional(Type.Number({ minimum: 0, description: `as answers call it: ${SHARE}` })),
    config: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: `What changes in a search. ${TUNING_SHAPES} What is not read is kept and named in \`warnings\`.`,
        },
      ),
    ),
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
    Type.Union([Type.Number({ minimum: 0, maximum: 100 }), MapOf(Type.Number({ minimum: 0 }))], {
      description:
        'a number: the share of all units that take part, 0..1, or a percentage above 1; an object: variant → share, which sum to 1 or 100',
    }),
  ),
  successMetrics: Type.Optional(MetricNames),
  targetingRules: Type.Optional(TargetingRules),
  guardrails: Type.Optional(Guardrails),
  rolloutStrategy: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'type immediate, linear or steps; steps: growing shares or percentages of the units; interval: a number of ms, or a text with its unit like "1h" (default) or "PT1H", at most a year; minSamples: units that must search at a step before the next (100)',
      },
    ),
  ),
  fallbackConfig: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'what applies, when a guardrail ended an experiment and until the end date or `deactivate`, to all whom it would hold, also those who come later; the same settings as the config of a variant',
      },
    ),
  ),
  mode: Type.Optional(
    Word(['split', 'interleaving'], {
      description:
        'split (default): each unit sees one variant; interleaving: two variants that differ in the order of hits alone are dealt into one list',
    }),
  ),
  status: Type.Optional(
    Word(['DRAFT', 'ACTIVE'], { description: 'DRAFT: it starts by hand alone' }),
  ),
  startDate: When('ISO 8601 or epoch ms; a day alone means its beginning'),
  endDate: When('the same; a day alone means its end; after 30 days by default'),
}

/** A test of search behaviour. The first variant is control. */
export const SearchTest = Type.Object(Common)

/** An experiment on how the service learns. */
export const LearningExperiment = Type.Object({
  ...Common,
  type: Name,
  technicalMetrics: Type.Optional(MetricNames),
  businessMetrics: Type.Optional(MetricNames),
})

/** Either as the engine takes it. */
export type ExperimentCreate = Static<typeof SearchTest> &
  Partial<Omit<Static<typeof LearningExperiment>, keyof typeof Common>>

export const AssignmentRequest = Type.Object({
  sessionId: Id,
  testName: Type.Optional(Name),
  testId: Type.Optional(Id),
})
export type AssignmentRequest = Static<typeof AssignmentRequest>

export const ExperimentQuery = Type.Object({
  status: Type.Optional(Words),
  ...PageQuery,
})
export type ExperimentQuery = Static<typeof ExperimentQuery>

/** A variant as answers tell it. */
export const AnsweredVariant = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  weight: Type.Optional(Type.Number({ description: 'as it was sent' })),
  allocation: Type.Optional(Type.Number({ description: 'as it was sent' })),
  share: Type.Number({ description: 'of the units that take part, 0..1' }),
  config: FreeForm,
})

/** What a variant did so far. */
export const VariantMetrics = Type.Object(
  {
    units: Type.Integer({ description: 'users, or sessions without one, that searched' }),
    searches: Type.Integer(),
    ...COUNTED_FIGURES,
    searchesLeftOut: Type.Optional(
      Type.Integer({ description: 'of units that came when a variant had as many as are counted' }),
    ),
    reported: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'metric → {mean, values, units}' },
      ),
    ),
  },
  { additionalProperties: true },
)

const About = {
  name: Type.String(),
  status: OneOf(EXPERIMENT_STATUSES, {
    description: 'COMPLETED: at its end date; ROLLED_BACK: of an experiment alone',
  }),
  mode: OneOf(['split', 'interleaving']),
  variants: Type.Array(AnsweredVariant),
  trafficAllocation: Type.Number(),
  created: DateTime,
  startDate: DateTime,
  endDate: DateTime,
  ended: Type.Optional(DateTime),
  reason: Type.Optional(
    Type.Object(
      { text: Type.String(), figures: Type.Optional(FreeForm) },
      { description: 'why it ended by itself' },
    ),
  ),
  warnings: Type.Optional(Type.Array(Type.String())),
  successMetrics: Type.Optional(Type.Unknown()),
  targetingRules: Type.Optional(Type.Unknown()),
  guardrails: Type.Optional(Type.Unknown()),
  rolloutStrategy: Type.Optional(FreeForm),
  fallbackConfig: Type.Optional(FreeForm),
  fallbackInForce: Type.Optional(
    Type.Boolean({ description: 'where there is a fallbackConfig: whether it applies now' }),
  ),
}

export const Monitoring = Type.Object({
  srm: SampleRatioState,
  guardrails: Type.Array(GuardrailState),
  step: Type.Object({
    current: Type.Integer({ description: 'from 1' }),
    of: Type.Integer(),
    percent: Type.Number({
      description:
        'of all units that its rules let in: the share of the step, of trafficAllocation',
    }),
    since: DateTime,
  }),
  nextCheckAt: Type.Union([DateTime, Type.Null()]),
  sampleSize: Type.Integer({ description: 'units that took part so far' }),
})
export type Monitoring = Static<typeof Monitoring>

const Metrics = MapOf(VariantMetrics, { description: 'by variant' })

export const AnsweredTest = Type.Object({ testId: Type.String(), ...About, metrics: Metrics })

export const AnsweredExperiment = Type.Object({
  experimentId: Type.String(),
  type: Type.String(),
  ...About,
  technicalMetrics: Type.Optional(MetricNames),
  businessMetrics: Type.Optional(MetricNames),
  metrics: Metrics,
  monitoring: Monitoring,
})

/** A test with its report, as it is read alone. */
export const ReportedTest = Type.Object({
  ...AnsweredTest.properties,
  monitoring: Monitoring,
  ...Findings,
})
export const ReportedExperiment = Type.Object({ ...AnsweredExperiment.properties, ...Findings })

export const TestList = Type.Object({ tests: Type.Array(AnsweredTest), ...PageBounds })
export const ExperimentList = Type.Object({
  experiments: Type.Array(AnsweredExperiment),
  ...PageBounds,
})

export const AnsweredAssignment = Type.Object({
  testId: Type.String(),
  testName: Type.String(),
  variantId: Type.String(),
  variantName: Type.String(),
  config: FreeForm,
  inExperiment: Type.Boolean(),
  bucket: Type.Integer({ minimum: 0, maximum: 9999 }),
  reason: Type.Optional(OneOf(['allocation', 'targeting'], { description: 'why it is outside' })),
  warnings: Type.Optional(Type.Array(Type.String())),
})
export type AnsweredAssignment = Static<typeof AnsweredAssignment>
