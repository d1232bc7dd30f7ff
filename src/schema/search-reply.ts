import { Type } from 'typebox'
import { MapOf, OneOf } from './common.ts'
import { FacetReply } from './facet.ts'
import { Generation } from './search.ts'
import { SEARCH_TYPES } from './tuning.ts'

/** A document that a search found. */
export const SearchHit = Type.Object({
  id: Type.String(),
  index: Type.String(),
  score: Type.Number(),
  source: Type.Object({}, { additionalProperties: true }),
  highlight: Type.Optional(
    MapOf(Type.Array(Type.String()), {
      description: 'passages of a field, escaped for HTML, with the words found marked',
    }),
  ),
  explain: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'score, text, vector, parts, weights and fusion: the score taken apart, where two halves are fused into ' +
          'the sum of their parts by their weights; learned: what was added to it; ' +
          'clickMemory: what people chose, behind that; model: what a model gave; ' +
          'variant: whose ranking supplied the hit, and is told here, in a list of an interleaved test',
      },
    ),
  ),
})

/** What applied to a search, and by which name feedback tells of it. */
export const SearchContext = Type.Object({
  queryId: Type.String(),
  queryHash: Type.String(),
  searchType: OneOf(SEARCH_TYPES),
  sessionId: Type.Union([Type.String(), Type.Null()]),
  model: Type.Union([Type.String(), Type.Null()], {
    description: 'the model that ranked, name@version; null: none',
  }),
  adaptations: Type.Array(Type.String(), {
    description: 'changes of the ranking that applied, adaptationId@version each',
  }),
  experiments: Type.Array(
    Type.Object({ testId: Type.String(), testName: Type.String(), variantId: Type.String() }),
    { description: 'tests and experiments that the search took part in' },
  ),
  generation: Generation,
  degraded: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'parts of the search that could not run: `vector` when an endpoint failed, or when all indices take their vectors from you and none was sent; ' +
        '`indices` when no index was named and the files of some can not be opened: hits, facets and total are of the others, and `warnings` name these',
    }),
  ),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'what the request said in vain, eight at most, what most likely made the answer another one first (the last one says how many are left out): ' +
        'a query of stop words or signs alone; indices whose files can not be opened; ' +
        'what stands in the address of a POST, fields that no search has; what a search by words alone says of neighbours; which indices missed a vector of yours; a session that is not known or over; dates compared with a number that is a moment of 1970; names in filters, sort, facets and ' +
        'fields that no mapping has and no document has a value by, objects where values are wanted, and numbers as bounds where no document has a number; names in searchFields, boost and highlight whose words none of the indices searches; ' +
        'keys that are not read; and sub-fields in fields',
    }),
  ),
})

/** What a search found, and what applied to it. */
export const SearchReply = Type.Object({
  hits: Type.Array(SearchHit),
  nextCursor: Type.Optional(Type.String()),
  facets: Type.Optional(MapOf(FacetReply)),
  total: Type.Integer(),
  took: Type.Integer(),
  searchContext: SearchContext,
})
