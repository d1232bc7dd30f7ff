import { invalid, ServiceError } from '../../errors.ts'
import { route } from '../../http/route.ts'
import {
  ChangedDocument,
  type DocumentPatch,
  DocumentPath,
  DocumentQuery,
  DocumentWritten,
} from '../../schema/document.ts'
import { readConditions } from '../conditions.ts'
import { versioned, WRITE_REFUSALS } from './documents.ts'

export const putDocument = writeDocument('PUT')
export const patchDocument = writeDocument('PATCH')

function writeDocument(method: 'PUT' | 'PATCH') {
  return route({
    method,
    path: '/cortex/documents/{id}',
    tag: 'documents',
    summary: 'Change the sent fields of a document; null removes one; an unknown id is created',
    params: DocumentPath,
    query: DocumentQuery,
    body: ChangedDocument,
    bodyLimit: 'documentBytesMax',
    content: 'all',
    reply: DocumentWritten,
    errors: [...WRITE_REFUSALS, 'AMBIGUOUS_ID'],
    handle: async ({ app, params, query, body, header, isLate }) => {
      const place = { id: params.id, index: query.index, ...readConditions(header) }
      const options = { refresh: query.refresh !== false, isLate }
      const merging = app.documents.merge(place, body, options)
      const written = await merging.catch((cause: unknown) => wrapped(cause, method, body))
      const names = app.indices.find(written.index)?.definition.names
      const isKept = (name: string) => names?.has(name) !== true
      const told: string[] = []
      if (query.index === undefined && hasIndex(body) && isKept('index')) told.push(INDEX_KEPT)
      for (const name of ['id', '_id'])
        if (isKept(name) && isOther(body, name, params.id))
          told.push(`${name} is kept as a field: the path says which document is meant.`)
      if (isAllWrapped(body) && isKept('document'))
        told.push(`document is kept as a field: ${unwrapped(method)}.`)
      if (told.length === 0) return versioned(written)
      return versioned({ ...written, warnings: [...told, ...(written.warnings ?? [])] })
    },
  })
}

const INDEX_KEPT =
  'index is kept as a field: to choose the index of the document, send it as ?index= in the address.'

function unwrapped(method: string): string {
  return `${method} takes the fields as they are, {"title": "…"}, with no "document" around them`
}

/** Whether a body has a text under a name that is not what the path says. */
function isOther(body: DocumentPatch, name: string, said: string): boolean {
  const sent = (body as Record<string, unknown>)[name]
  return typeof sent === 'string' && sent !== said
}

function hasIndex(body: DocumentPatch): boolean {
  return typeof (body as { index?: unknown }).index === 'string'
}

/** Whether nothing is sent but fields inside of `document`, as creating takes them. */
function isAllWrapped(body: DocumentPatch): boolean {
  const { document } = body as { document?: unknown }
  const isFields = typeof document === 'object' && document !== null && !Array.isArray(document)
  return isFields && Object.keys(body).length === 1
}

/**
 * Creating takes a document inside of `document`. A client that sends it like that here, too, is told why there is
 * none.
 */
function wrapped(cause: unknown, method: string, body: DocumentPatch): never {
  const { document } = body as { document?: unknown }
  const [detail] = cause instanceof ServiceError ? (cause.details ?? []) : []
  if (!(cause instanceof ServiceError) || detail?.path !== 'document') throw cause
  if (typeof document !== 'object' || document === null) throw cause
  throw invalid('document', `${detail.message}; ${unwrapped(method)}`, cause.code)
}
