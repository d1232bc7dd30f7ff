import { Type } from 'typebox'
import type { ErrorCode } from '../../errors.ts'
import { answer, type Call, raw, route } from '../../http/route.ts'
import { openValidators } from '../../http/validate.ts'
import { LARGE_BYTES, readGradually } from '../../json/gradual.ts'
import { readJson } from '../../json/json.ts'
import { refuseUnkeepable } from '../../json/unkeepable.ts'
import { bulkOpOf, changesFields } from '../../schema/bulk-ops.ts'
import {
  BulkChange,
  BulkItem,
  BulkReply,
  BulkRequest,
  CreateDocument,
  CreateDocumentInIndex,
  DocumentPath,
  DocumentPlace,
  DocumentQuery,
  DocumentRead,
  DocumentWritten,
  IndexPath,
  UNWRAPPED,
} from '../../schema/document.ts'
import { refuseContradiction } from '../agreement.ts'
import { readConditions, refuseConditions } from '../conditions.ts'

const validators = openValidators()
const checkBulkItem = validators.exact(BulkItem, 'item')
const checkBulkChange = validators.exact(BulkChange, 'item')
/** What a document, and the index that it goes to, may be refused for. */
export const WRITE_REFUSALS: readonly ErrorCode[] = [
  'INDEX_NOT_FOUND',
  'LIMIT_REACHED',
  'VERSION_MISMATCH',
  'UNKNOWN_FIELD',
  'VECTOR_DIMENSIONS',
  'UNHEALTHY',
]
const Refresh = Type.Object({ refresh: Type.Optional(Type.Boolean()) })

export const createDocument = route({
  method: 'POST',
  path: '/cortex/documents',
  tag: 'documents',
  summary: 'Store a document; durable and searchable when answered',
  query: Refresh,
  body: CreateDocument,
  missing: { document: UNWRAPPED },
  bodyLimit: 'documentBytesMax',
  content: ['document'],
  example: {
    index: 'notes',
    document: { title: 'Espresso at home', content: 'Grind fine, tamp level.', tags: ['coffee'] },
  },
  reply: DocumentWritten,
  errors: [...WRITE_REFUSALS],
  handle: (call) => create(call, call.body),
})

export const createDocumentInIndex = route({
  method: 'POST',
  path: '/cortex/indices/{name}/documents',
  tag: 'documents',
  summary: 'Store a document in the index that the path names',
  params: IndexPath,
  query: Refresh,
  body: CreateDocumentInIndex,
  missing: { document: UNWRAPPED },
  bodyLimit: 'documentBytesMax',
  content: ['document'],
  reply: DocumentWritten,
  errors: [...WRITE_REFUSALS],
  handle: (call) => {
    const { params, body } = call
    const { name } = params
    refuseContradiction({ path: 'index', again: body.index, place: 'the path', first: name })
    return create(call, { ...body, index: name })
  },
})

async function create(
  {
    app,
    query,
    header,
    noteDone,
    isLate,
  }: Pick<
    Call<unknown, { refresh?: boolean }, unknown>,
    'app' | 'query' | 'header' | 'noteDone' | 'isLate'
  >,
  body: CreateDocument,
) {
  const item = { ...body, ...readConditions(header) }
  const options = { refresh: query.refresh !== false, noteDone, isLate }
  const written = await app.documents.create(item, options)
  return versioned(written)
}

export const bulkDocuments = route({
  method: 'POST',
  path: '/cortex/documents/bulk',
  tag: 'documents',
  summary: 'Store many documents: a JSON list, or NDJSON worked off while it arrives',
  query: DocumentQuery,
  body: BulkRequest,
  missing: {
    documents:
      'is required, a list with {"id", "document": {"title": "…"}} for each; the list may be the body, too',
  },
  bodyKind: 'stream',
  consumes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  bodyLimit: 'documentBytesMax',
  content: 'items',
  example: {
    index: 'notes',
    documents: [
      { id: 'a', document: { title: 'One' } },
      { op: 'update', id: 'a', document: { tags: ['first'] } },
      { op: 'delete', id: 'b' },
    ],
  },
  reply: BulkReply,
  errors: ['UNHEALTHY'],
  handle: async ({ app, body, suspicious, stream, hold, query, header, noteDone, isLate }) => {
    refuseConditions(header)
    const refresh = query.refresh !== false
    const { defaultIndex } = app.config
    const options = {
      index: query.index,
      defaultIndex,
      refresh,
      check: checkItem,
      noteDone,
      isLate,
    }
    if (body === undefined) {
      const { documentBytesMax: lineBytesMax, jsonDepthMax } = app.config
      const parse = (line: Uint8Array, name: string) =>
        line.length < LARGE_BYTES
          ? readJson(line, jsonDepthMax, { name })
          : readGradually(line, jsonDepthMax, { name })
      return answer(await app.bulk.lines(stream, { ...options, parse, lineBytesMax, hold }))
    }
    if (Array.isArray(body)) return answer(await app.bulk.list(body, { ...options, suspicious }))
    const { documents, ...common } = body
    if (suspicious) refuseUnkeepable(common)
    const said = { path: 'index', again: common.index, place: '?index=', first: query.index }
    refuseContradiction(said)
    const index = common.index ?? query.index
    return answer(await app.bulk.list(documents, { ...options, index, suspicious }))
  },
})

function checkItem(item: unknown, suspicious: boolean): void {
  if (suspicious) refuseUnkeepable(item, ['document'])
  // In a change null removes a field; in a document it is none.
  const sent = item as { op?: unknown } | null
  if (changesFields(bulkOpOf(sent?.op))) checkBulkChange(item)
  else checkBulkItem(item)
}

export const getDocument = route({
  method: 'GET',
  path: '/cortex/documents/{id}',
  tag: 'documents',
  summary: 'Read a document',
  params: DocumentPath,
  query: DocumentPlace,
  reply: DocumentRead,
  errors: ['DOCUMENT_NOT_FOUND', 'INDEX_NOT_FOUND', 'AMBIGUOUS_ID', 'VERSION_MISMATCH'],
  handle: async ({ app, params, query, header }) => {
    const place = { id: params.id, index: query.index, ...readConditions(header) }
    const read = await app.documents.get(place)
    if ('notModified' in read)
      return raw('', '', { status: 304, headers: { etag: etagOf(read.notModified) } })
    return answer(read.json, { headers: { etag: etagOf(read.version) } })
  },
})

/** With the version in a header, as If-Match and If-None-Match want it. */
export function versioned<Reply extends { version: number }>(reply: Reply) {
  return answer(reply, { headers: { etag: etagOf(reply.version) } })
}

function etagOf(version: number): string {
  return `"${version}"`
}

export const deleteDocument = route({
  method: 'DELETE',
  path: '/cortex/documents/{id}',
  tag: 'documents',
  summary: 'Delete a document',
  params: DocumentPath,
  query: DocumentQuery,
  reply: DocumentWritten,
  errors: [
    'DOCUMENT_NOT_FOUND',
    'INDEX_NOT_FOUND',
    'AMBIGUOUS_ID',
    'VERSION_MISMATCH',
    'UNHEALTHY',
  ],
  handle: ({ app, params, query, header, isLate }) =>
    app.documents.remove(
      { id: params.id, index: query.index, ...readConditions(header) },
      { refresh: query.refresh !== false, isLate },
    ),
})
