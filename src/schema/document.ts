import { type Static, Type } from 'typebox'
import { DateTime, OneOf, Unread } from './common.ts'
import { DOCUMENT_ID_BYTES_MAX } from './document-id.ts'

const DocumentId = Type.String({
  minLength: 1,
  maxLength: DOCUMENT_ID_BYTES_MAX,
  examples: ['7'],
})

/** A document as clients write it: the known fields, and any others that they like. */
export const DocumentSource = Type.Object(
  {
    title: Type.Optional(Type.String()),
    content: Type.Optional(Type.String()),
    abstract: Type.Optional(Type.String()),
    authors: Type.Optional(Type.Array(Type.String())),
    tags: Type.Optional(Type.Array(Type.String())),
    source: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)

/** Why a body or an item has no document, most likely. */
export const UNWRAPPED =
  'is required; the fields of a document stand inside of it, {"document": {"title": "…"}}'

/** Said where fields are changed. */
const CHANGES =
  'sent fields replace what was there, objects and lists as a whole; unsent ones stay; null removes a field, not one inside of an object'

/** Changed fields of a document. */
export const DocumentPatch = Type.Object(
  {
    title: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    abstract: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    authors: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
    tags: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
    source: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: true },
)
export type DocumentPatch = Static<typeof DocumentPatch>

/** A vector that the caller made: numbers, or base64 of little-endian float32. */
export const CallerVector = Type.Union(
  [
    Type.Array(Type.Number(), { minItems: 1, maxItems: 4096 }),
    Type.String({ minLength: 4, maxLength: 32_768 }),
  ],
  { description: 'a vector of your own: numbers, or base64 of little-endian float32 numbers' },
)
export type CallerVector = Static<typeof CallerVector>

export const CreateDocument = Type.Object({
  index: Type.String(),
  id: Type.Optional(DocumentId),
  document: DocumentSource,
  vector: Type.Optional(CallerVector),
})
export type CreateDocument = Static<typeof CreateDocument>

/** A new document below /cortex/indices/{name}/documents, where the path names the index. */
export const CreateDocumentInIndex = Type.Object({
  index: Type.Optional(Type.String()),
  id: Type.Optional(DocumentId),
  document: DocumentSource,
  vector: Type.Optional(CallerVector),
})

/** A changed document as the whole body of a request. */
export const ChangedDocument = Type.Object(
  {
    ...DocumentPatch.properties,
    vector: Type.Optional(
      Type.Unknown({
        description:
          "where vectors come from you or from an endpoint, and the mapping has no such field: the document's vector, as beside `document` (null takes away one that came from you); elsewhere a field like any other",
      }),
    ),
  },
  { additionalProperties: true, description: CHANGES },
)

export const DocumentPath = Type.Object({ id: DocumentId })
export const IndexPath = Type.Object({ name: Type.String({ minLength: 1, maxLength: 255 }) })

/** Where a document is read. */
export const DocumentPlace = Type.Object({ index: Type.Optional(Type.String()) })

/** Where one is written, and what the answer waits for. */
export const DocumentQuery = Type.Object({
  index: Type.Optional(Type.String()),
  refresh: Type.Optional(Type.Boolean()),
})

export const DocumentWritten = Type.Object({
  id: Type.String(),
  index: Type.String(),
  vectorized: Type.Boolean(),
  version: Type.Integer(),
  created: DateTime,
  updated: DateTime,
  result: OneOf(['created', 'updated', 'unchanged', 'deleted']),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'names that were sent where they are not read, in the address, too, and dates that no filter finds',
    }),
  ),
})

export const DocumentRead = Type.Object({
  id: Type.String(),
  index: Type.String(),
  version: Type.Integer(),
  vectorized: Type.Boolean(),
  created: DateTime,
  updated: DateTime,
  source: Type.Object({}, { additionalProperties: true }),
  ...Unread,
})

const BulkItems = Type.Array(Type.Unknown(), {
  maxItems: 100_000,
  description:
    'each `{op?, index?, id?, document, vector?}`, or a plain document with an optional id. ' +
    'op: index (default) and put store the document whole, in place of one with this id; ' +
    'create only where there is none; update (id required) and upsert change the sent fields of the one there is, ' +
    'objects and lists as a whole, null removes one, and store it where there is none; delete takes the id alone',
})

/** Bulk body as JSON. Each item is checked by itself, so that one bad item fails alone. */
export const BulkRequest = Type.Union([
  Type.Object({ index: Type.Optional(Type.String()), documents: BulkItems }),
  BulkItems,
])

const BulkParts = {
  op: Type.Optional(Type.String()),
  index: Type.Optional(Type.String()),
  id: Type.Optional(DocumentId),
  vector: Type.Optional(CallerVector),
}

/** One item of a bulk body, or one line of an NDJSON body. */
export const BulkItem = Type.Object({ ...BulkParts, document: Type.Optional(DocumentSource) })
/** One that changes fields. */
export const BulkChange = Type.Object({ ...BulkParts, document: Type.Optional(DocumentPatch) })
export type BulkItem = Static<typeof BulkItem> | Static<typeof BulkChange>

export const BulkReply = Type.Object({
  items: Type.Array(
    Type.Object({
      status: Type.Integer(),
      id: Type.Optional(Type.String()),
      index: Type.Optional(Type.String()),
      version: Type.Optional(Type.Integer()),
      vectorized: Type.Optional(Type.Boolean()),
      created: Type.Optional(DateTime),
      updated: Type.Optional(DateTime),
      result: Type.Optional(Type.String()),
      warnings: Type.Optional(
        Type.Array(Type.String(), {
          description: 'the same as of a single document; of the first eight items that have such',
        }),
      ),
      code: Type.Optional(Type.String()),
      error: Type.Optional(Type.String()),
    }),
  ),
  omitted: Type.Optional(
    Type.Integer({ description: 'items of a very long body that are counted and not listed' }),
  ),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  ...Unread,
})
