import type { TObject } from 'typebox'
import type { Config } from '../config.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import * as namedShapes from '../schema/named-shapes.ts'
import { CODINGS } from './decode.ts'
import { HEAD_BYTES_MAX } from './head-limit.ts'
import { openComponents } from './openapi-components.ts'
import { describeHeaders, isVersioned } from './openapi-headers.ts'
import { aliasesOf, BASE_PATH } from './paths.ts'
import type { Route } from './route.ts'

type Json = Record<string, unknown>

/** What any route can answer besides its own errors: even one without parameters is asked with a query string that may be broken. */
const ALWAYS: ErrorCode[] = [
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'INTERNAL',
  'STARTING',
  'TIMED_OUT',
  'OVERLOADED',
  'STORE_UNAVAILABLE',
]
const WITH_BODY: ErrorCode[] = [
  'MALFORMED_JSON',
  'JSON_TOO_DEEP',
  'BODY_INCOMPLETE',
  'MALFORMED_ENCODING',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]
const WITH_WRITES: ErrorCode[] = ['DISK_FULL']

const TAGS: Record<Route['tag'], string> = {
  search: 'Searches, completions and spelling.',
  documents: 'Writing and reading documents, one or many.',
  indices: 'Indices, with their fields, analysis and vectors.',
  sessions: 'Who searches.',
  learning: 'What people did, and what the ranking makes of it.',
  operations: 'Health, figures, and this description.',
}

/** The version of the interface, which other services may speak too; this one has a version of its own. */
const INTERFACE_VERSION = '1.0.0'

/**
 * The OpenAPI 3.1 document of the routes, made from the schemas that check their requests and with the
 * limits that are in force.
 */
export function describeApi(routes: readonly Route[], config: Config): Json {
  const { refer, met } = openComponents(namedShapes)
  const paths: Record<string, Json> = {}
  for (const route of routes)
    for (const { method, path } of [route, ...aliasesOf(route)]) {
      const item = paths[path] ?? {}
      item[method.toLowerCase()] = refer(describeRoute(route, method, path, config))
      paths[path] = item
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Attune',
      version: INTERFACE_VERSION,
      description: 'A search server that learns from the people who search with it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASE_PATH }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths,
    components: { schemas: { Meta, Failure, ...met() }, ...securityOf(config) },
    security: config.apiKeys === '' ? [] : [{ key: [] }],
  }
}

function securityOf(config: Config): Json {
  if (config.apiKeys === '') return {}
  return { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }
}

function describeRoute(route: Route, method: string, path: string, config: Config): Json {
  return {
    operationId: operationId(method, path),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    parameters: [
      ...describeParameters(route.params, 'path', path),
      ...describeParameters(route.query, 'query', path),
      ...describeHeaders(route, method),
    ],
    ...(hasBody(route) ? { requestBody: describeBody(route, config) } : {}),
    responses: {
      200: describeSuccess(route),
      ...(method === 'GET' && isVersioned(route) ? { 304: NOT_MODIFIED } : {}),
      ...describeFailures(route, method),
      431: HEAD_TOO_LARGE,
    },
  }
}

function operationId(method: string, path: string): string {
  const words = path.split(/[^a-zA-Z]+/).filter((word) => word !== '')
  return [
    method.toLowerCase(),
    ...words.map((word) => word[0]?.toUpperCase() + word.slice(1)),
  ].join('')
}

function describeParameters(
  schema: TObject | undefined,
  where: 'path' | 'query',
  path: string,
): Json[] {
  if (schema === undefined) return []
  const required = new Set<string>(schema.required ?? [])
  return Object.entries(schema.properties)
    .filter(([name]) => where === 'query' || path.includes(`{${name}}`))
    .map(([name, property]) => ({
      name,
      in: where,
      required: where === 'path' || required.has(name),
      schema: property,
    }))
}

function hasBody(route: Route): boolean {
  return route.body !== undefined || (route.bodyKind ?? 'none') !== 'none'
}

function describeBody(route: Route, config: Config): Json {
  const bytesMax = config[route.bodyLimit ?? 'bodyBytesMax']
  const json: Json = { schema: route.body ?? {} }
  if (route.example !== undefined) json.example = route.example
  const others = (route.consumes ?? []).map((type) => [type, { schema: { type: 'string' } }])
  return {
    required: route.bodyOptional !== true,
    description: `At most ${bytesMax} bytes, counted uncompressed (it may come with content-encoding: ${CODINGS.join(' or ')}), nested at most ${config.jsonDepthMax} levels deep.`,
    content: { 'application/json': json, ...Object.fromEntries(others) },
  }
}

function describeSuccess(route: Route): Json {
  if (route.produces !== undefined)
    return { description: route.summary, content: { [route.produces]: { schema: route.reply } } }
  return {
    description: route.summary,
    content: {
      'application/json': { schema: envelope(route) },
      ...(route.streams === undefined ? {} : { [route.streams]: { schema: { type: 'string' } } }),
    },
  }
}

function envelope({ reply, top }: Route): Json {
  return {
    type: 'object',
    required: ['success', 'data', 'meta'],
    properties: {
      success: { const: true },
      data: reply,
      ...top?.properties,
      meta: { $ref: '#/components/schemas/Meta' },
    },
  }
}

function describeFailures(route: Route, method: string): Json {
  const codes = new Set<ErrorCode>([
    ...ALWAYS,
    ...(hasBody(route) ? WITH_BODY : []),
    ...(route.errors ?? []),
  ])
  if (method === 'POST') codes.add('IDEMPOTENCY_CONFLICT')
  if (method !== 'GET' && route.readsOnly !== true) for (const code of WITH_WRITES) codes.add(code)
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes)
    byStatus.set(ERRORS[code], [...(byStatus.get(ERRORS[code]) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, named]) => [
      status,
      {
        description: named.join(', '),
        ...(named.includes('UNSUPPORTED_MEDIA_TYPE') ? { headers: CODINGS_TOLD } : {}),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      },
    ]),
  )
}

const CODINGS_TOLD = {
  'Accept-Encoding': {
    description: 'The codings that are read, when the body came in another.',
    schema: { type: 'string', examples: [CODINGS.join(', ')] },
  },
}

const NOT_MODIFIED = {
  description: 'The document has a version that If-None-Match names, told in the ETag; no body.',
}

/** The one answer that is not ours. */
const HEAD_TOO_LARGE = {
  description: `The head of the request is larger than ${HEAD_BYTES_MAX} bytes; the answer is a line of HTML.`,
}

const Meta = {
  type: 'object',
  required: ['took', 'requestId'],
  properties: { took: { type: 'integer', description: 'ms' }, requestId: { type: 'string' } },
}

const Failure = {
  type: 'object',
  required: ['success', 'error', 'code', 'meta'],
  properties: {
    success: { const: false },
    error: { type: 'string', description: 'one sentence' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    data: { type: 'object', description: 'the full report, when health fails' },
    meta: { $ref: '#/components/schemas/Meta' },
  },
}
