/** The fields of each kind of rule of learning, as clients are told them; whoever reads a rule takes some other names of them, too. */
export const RULE_FIELDS = {
  guardrails: ['metric', 'operator', 'threshold', 'min', 'max', 'relative', 'minSamples'],
  rollbackTriggers: ['metric', 'operator', 'threshold', 'window', 'minSamples'],
  acceptanceThresholds: ['metric', 'operator', 'threshold', 'min', 'max'],
  targetingRules: ['field', 'operator', 'value'],
} as const
