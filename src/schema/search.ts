import { type Static, Type } from 'typebox'
import { ForeignId, MapOf, QueryText } from './common.ts'
import { CallerVector } from './document.ts'
import { FacetReply, Facets } from './facet.ts'

export const IndexNames = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { minItems: 1, maxItems: 1024 }),
])
const Weight = Type.Number({ minimum: 0, maximum: 1e6 })
/** Each name is held against the fields of all indices, to tell of those that are none. */
const WEIGHTS_MAX = 1024
const Weights = MapOf(Weight, { maxProperties: WEIGHTS_MAX })

const Slop = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'places that the words of a phrase may lie apart; 0 by default',
})
const Phrase = Type.Boolean({ description: 'the whole query is one phrase' })
const Prefix = Type.Boolean({
  description: 'the last word may be the beginning of one, of the 128 that most documents have',
})
const Neighbors = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  description: 'neighbours that each index gives to the vector leg; 100 by default',
})
const Similarity = Type.Number({
  minimum: -1,
  maximum: 1,
  description: 'similarity cut-off of the vector leg',
})
const Generation = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description:
    'a state of the indices, as searchContext tells it; beside a cursor, that of its list',
})

const SortKey = Type.Union([Type.String(), MapOf(Type.Unknown())])
export const Sort = Type.Union([SortKey, Type.Array(SortKey, { maxItems: 16 })])
export type Sort = Static<typeof Sort>

export const HighlightOptions = Type.Object({
  fields: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  fragmentSize: Type.Optional(Type.Integer({ minimum: 20, maximum: 10_000 })),
  fragments: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  pre: Type.Optional(Type.String({ maxLength: 100 })),
  post: Type.Optional(Type.String({ maxLength: 100 })),
})
const Highlight = Type.Union([Type.Boolean(), HighlightOptions])

/** Who searches, and which page of the list they see: the same in a body and in an address. */
const PageParts = {
  sessionId: Type.Optional(ForeignId),
  userId: Type.Optional(ForeignId),
  from: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  cursor: Type.Optional(Type.String({ maxLength: 8192 })),
}

/** A search. Every field has a default; `{}` finds everything. */
export const SearchRequest = Type.Object({
  query: Type.Optional(QueryText),
  index: Type.Optional(IndexNames),
  searchType: Type.Optional(
    Type.String({ description: 'text, vector or hybrid (default), in any case' }),
  ),
  filters: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'field → value (like {eq: …}), list of values (any of, like {in: […]} or {any: […]}), null (has none), {gt, gte, lt, lte}, {not: …} or ' +
          '{exists: true or false}; and: a list of such objects; or: the same, or one of whose keys any may hold; not: one, or a list of which none may hold; ' +
          'else all keys of an object must hold; or and not must hold a condition, and an empty and holds for all; these words are read in any case, and a field inside of an object is "object.field"; "_id" is the document’s id',
        examples: [{ year: { gte: 2020 }, tags: ['coffee', 'tea'], not: { source: 'draft' } }],
      },
    ),
  ),
  boost: Type.Optional(Weights),
  ...PageParts,
  fields: Type.Optional(
    Type.Array(Type.String(), { maxItems: 100, description: 'source fields to return' }),
  ),
  searchFields: Type.Optional(
    Type.Union([
      Type.Array(Type.String(), { minItems: 1, maxItems: 100 }),
      MapOf(Weight, { minProperties: 1, maxProperties: WEIGHTS_MAX }),
    ]),
  ),
  operator: Type.Optional(
    Type.String({ description: 'how many of the words must be there: or (default), and' }),
  ),
  fuzziness: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: 2 }), Type.String()], {
      description:
        'letters in which a word may differ: 0 (default), 1, 2, or AUTO, by its length; for at most 2048 different words of the query, or pieces of ngrams',
    }),
  ),
  phrase: Type.Optional(Phrase),
  slop: Type.Optional(Slop),
  prefix: Type.Optional(Prefix),
  facets: Type.Optional(Facets),
  sort: Type.Optional(Sort),
  highlight: Type.Optional(Highlight),
  fusion: Type.Optional(Type.String({ description: 'convex (default) or rrf' })),
  feedback: Type.Optional(
    Type.Boolean({ description: 'move the query vector towards the first hits (hybrid mode)' }),
  ),
  neighbors: Type.Optional(Neighbors),
  similarity: Type.Optional(Similarity),
  minScore: Type.Optional(Type.Number()),
  explain: Type.Optional(Type.Boolean()),
  vector: Type.Optional(CallerVector),
  generation: Type.Optional(Generation),
})
export type SearchRequest = Static<typeof SearchRequest>

/** Names in an address. */
const Names = (description = 'repeated or with commas') =>
  Type.Optional(Type.Array(Type.String(), { maxItems: 1000, description }))

/** What names may be as well, where the body has more to say. */
const NamesOrJson = (like: string) =>
  Names(`repeated or with commas, or JSON as in a body, such as ${like}`)

/**
 * The GET form: the same words, lists with commas, and JSON where a parameter is an object. Others are kept, so that
 * what is ignored can be told.
 */
export const SearchQuery = Type.Object(
  {
    q: Type.Optional(QueryText),
    query: Type.Optional(QueryText),
    index: Names(),
    searchType: Type.Optional(Type.String()),
    filters: Type.Optional(Type.String({ description: 'JSON object' })),
    boost: Type.Optional(Type.String({ description: 'JSON object' })),
    ...PageParts,
    fields: NamesOrJson('["title"]'),
    searchFields: NamesOrJson('{"title": 2, "content": 1}'),
    facets: NamesOrJson('{"tags": {"size": 5}}'),
    sort: NamesOrJson('[{"year": "desc"}, "_score"]'),
    operator: Type.Optional(Type.String()),
    fuzziness: Type.Optional(Type.String()),
    phrase: Type.Optional(Phrase),
    slop: Type.Optional(Slop),
    prefix: Type.Optional(Prefix),
    highlight: Type.Optional(
      Type.String({
        description: 'true or false, or JSON as in a body, such as {"fields": ["title"]}',
      }),
    ),
    fusion: Type.Optional(Type.String()),
    feedback: Type.Optional(Type.Boolean()),
    neighbors: Type.Optional(Neighbors),
    similarity: Type.Optional(Similarity),
    minScore: Type.Optional(Type.Number()),
    explain: Type.Optional(Type.Boolean()),
    vector: Type.Optional(
      Type.String({
        description:
          'numbers with commas, JSON list of numbers, or base64 of little-endian float32 numbers',
      }),
    ),
    generation: Type.Optional(Generation),
  },
  { additionalProperties: true },
)
export type SearchQuery = Static<typeof SearchQuery>

const Hit = Type.Object({
  id: Type.String(),
  index: Type.String(),
  score: Type.Number(),
  source: Type.Object({}, { additionalProperties: true }),
  highlight: Type.Optional(MapOf(Type.Array(Type.String()))),
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

export const SearchReply = Type.Object({
  hits: Type.Array(Hit),
  nextCursor: Type.Optional(Type.String()),
  facets: Type.Optional(MapOf(FacetReply)),
  total: Type.Integer(),
  took: Type.Integer(),
  searchContext: Type.Object({
    queryId: Type.String(),
    queryHash: Type.String(),
    searchType: Type.String({ description: 'text, vector or hybrid' }),
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
          'parts of the search that could not run: `vector` when an endpoint failed, or when all indices take their vectors from you and none was sent',
      }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'what the request said in vain, eight at most, what most likely made the answer another one first (the last one says how many are left out): ' +
          'a query of stop words or signs alone; ' +
          'what stands in the address of a POST, fields that no search has; which indices missed a vector of yours; a session that is not known or over; names in filters, sort, facets and ' +
          'fields that no mapping has and no document has a value by, and objects where values are wanted; names in searchFields, boost and highlight whose words none of the indices searches; ' +
          'keys that are not read; and sub-fields in fields',
      }),
    ),
  }),
})
