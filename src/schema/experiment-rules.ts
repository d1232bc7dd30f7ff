import { Type } from 'typebox'
import { FreeForm, MapOf } from './common.ts'
import { namesByHarm } from './experiment-metrics.ts'
import { RULE_FIELDS } from './rule-fields.ts'

/*
 * What a test or an experiment is judged by and who takes part, in each form that clients have; what is inside is read in
 * learn/experiments.
 */

/** Metrics that are named at most, and rules in a list. */
export const EXPERIMENT_RULES_MAX = 100

export const MetricNames = Type.Unsafe<unknown>(
  Type.Union(
    [
      Type.String(),
      Type.Array(Type.Union([Type.String(), FreeForm]), { maxItems: EXPERIMENT_RULES_MAX }),
      FreeForm,
    ],
    {
      description:
        'names of metrics, ctr by default; the first decides. Of those that `warnings` name, reported values are compared. Of an interleaved list clicks decide',
    },
  ),
)

export const TargetingRules = Type.Unsafe<unknown>(
  Type.Union([Type.Array(FreeForm, { maxItems: EXPERIMENT_RULES_MAX }), FreeForm], {
    description: `who takes part: field → value, list (any of), {gt, gte, lt, lte} or {not}; or a list of {${RULE_FIELDS.targetingRules.join(', ')}}. A field is userId, clientId, sessionId or a dotted path in the metadata of the session, also within an object metadata`,
  }),
)

export const Guardrails = Type.Unsafe<unknown>(
  Type.Union(
    [
      Type.Array(FreeForm, { maxItems: EXPERIMENT_RULES_MAX }),
      MapOf(Type.Union([Type.Number(), FreeForm]), { maxProperties: EXPERIMENT_RULES_MAX }),
    ],
    {
      description: `a list of {${RULE_FIELDS.guardrails.join(', ')}}, or a map metric → threshold. min or max stands for threshold and operator. Breached below it: ${namesByHarm('decrease')}; above it: ${namesByHarm('increase')}, and reported metrics that are named after harm, like errors; for others the operator names the breach. relative: the share of the value of control that may be lost. times: how many times that value is well, above 1 where a rise does harm, below 1 where a fall does. What searches show is judged by a one-sided test that holds at every look, from 50 units and minSamples searches (30) a variant on; a reported metric is held against a fixed threshold as it is, from the first value or minSamples on, and until then ends nothing, which \`warnings\` tell`,
    },
  ),
)
