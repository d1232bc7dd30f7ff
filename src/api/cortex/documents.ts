import { Type } from 'typebox'
import { invalid } from '../../errors.ts'
import { parseJson } from '../../http/json.ts'
import { route } from '../../http/route.ts'
import { openValidators } from '../../http/validate.ts'
import {
  BulkItem,
  BulkReply,
  BulkRequest,
  CreateDocument,
  CreateDocumentInIndex,
  DocumentPatch,
  DocumentPath,
  DocumentQuery,
  DocumentRead,
  DocumentWritten,
  IndexPath,
} from '../../schema/document.ts'

const checkBulkItem = openValidators().exact(BulkItem)
const Refresh = Type.Object({ refresh: Type.Optional(Type.Boolean()) })

export const createDocument = route({
  method: 'POST',
  path: '/cortex/documents',
  tag: 'documents',
  summary: 'Store a document; durable and searchable when answered',
  query: Refresh,
  body: CreateDocument,
  bodyLimit: 'documentBytesMax',
  example: {
    index: 'notes',
    document: { title: 'Espresso at home', content: 'Grind fine, tamp level.', tags: ['coffee'] },
  },
  reply: DocumentWritten,
  errors: ['INDEX_NOT_FOUND', 'OVERLOADED', 'DISK_FULL'],
  handle: ({ app, body, query }) =>
    app.documents.create(body, { refresh: query.refresh !== false }),
})

export const createDocumentInIndex = route({
  method: 'POST',
  path: '/cortex/indices/{name}/documents',
  tag: 'documents',
  summary: 'Store a document in the index that the path names',
  params: IndexPath,
  query: Refresh,
  body: CreateDocumentInIndex,
  bodyLimit: 'documentBytesMax',
  reply: DocumentWritten,
  errors: ['INDEX_NOT_FOUND', 'OVERLOADED', 'DISK_FULL'],
  handle: ({ app, params, body, query }) =>
    app.documents.create({ ...body, index: params.name }, { refresh: query.refresh !== false }),
})

export const bulkDocuments = route({
  method: 'POST',
  path: '/cortex/documents/bulk',
  tag: 'documents',
  summary: 'Store many documents: a JSON list, or NDJSON worked off while it arrives',
  query: DocumentQuery,
  body: BulkRequest,
  bodyKind: 'stream',
  consumes: ['application/x-ndjson'],
  bodyLimit: 'documentBytesMax',
  example: {
    index: 'notes',
    documents: [
      { id: 'a', document: { title: 'One' } },
      { op: 'delete', id: 'b' },
    ],
  },
  reply: BulkReply,
  errors: ['OVERLOADED', 'DISK_FULL'],
  handle: ({ app, body, stream, query }) => {
    const options = { index: query.index, refresh: query.refresh !== false, check: checkBulkItem }
    if (Array.isArray(body)) return app.bulk.list(body, options)
    if (body !== undefined)
      return app.bulk.list(body.documents, { ...options, index: body.index ?? query.index })
    const { documentBytesMax: lineBytesMax, jsonDepthMax } = app.config
    const parse = (line: Uint8Array) => parseJson(line, jsonDepthMax)
    return app.bulk.lines(stream, { ...options, parse, lineBytesMax })
  },
})

export const getDocument = route({
  method: 'GET',
  path: '/cortex/documents/{id}',
  tag: 'documents',
  summary: 'Read a document',
  params: DocumentPath,
  query: DocumentQuery,
  reply: DocumentRead,
  errors: ['DOCUMENT_NOT_FOUND', 'AMBIGUOUS_ID'],
  handle: ({ app, params, query }) => app.documents.get(params.id, query.index),
})

function writeDocument(method: 'PUT' | 'PATCH') {
  return route({
    method,
    path: '/cortex/documents/{id}',
    tag: 'documents',
    summary: 'Change the sent fields of a document; null removes one; an unknown id is created',
    params: DocumentPath,
    query: DocumentQuery,
    body: DocumentPatch,
    bodyLimit: 'documentBytesMax',
    reply: DocumentWritten,
    errors: ['AMBIGUOUS_ID', 'VERSION_MISMATCH', 'OVERLOADED', 'DISK_FULL'],
    handle: ({ app, params, query, body, header }) =>
      app.documents.merge(
        { id: params.id, index: query.index, ifVersion: readVersion(header('if-match')) },
        body,
        { refresh: query.refresh !== false },
      ),
  })
}

export const putDocument = writeDocument('PUT')
export const patchDocument = writeDocument('PATCH')

export const deleteDocument = route({
  method: 'DELETE',
  path: '/cortex/documents/{id}',
  tag: 'documents',
  summary: 'Delete a document',
  params: DocumentPath,
  query: DocumentQuery,
  reply: DocumentWritten,
  errors: ['DOCUMENT_NOT_FOUND', 'AMBIGUOUS_ID', 'VERSION_MISMATCH'],
  handle: ({ app, params, query, header }) =>
    app.documents.remove(
      { id: params.id, index: query.index, ifVersion: readVersion(header('if-match')) },
      { refresh: query.refresh !== false },
    ),
})

/** `If-Match: "3"` as a version; `*` and no header match any. */
function readVersion(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  const [, digits] = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(header) ?? []
  if (digits === undefined) throw invalid('If-Match', 'must be a version in quotes, such as "3"')
  return Number(digits)
}
