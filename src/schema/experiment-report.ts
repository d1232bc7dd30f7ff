import { type Static, Type } from 'typebox'
import { MapOf, OneOf } from './common.ts'

const Interval = Type.Object({ low: Type.Number(), high: Type.Number() })

/** Whether the arms hold as many units as their shares say. */
export const SampleRatioState = Type.Object({
  status: OneOf(['OK', 'WARNING', 'UNHEALTHY', 'INSUFFICIENT_DATA'], {
    description:
      'WARNING: p < .01, or that of chiSquare < .0003; UNHEALTHY: p < .001, for good: what was lost stays lost',
  }),
  pValue: Type.Union([Type.Number(), Type.Null()], {
    description: 'sequential multinomial test: it holds however often it is read',
  }),
  chiSquare: Type.Union(
    [
      Type.Object({
        statistic: Type.Number(),
        degreesOfFreedom: Type.Integer(),
        pValue: Type.Number(),
      }),
      Type.Null(),
    ],
    {
      description:
        "Pearson's chi-square test of goodness of fit of the same counts, to be read beside it: for one look at a time fixed " +
        'beforehand, so that among many looks it falls below a level far too often; the status goes by it only where it warns',
    },
  ),
  observed: MapOf(Type.Integer()),
  expected: MapOf(Type.Number()),
})
export type SampleRatioState = Static<typeof SampleRatioState>

/** One guardrail on one variant. */
export const GuardrailState = Type.Object({
  metric: Type.String(),
  variantId: Type.String(),
  status: OneOf(['OK', 'BREACHED', 'INSUFFICIENT_DATA']),
  harm: OneOf(['increase', 'decrease']),
  threshold: Type.Number(),
  relative: Type.Boolean(),
  minSamples: Type.Integer(),
  samples: Type.Integer(),
  observed: Type.Union([Type.Number(), Type.Null()]),
  control: Type.Union([Type.Number(), Type.Null()]),
  pValue: Type.Optional(Type.Number()),
})
export type GuardrailState = Static<typeof GuardrailState>

/** One metric of a variant against control. */
export const ComparisonState = Type.Object({
  metric: Type.String(),
  source: OneOf(['counted', 'reported'], {
    description: 'counted: from its searches; reported: from results that others sent',
  }),
  role: OneOf(['primary', 'secondary']),
  variantId: Type.String(),
  control: Type.Number(),
  treatment: Type.Number(),
  units: Type.Object({ control: Type.Integer(), treatment: Type.Integer() }),
  difference: Type.Number(),
  interval: Type.Object({ ...Interval.properties }, { description: '95 %, of the difference' }),
  lift: Type.Optional(Type.Number({ description: '(treatment − control) / control' })),
  liftInterval: Type.Optional(
    Type.Object(
      { ...Interval.properties },
      {
        description:
          '95 %, of the lift (Fieller): it holds 0 where that of the difference does; absent while control may be 0 as well',
      },
    ),
  ),
  pValue: Type.Number({
    description:
      "two-sided, for one look at a time fixed beforehand: Welch's t test where each unit counted equally often (one value " +
      'or search each), otherwise the normal distribution under the variances of the delta method over units; the ' +
      'intervals go by the same',
  }),
  alwaysValid: Type.Optional(
    Type.Object(
      { low: Type.Number(), high: Type.Number(), p: Type.Number() },
      { description: 'holds however often it is read; absent below 50 units an arm' },
    ),
  ),
  adjustedPValue: Type.Number({
    description:
      'from the always-valid p: secondary metrics after Benjamini–Hochberg, primary times the variants compared',
  }),
  significant: Type.Boolean({ description: 'adjustedPValue < 0.05' }),
  minimumDetectableEffect: Type.Object({
    difference: Type.Number(),
    lift: Type.Optional(Type.Number()),
  }),
})
export type ComparisonState = Static<typeof ComparisonState>

/** Which of two interleaved rankings users prefer. */
export const InterleavingState = Type.Object({
  units: Type.Integer({ description: 'units that preferred one at least once' }),
  preference: Type.Union([Type.Number(), Type.Null()], {
    description: '−1: always the first variant, 1: always the second',
  }),
  alwaysValid: Type.Optional(
    Type.Object({ low: Type.Number(), high: Type.Number(), p: Type.Number() }),
  ),
  significant: Type.Boolean(),
})
export type InterleavingState = Static<typeof InterleavingState>

export const Verdict = Type.Object({
  metric: Type.String(),
  decision: OneOf(['VARIANT', 'CONTROL', 'UNDECIDED']),
  variantId: Type.Optional(Type.String()),
})
export type Verdict = Static<typeof Verdict>

/** What a test or an experiment has shown so far. */
export const Findings = {
  sampleRatio: SampleRatioState,
  comparisons: Type.Array(ComparisonState),
  interleaving: Type.Optional(InterleavingState),
  verdict: Type.Union([Verdict, Type.Null()]),
  withheld: Type.Optional(Type.String({ description: 'why there is no verdict' })),
}
