import { Type } from 'typebox'

/** What is counted of the searches of each variant: which way harm lies, and what readers are told of it. */
export const COUNTED_METRICS = {
  ctr: { harm: 'decrease', description: 'searches with a click, of all' },
  mrr: {
    harm: 'decrease',
    description: '1 / highest place clicked, up to the tenth; mean of all',
  },
  zeroResultRate: { harm: 'increase', description: 'searches that found nothing, of all' },
  conversionRate: {
    harm: 'decrease',
    description: 'searches with a conversion or purchase, of all',
  },
  latencyMs: { harm: 'increase', description: 'mean' },
  latencyP95Ms: { harm: 'increase', description: 'within 2 %' },
  rating: {
    harm: 'decrease',
    description: 'mean rating of the feedback on its searches; null while there is none',
  },
} as const satisfies Record<string, { harm: 'increase' | 'decrease'; description: string }>

export type CountedMetric = keyof typeof COUNTED_METRICS

/** The figure of each in an answer. */
export const COUNTED_FIGURES = Object.fromEntries(
  Object.entries(COUNTED_METRICS).map(([name, { description }]) => [
    name,
    name === 'rating'
      ? Type.Union([Type.Number(), Type.Null()], { description })
      : Type.Number({ description }),
  ]),
)

/** Names of those that do harm this way, as a sentence lists them. */
export function namesByHarm(harm: 'increase' | 'decrease'): string {
  const names = Object.entries(COUNTED_METRICS).filter(([, each]) => each.harm === harm)
  return names.map(([name]) => name).join(', ')
}
