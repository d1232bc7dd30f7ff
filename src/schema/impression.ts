import { type Static, Type } from 'typebox'
import { DateTime, FreeForm, Id, MapOf, OneOf } from './common.ts'
import { SEARCH_TYPES } from './tuning.ts'

const Hit = Type.Object({
  id: Type.String(),
  index: Type.String({ description: 'since it was deleted, its number: `#7 (deleted)`' }),
  position: Type.Integer({ description: '1-based' }),
  score: Type.Number(),
  propensity: Type.Union([Type.Number(), Type.Null()], {
    description:
      'P(this hit at this position) under what drew the order; null where a test dealt two rankings into the list: no ' +
      'estimate goes by such a page',
  }),
  features: MapOf(Type.Number()),
})

/** What one search showed and why. */
export const ShownSearch = Type.Object(
  {
    queryId: Type.String(),
    queryHash: Type.String(),
    query: Type.String({ description: 'its first 256 characters' }),
    searchType: OneOf(SEARCH_TYPES),
    timestamp: DateTime,
    took: Type.Integer(),
    sessionId: Type.Optional(Type.String()),
    unit: Type.Optional(
      Type.String({ description: 'who is counted once: the user, or a session without one' }),
    ),
    total: Type.Integer(),
    from: Type.Integer(),
    list: Type.Optional(
      Type.String({
        description:
          "of a further page of the session's own list: the queryId of the first page, where that is known",
      }),
    ),
    generation: Type.Number(),
    indices: Type.Array(Type.String()),
    hits: Type.Array(Hit),
    features: Type.Array(Type.String(), { description: 'names of the features of each hit' }),
    model: Type.Union([Type.String(), Type.Null()], {
      description: '`id@version`; null where none ranked, or two that a test dealt into one list',
    }),
    shadowModel: Type.Optional(
      Type.String({ description: 'the model that scored the hits unseen, `id@version`' }),
    ),
    shadowScores: Type.Optional(
      Type.Array(Type.Union([Type.Number(), Type.Null()]), {
        description: 'its scores, in the order of the hits',
      }),
    ),
    adaptations: Type.Array(Type.String(), { description: '`id@version`' }),
    variants: Type.Array(Type.Array(Type.String()), {
      description: '[test id, variant id] of each test whose variant applied',
    }),
    exploration: Type.Optional(
      Type.Object(
        {
          seed: Type.Integer(),
          epsilon: Type.Number({ description: 'share of the pages that are drawn' }),
          temperature: Type.Number(),
          explored: Type.Boolean({ description: 'whether this page was drawn' }),
          relative: Type.Boolean({
            description:
              'whether the temperature is relative to the highest score, not to the span of fused ones',
          }),
          pinned: Type.Optional(
            Type.Integer({
              description: 'how many of the first hits are pinned, which keep their places',
            }),
          ),
          order: Type.Optional(
            Type.Array(Type.Integer(), {
              description: 'of a drawn page: where its first hits would have stood, from 0',
            }),
          ),
        },
        {
          additionalProperties: true,
          description: 'where the order may have been drawn: what decided it',
        },
      ),
    ),
    pinned: Type.Optional(
      Type.Integer({
        description:
          'how many of the first hits are pinned: neither a model nor a draw moves them; none: absent',
      }),
    ),
    addedScores: Type.Optional(
      Type.Integer({ description: 'documents to whose score something was added; none: absent' }),
    ),
    added: Type.Array(
      Type.Object({ index: Type.String(), id: Type.String(), value: Type.Number() }),
    ),
    request: FreeForm,
  },
  { additionalProperties: true },
)
export type ShownSearch = Static<typeof ShownSearch>

/** A search run again, over the view that it saw. */
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
