import { type Static, Type } from 'typebox'
import { MapOf } from './common.ts'

/* What a search is asked to count of a field, and what it answers. */

const Bound = Type.Optional(Type.Union([Type.Number(), Type.String()]))

export const FacetRange = Type.Object(
  {
    key: Type.Optional(Type.String()),
    from: Bound,
    to: Bound,
  },
  { description: 'from is included, to is not; without both it is any value' },
)
export const Facet = Type.Object({
  size: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, description: 'most frequent values; 10 by default' }),
  ),
  ranges: Type.Optional(Type.Array(FacetRange, { maxItems: 100 })),
  stats: Type.Optional(Type.Boolean()),
})
export type Facet = Static<typeof Facet>
/** Fields that a search counts, in either form: in a map the handler counts them. */
export const FACETS_MAX = 100
export const Facets = Type.Union(
  [Type.Array(Type.String(), { maxItems: FACETS_MAX }), MapOf(Facet)],
  { description: 'fields whose values are counted over all that matches, or field → {size, …}' },
)
export type Facets = Static<typeof Facets>

const Counted = Type.Integer({ minimum: 0 })
const Figure = Type.Union([Type.Number(), Type.Null()])

/** Counted over all that matches, whatever the page. */
export const FacetReply = Type.Object({
  values: Type.Array(
    Type.Object({
      value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
      count: Counted,
    }),
  ),
  ranges: Type.Optional(
    Type.Array(Type.Object({ key: Type.String(), from: Bound, to: Bound, count: Counted })),
  ),
  stats: Type.Optional(
    Type.Object(
      { min: Figure, max: Figure, avg: Figure, sum: Type.Number(), count: Counted },
      { description: 'of numbers and dates, these in epoch ms; null where there is none' },
    ),
  ),
})
