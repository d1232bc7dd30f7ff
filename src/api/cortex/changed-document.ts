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
      for (const name of WRAPPERS)
        if (isAllWrapped(body, name) && isKept(name))
          told.push(`${name} is kept as a field: ${unwrapped(method, name)}.`)
      if (told.length === 0) return versioned(written)
      return versioned({ ...written, warnings: [...told, ...(written.warnings ?? [])] })
    },
  })
}

const INDEX_KEPT =
  'index is kept as a field: to choose the index of the document, send it as ?index= in the address.'

/** What fields stand inside of elsewhere: where a document is created, and in a partial update of search engines. */
const WRAPPERS = ['document', 'doc'] as const
type Wrapper = (typeof WRAPPERS)[number]

function unwrapped(method: string, name: Wrapper): string {
  return `${method} takes the fields as they are, {"title": "…"}, with no "${name}" around them`
}

/** Whether a body has a text under a name that is not what the path says. */
function isOther(body: DocumentPatch, name: string, said: string): boolean {
  const sent = (body as Record<string, unknown>)[name]
  return typeof sent === 'string' && sent !== said
}

function hasIndex(body: DocumentPatch): boolean {
  return typeof (body as { index?: unknown }).index === 'string'
}

/** Whether nothing is sent but fields inside of such a name. */
function isAllWrapped(body: DocumentPatch, name: Wrapper): boolean {
  return hasFieldsIn(body, name) && Object.keys(body).length === 1
}

function hasFieldsIn(body: DocumentPatch, name: Wrapper): boolean {
  const sent = (body as Record<string, unknown>)[name]
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent)
}

/** A client that sends a document inside of such a name is told why there is none. */
function wrapped(cause: unknown, method: string, body: DocumentPatch): never {
  const [detail] = cause instanceof ServiceError ? (cause.details ?? []) : []
  if (!(cause instanceof ServiceError) || detail?.path !== 'document') throw cause
  const name = WRAPPERS.find((each) => hasFieldsIn(body, each))
  if (name === undefined) throw cause
  throw invalid('document', `${detail.message}; ${unwrapped(method, name)}`, cause.code)
}
