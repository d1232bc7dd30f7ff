import { type Static, Type } from 'typebox'
import { DateTime, FreeForm, Id, MapOf } from './common.ts'

const Hit = Type.Object({
  id: Type.String(),
  index: Type.String({ description: 'since it was deleted, its number: `#7 (deleted)`' }),
  position: Type.Integer({ description: '1-based' }),
  score: Type.Number(),
  propensity: Type.Number({
    description: 'P(this hit at this position) under what drew the order',
  }),
  features: MapOf(Type.Number()),
})

/** What one search showed and why. */
export const ShownSearch = Type.Object(
  {
    queryId: Type.String(),
    queryHash: Type.String(),
    query: Type.String(),
    searchType: Type.String(),
    timestamp: DateTime,
    took: Type.Integer(),
    sessionId: Type.Optional(Type.String()),
    total: Type.Integer(),
    from: Type.Integer(),
    generation: Type.Number(),
    indices: Type.Array(Type.String()),
    hits: Type.Array(Hit),
    features: Type.Array(Type.String(), { description: 'names of the features of each hit' }),
    model: Type.Optional(Type.String()),
    adaptations: Type.Array(Type.String()),
    variants: Type.Array(Type.Array(Type.String())),
    added: Type.Array(
      Type.Object({ index: Type.String(), id: Type.String(), value: Type.Number() }),
    ),
    request: FreeForm,
  },
  { additionalProperties: true },
)
export type ShownSearch = Static<typeof ShownSearch>

/** The same search again, over the view that it saw. */
export const Replay = Type.Object({
  queryId: Type.String(),
  generation: Type.Number(),
  same: Type.Boolean({
    description:
      'whether the list is the one that was shown; click rates, by which a model may have ranked, are kept for the ' +
      'last eight counts',
  }),
  total: Type.Integer(),
  hits: Type.Array(
    Type.Object(
      { id: Type.String(), index: Type.String(), score: Type.Number() },
      { additionalProperties: true },
    ),
  ),
})
export type Replay = Static<typeof Replay>

export const QueryIdPath = Type.Object({ queryId: Id })
