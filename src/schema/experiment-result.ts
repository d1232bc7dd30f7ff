import { type Static, Type } from 'typebox'
import { MapOf, OneOf } from './common.ts'
import { Monitoring } from './experiment.ts'
import { EXPERIMENT_STATUSES } from './statuses.ts'

/** Sums of squares of greater ones would be infinite, and stay so. */
const REPORTED_MAX = 1e100
const Reportable = Type.Number({ minimum: -REPORTED_MAX, maximum: REPORTED_MAX })

const Named = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 128, description }))

/** Values that others measured of one unit. */
export const ExperimentResult = Type.Object({
  experimentId: Named('of an experiment or a test; this or its name is required'),
  experimentName: Named('of an experiment, or else of a test'),
  testId: Named('the same as experimentId'),
  testName: Named('the same as experimentName, but of a test, or else of an experiment'),
  variantId: Named(
    'the id or the name of the variant in which they count; by default the one that the unit is in. Whichever is named, nothing counts of a unit that is outside',
  ),
  unit: Named(
    'of whom they are: a userId, or the sessionId of who has none; without it and a session each value is of somebody else',
  ),
  userId: Named('the same as unit'),
  sessionId: Named('instead of the unit: a session of whom they are of'),
  metrics: Type.Optional(
    MapOf(Reportable, {
      propertyNames: { minLength: 1, maxLength: 128 },
      minProperties: 1,
      maxProperties: 50,
      description: 'metric → value; an experiment has at most 50 different ones',
    }),
  ),
  metric: Named('of one value, instead of metrics'),
  value: Type.Optional(Reportable),
})
export type ExperimentResult = Static<typeof ExperimentResult>

export const AnsweredResult = Type.Object({
  experimentId: Type.String(),
  variantId: Type.String({ description: 'in which they count: that of before, or @interleaved' }),
  recorded: Type.Integer({
    description:
      'values that were counted: none of a unit outside of the experiment, unless values of it or searches counted before',
  }),
  status: OneOf(EXPERIMENT_STATUSES),
  warnings: Type.Optional(Type.Array(Type.String())),
  monitoring: Monitoring,
})
