import { Type } from 'typebox'

/** What is counted of the searches of each variant: which way harm lies, and what readers are told of it. */
export const COUNTED_METRICS = {
  ctr: {
    harm: 'decrease',
    description: 'searches with a click, of all; a list with all of its pages is one',
  },
  mrr: {
    harm: 'decrease',
    description: '1 / highest place of the list clicked, up to the tenth; mean of all',
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
    none: null,
  },
} as const satisfies Record<string, Meaning>

interface Meaning {
  harm: 'increase' | 'decrease'
  description: string
  /** What is told while nothing was counted, if not 0: how many searched is told beside it, how many rated is not. */
  none?: 0 | null
}

export type CountedMetric = keyof typeof COUNTED_METRICS

/** The figure of a metric of which nothing was counted: 0 would be the worst rating of all. */
export function figureOfNone(name: CountedMetric): 0 | null {
  const { none = 0 }: Meaning = COUNTED_METRICS[name]
  return none
}

/** The figure of each in an answer. */
export const COUNTED_FIGURES = Object.fromEntries(
  Object.entries<Meaning>(COUNTED_METRICS).map(([name, { description, none }]) => [
    name,
    none === null
      ? Type.Union([Type.Number(), Type.Null()], { description })
      : Type.Number({ description }),
  ]),
)

/** Names of those that do harm this way, as a sentence lists them. */
export function namesByHarm(harm: 'increase' | 'decrease'): string {
  const names = Object.entries(COUNTED_METRICS).filter(([, each]) => each.harm === harm)
  return names.map(([name]) => name).join(', ')
}
