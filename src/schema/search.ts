import { type Static, Type } from 'typebox'
import { ForeignId, MapOf, QueryText, Word } from './common.ts'
import { CallerVector } from './document.ts'
import { Facets } from './facet.ts'
import { FUSIONS, FUZZINESSES, OPERATORS, SEARCH_TYPES } from './tuning.ts'

export const IndexNames = Type.Union(
  [Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 1024 })],
  { description: 'one name or a list; all indices by default' },
)
const Weight = Type.Number({ minimum: 0, maximum: 1e6 })
/** Each name is held against the fields of all indices, to tell of those that are none. */
const WEIGHTS_MAX = 1024
const Weights = MapOf(Weight, {
  maxProperties: WEIGHTS_MAX,
  description:
    'text and vector weigh the two halves of a hybrid search, any other key is a field, whose words are not searched by a weight of 0',
})

const Query = {
  ...QueryText,
  description: 'what is looked for; "" finds everything, parts in double quotes are phrases',
}
const SearchType = Word(SEARCH_TYPES, { description: 'hybrid by default; in any case' })
const Operator = Word(OPERATORS, {
  description: 'how many of the words must be there: or (default), and',
})
const FUZZINESS =
  'letters in which a word may differ: 0 (default), 1, 2, or auto, by its length; for at most 2048 different words of the query, or pieces of ngrams'
const Fusion = Word(FUSIONS, { description: 'convex by default' })
const VectorFeedback = Type.Boolean({
  description: 'move the query vector towards the first hits (hybrid mode)',
})
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
const MinScore = Type.Number({ description: 'leaves out hits with a lower score' })
const Explain = Type.Boolean({ description: 'tell of each hit how its score came about' })
export const Generation = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description:
    'a state of the indices, as searchContext tells it; beside a cursor, that of its list',
})

const SortKey = Type.Union([Type.String(), MapOf(Type.Unknown())])
export const Sort = Type.Union([SortKey, Type.Array(SortKey, { maxItems: 16 })], {
  description: '"field", "field:desc", {"field": "desc"}, "_score", or a list of these',
})
export type Sort = Static<typeof Sort>

export const HighlightOptions = Type.Object(
  {
    fields: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 100,
        description: 'all that are searched, by default',
        examples: [['title']],
      }),
    ),
    fragmentSize: Type.Optional(
      Type.Integer({ minimum: 20, maximum: 10_000, description: 'characters of a fragment; 150' }),
    ),
    fragments: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'fragments of a field at most; 3' }),
    ),
    pre: Type.Optional(Type.String({ maxLength: 100, description: 'before a word; <em>' })),
    post: Type.Optional(Type.String({ maxLength: 100, description: 'behind it; </em>' })),
  },
  { examples: [{ fields: ['title'], fragments: 1 }] },
)
const Highlight = Type.Union([Type.Boolean(), HighlightOptions], {
  description:
    'mark the words of the query in the texts of hits, which are escaped for HTML (pre and post are not)',
})

/** Who searches, and which page of the list they see: the same in a body and in an address. */
const PageParts = {
  sessionId: Type.Optional({
    ...ForeignId,
    description: 'who searches, so that what they choose can be learned',
  }),
  userId: Type.Optional({ ...ForeignId, description: 'kept as sent' }),
  from: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: 'hits before the first one; 0' }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, description: 'hits of the page; 10 by default' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 8192, description: 'nextCursor of the page before' }),
  ),
}

/** A search. Every field has a default; `{}` finds everything. */
export const SearchRequest = Type.Object({
  query: Type.Optional(Query),
  index: Type.Optional(IndexNames),
  searchType: Type.Optional(SearchType),
  filters: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'field → value (like {eq: …}), list of values (any of, like {in: […]} or {any: […]}), null (has none), {gt, gte, lt, lte}, {not: …} or ' +
          '{exists: true or false}; and: a list of such objects; or: the same, or one of whose keys any may hold; not: one, or a list of which none may hold; ' +
          `else all keys of an object must hold; or and not must hold a condition, and an empty and holds for all; these words are read in any case, and a field inside of an object is "object.field"; "_id" is the document's id`,
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
    Type.Union(
      [
        Type.Array(Type.String(), { minItems: 1, maxItems: 100 }),
        MapOf(Weight, { minProperties: 1, maxProperties: WEIGHTS_MAX }),
      ],
      { description: 'fields that are searched, or field → weight' },
    ),
  ),
  operator: Type.Optional(Operator),
  fuzziness: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: 2 }), Word(FUZZINESSES)], {
      description: FUZZINESS,
    }),
  ),
  phrase: Type.Optional(Phrase),
  slop: Type.Optional(Slop),
  prefix: Type.Optional(Prefix),
  facets: Type.Optional(Facets),
  sort: Type.Optional(Sort),
  highlight: Type.Optional(Highlight),
  fusion: Type.Optional(Fusion),
  feedback: Type.Optional(VectorFeedback),
  neighbors: Type.Optional(Neighbors),
  similarity: Type.Optional(Similarity),
  minScore: Type.Optional(MinScore),
  explain: Type.Optional(Explain),
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
    q: Type.Optional(Query),
    query: Type.Optional(Query),
    index: Names(),
    searchType: Type.Optional(SearchType),
    filters: Type.Optional(Type.String({ description: 'JSON object' })),
    boost: Type.Optional(Type.String({ description: 'JSON object' })),
    ...PageParts,
    fields: NamesOrJson('["title"]'),
    searchFields: NamesOrJson('{"title": 2, "content": 1}'),
    facets: NamesOrJson('{"tags": {"size": 5}}'),
    sort: NamesOrJson('[{"year": "desc"}, "_score"]'),
    operator: Type.Optional(Operator),
    fuzziness: Type.Optional(Word(FUZZINESSES, { description: FUZZINESS })),
    phrase: Type.Optional(Phrase),
    slop: Type.Optional(Slop),
    prefix: Type.Optional(Prefix),
    highlight: Type.Optional(
      Type.String({
        description: 'true or false, or JSON as in a body, such as {"fields": ["title"]}',
      }),
    ),
    fusion: Type.Optional(Fusion),
    feedback: Type.Optional(VectorFeedback),
    neighbors: Type.Optional(Neighbors),
    similarity: Type.Optional(Similarity),
    minScore: Type.Optional(MinScore),
    explain: Type.Optional(Explain),
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
