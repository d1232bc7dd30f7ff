import { type Static, Type } from 'typebox'
import { DateTime, MapOf, OneOf, Word } from './common.ts'

const StopWords = Type.Optional(
  Type.Union([Type.Boolean(), Type.String(), Type.Array(Type.String(), { maxItems: 100_000 })]),
)

/** Parts of an analysis by their names. */
const Parts = Type.Optional(Type.Object({}, { additionalProperties: true }))

/** Analysis of what no analyzer is named for; the named ones are read by search/indices/analysis.ts. */
export const IndexAnalysis = Type.Object(
  {
    language: Type.Optional(Type.String()),
    stemming: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
    asciiFolding: Type.Optional(Type.Boolean()),
    stopWords: StopWords,
    stop_words: StopWords,
    stopwords: StopWords,
    synonyms: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Array(Type.String())]), { maxItems: 100_000 }),
    ),
    analyzer: Parts,
    tokenizer: Parts,
    filter: Parts,
  },
  { additionalProperties: true },
)

/** How many numbers a vector from outside may have, as by the setting `embedderDimensions`. */
export const DIMENSIONS_MIN = 2
export const DIMENSIONS_MAX = 4096

/** As in a search. */
const LEG_WEIGHT_MAX = 1e6

/** Elasticsearch lets an index have no more shards; here, shards and copies are recorded alone. */
const SHARDS_MAX = 1024
const Shards = Type.Optional(Type.Integer({ minimum: 1, maximum: SHARDS_MAX }))
const Replicas = Type.Optional(Type.Integer({ minimum: 0, maximum: SHARDS_MAX }))

/** Where vectors come from, and what they weigh; the rest is read by search/indices/definition.ts. */
export const IndexEmbedder = Type.Object(
  {
    kind: Type.Optional(Word(['learned', 'http', 'given'])),
    source: Type.Optional(Type.String({ description: 'another name of `kind`' })),
    dimensions: Type.Optional(
      Type.Integer({
        minimum: DIMENSIONS_MIN,
        maximum: DIMENSIONS_MAX,
        description: 'of vectors that are not learned',
      }),
    ),
    cut: Type.Optional(Type.Number({ minimum: -1, maximum: 1, description: 'least cosine' })),
    weights: Type.Optional(
      Type.Array(Type.Number({ minimum: 0, maximum: LEG_WEIGHT_MAX }), {
        minItems: 2,
        maxItems: 2,
        description: 'of text, of vectors',
      }),
    ),
  },
  { additionalProperties: true },
)

/** What only this service's own words say of a field; types and analyzers are read by search/indices/definition.ts. */
const Property = Type.Unsafe<Record<string, unknown>>(
  Type.Object(
    { searched: Type.Optional(Type.Boolean()), vectorized: Type.Optional(Type.Boolean()) },
    { additionalProperties: true },
  ),
)

/** Free-form by design: both ways in which search engines spell it are read; see search/indices/definition.ts. */
export const IndexSettings = Type.Object(
  {
    shards: Shards,
    number_of_shards: Shards,
    replication: Replicas,
    number_of_replicas: Replicas,
    analysis: Type.Optional(IndexAnalysis),
    embedder: Type.Optional(IndexEmbedder),
    /** The same below `index`, as search engines nest them. */
    index: Type.Optional(
      Type.Object(
        {
          number_of_shards: Shards,
          number_of_replicas: Replicas,
          analysis: Type.Optional(IndexAnalysis),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: true },
)
export type IndexSettings = Static<typeof IndexSettings>

export const IndexMappings = Type.Object(
  {
    dynamic: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
    properties: Type.Optional(
      MapOf(Property, {
        description:
          'at most 4096 fields, with objects, those inside of them and under `fields`, and those that every index has; the path of one has at most 20 names',
      }),
    ),
  },
  { additionalProperties: true },
)
export type IndexMappings = Static<typeof IndexMappings>

export const CreateIndex = Type.Object({
  name: Type.String(),
  settings: Type.Optional(IndexSettings),
  mappings: Type.Optional(IndexMappings),
})
export type CreateIndex = Static<typeof CreateIndex>

/** PUT /cortex/indices/{name}: creates the index, or adds fields to one that exists. */
export const PutIndex = Type.Object({
  name: Type.Optional(Type.String()),
  settings: Type.Optional(IndexSettings),
  mappings: Type.Optional(IndexMappings),
})

export const IndexCreated = Type.Object({
  name: Type.String(),
  settings: IndexSettings,
  mappings: IndexMappings,
  created: DateTime,
  warnings: Type.Optional(Type.Array(Type.String())),
})
export type IndexCreated = Static<typeof IndexCreated>

const EffectiveField = Type.Object({
  type: Type.String(),
  searched: Type.Optional(Type.Boolean({ description: 'by searches that name no fields' })),
  vectorized: Type.Optional(Type.Boolean({ description: 'its text is part of the vector' })),
  analyzer: Type.Optional(Type.String()),
  weight: Type.Optional(Type.Number({ description: 'factor of its score; absent where it is 1' })),
  dimensions: Type.Optional(Type.Integer({ description: 'of a dense_vector' })),
})

/** How an index was declared, and what it holds right now, read from the engine; read by its name, also its fields. */
export const IndexInfo = Type.Object({
  name: Type.String(),
  created: DateTime,
  documents: Type.Integer(),
  bytes: Type.Integer({
    description: 'size of the index files: text, vectors and their space',
  }),
  generation: Type.Integer(),
  settled: Type.Boolean({ description: 'nothing is being learned, merged or linked any more' }),
  vectorSpace: Type.Object({
    kind: OneOf(['hashed', 'learned', 'given']),
    version: Type.Integer(),
    dimensions: Type.Integer(),
    vectors: Type.Integer(),
    fitting: Type.Boolean(),
  }),
  settings: IndexSettings,
  mappings: IndexMappings,
  fields: Type.Optional(
    MapOf(EffectiveField, {
      description: 'each field that the mapping names, and the default ones that it does not',
    }),
  ),
  warnings: Type.Optional(Type.Array(Type.String())),
})
export type IndexInfo = Static<typeof IndexInfo>

export const IndexDeleted = Type.Object({ name: Type.String(), deleted: Type.Boolean() })

/** An index of which no figure is known while its files can't be opened. */
export const UnopenedIndex = Type.Object({
  name: Type.String(),
  created: DateTime,
  error: Type.String({ description: "why its files can't be opened" }),
})
export type UnopenedIndex = Static<typeof UnopenedIndex>

export const IndexList = Type.Object({
  indices: Type.Array(Type.Union([IndexInfo, UnopenedIndex])),
})

/** What the store keeps about an index. */
export interface IndexRecord {
  id: number
  /** Number of its derived files; another one each time that they are built for new mappings. */
  engineId: number
  name: string
  /** Milliseconds since the epoch. */
  createdMs: number
  settings: IndexSettings
  mappings: IndexMappings
  /** Deleted by a client; its records are still being cleared. */
  dropped?: true
}
