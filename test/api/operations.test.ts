import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { routes } from '../../src/api/index.ts'
import { docs, livez, openApi, readyz } from '../../src/api/operations.ts'
import { readConfig } from '../../src/config.ts'
import { describeApi } from '../../src/http/openapi.ts'
import * as namedShapes from '../../src/schema/named-shapes.ts'
import { type Stub, startStub } from '../http/stub.ts'

let stub: Stub
let root: string

beforeEach(async () => {
  stub = await startStub([livez, readyz, docs, openApi(() => routes)])
  root = stub.url.replace('/api', '')
})
afterEach(() => stub.close())

interface Shape {
  $ref?: string
  type?: string
  const?: unknown
  description?: string
  required?: string[]
  properties?: Record<string, Shape>
  additionalProperties?: Shape | boolean
  items?: Shape
  anyOf?: Shape[]
}

interface Operation {
  operationId: string
  parameters: { name: string; in: string; required: boolean; schema: { pattern?: string } }[]
  requestBody?: { description: string; content: Record<string, { schema: Shape }> }
  responses: Record<
    string,
    {
      description: string
      content?: Record<string, { schema: { properties: Record<string, Shape> } }>
    }
  >
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Shape> }
}

/** A shape, or what it refers to. */
function shapeOf({ components }: Document, shape: Shape | undefined): Shape {
  return components.schemas[shape?.$ref?.split('/').pop() ?? ''] ?? shape ?? {}
}

it('the API document is valid OpenAPI 3.1', async () => {
  const text = await (await fetch(`${root}/openapi.json`)).text()
  expect(text).toContain('"openapi":"3.1.0"')
  expect(JSON.parse(text).info.version).toBe('1.0.0')
  const result = await new Validator().validate(JSON.parse(text))
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
})

it('the API document names every route and alias, each under an id of its own', () => {
  const { paths } = describeApi(routes, readConfig({})) as unknown as Document
  for (const route of routes)
    expect(paths[route.path]?.[route.method.toLowerCase()], route.path).toBeDefined()
  expect(paths['/cortex/analytics/events']?.post).toBeDefined()
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

it('the API document shows the Idempotency-Key of every POST, and of nothing else', () => {
  const { paths } = describeApi(routes, readConfig({})) as unknown as Document
  for (const [path, item] of Object.entries(paths))
    for (const [method, { parameters, responses }] of Object.entries(item)) {
      const isPost = method === 'post'
      const isNamed = parameters.some(({ name }) => name === 'Idempotency-Key')
      expect(isNamed, `${method} ${path}`).toBe(isPost)
      const conflicts = responses[409]?.description.includes('IDEMPOTENCY_CONFLICT') ?? false
      expect(conflicts, `${method} ${path}`).toBe(isPost)
    }
})

it('the API document says 400 of every operation, as each is refused a query string that is no UTF-8', async () => {
  expect((await fetch(`${root}/livez?%`)).status).toBe(400)
  const { paths } = describeApi(routes, readConfig({})) as unknown as Document
  for (const [path, item] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(item))
      expect(responses[400]?.description, `${method} ${path}`).toContain('VALIDATION_FAILED')
})

it.each([
  ['order 17/b', true],
  ['k'.repeat(255), true],
  ['k'.repeat(256), false],
  ['größe', false],
])('the API document says of an Idempotency-Key whether it is taken: %j', (key, taken) => {
  const { paths } = describeApi(routes, readConfig({})) as unknown as Document
  const parameters = paths['/cortex/sessions']?.post?.parameters ?? []
  const pattern = parameters.find(({ name }) => name === 'Idempotency-Key')?.schema.pattern
  expect(new RegExp(pattern ?? '', 'u').test(key)).toBe(taken)
})

it('the API document shows the limits in force and the errors of a route', () => {
  const config = readConfig({ DOCUMENT_BYTES_MAX: '123456', API_KEYS: 'k' })
  const document = describeApi(routes, config) as unknown as Document & { security: unknown }
  const create = document.paths['/cortex/documents']?.post
  expect(create?.requestBody?.description).toContain('123456 bytes')
  expect(create?.responses[413]?.description).toBe('BODY_TOO_LARGE')
  expect(create?.parameters.map(({ name }) => name)).toContain('Idempotency-Key')
  expect(document.paths['/cortex/sessions/{id}']?.get?.parameters).toMatchObject([
    { name: 'id', in: 'path', required: true },
  ])
  expect(document.security).toEqual([{ key: [] }])
  expect(describeApi(routes, readConfig({})).security).toEqual([])
  const read = document.paths['/cortex/documents/{id}']?.get
  expect(read?.parameters.map(({ name }) => name)).not.toContain('refresh')
})

it('the API document says of what type all is that a search, a write and the health of a part answer', () => {
  const document = describeApi(routes, readConfig({})) as unknown as Document
  const { paths } = document
  const open: string[] = []
  for (const [path, method] of [
    ['/cortex/search', 'post'],
    ['/cortex/suggest', 'post'],
    ['/cortex/documents', 'post'],
    ['/cortex/health', 'get'],
  ] as const) {
    const { content } = paths[path]?.[method]?.responses[200] ?? {}
    const { data } = content?.['application/json']?.schema.properties ?? {}
    walk(data as Shape, path)
  }
  // What is the client's own, or differs from search to search.
  expect(open).toEqual(['/cortex/search.hits[].source', '/cortex/search.hits[].explain'])
  const written = paths['/cortex/documents']?.post?.responses[200]?.content
  const { data } = written?.['application/json']?.schema.properties ?? {}
  const { required } = shapeOf(document, data)
  expect(required).toEqual(expect.arrayContaining(['updated', 'result']))

  function walk(shape: Shape, place: string): void {
    const { additionalProperties: any, ...known } = shapeOf(document, shape)
    const { properties, items, anyOf, ...rest } = known
    const members = typeof any === 'object' ? { ...properties, '*': any } : { ...properties }
    for (const [name, member] of Object.entries(members)) walk(member, `${place}.${name}`)
    if (items !== undefined) walk(items, `${place}[]`)
    for (const one of anyOf ?? []) walk(one, place)
    const isLeaf = Object.keys(members).length + (anyOf ?? []).length === 0 && items === undefined
    if (isLeaf && (rest.type === undefined || rest.type === 'object') && rest.const === undefined)
      open.push(place)
  }
})

it('the API document names the body and the answer of every route, each shape once', () => {
  const { paths, components } = describeApi(routes, readConfig({})) as unknown as Document
  const nameless: string[] = []
  for (const [path, item] of Object.entries(paths))
    for (const [method, { requestBody, responses }] of Object.entries(item)) {
      const body = requestBody?.content['application/json']?.schema
      const { data } = responses[200]?.content?.['application/json']?.schema.properties ?? {}
      for (const shape of [body, data])
        if (Object.keys(shape?.properties ?? {}).length > 0) nameless.push(`${method} ${path}`)
    }
  expect(nameless, 'belong into named-shapes.ts').toEqual([])
  const { Meta: _, Failure: __, ...met } = components.schemas
  expect(Object.keys(met).sort(), 'two of one content, or one that no route has').toEqual(
    Object.keys(namedShapes).sort(),
  )
  expect(met.SearchReply?.properties?.hits).toEqual({
    type: 'array',
    items: { $ref: '#/components/schemas/SearchHit' },
  })
  expect(met.SearchHit?.properties?.highlight, 'as generators of clients know it').toEqual({
    type: 'object',
    description: 'passages of a field, escaped for HTML, with the words found marked',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  })
  const { properties } = met.CreateDocument ?? {}
  expect(properties?.document, 'optional ones, and those with a description, too').toEqual({
    $ref: '#/components/schemas/DocumentSource',
  })
})

it('the page needs nothing but the server that it came from', async () => {
  const response = await fetch(`${root}/docs`)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = await response.text()
  expect(page).not.toMatch(/https?:\/\//)
  expect(page).not.toMatch(/<(link|img|iframe)\b|src=|@import/)
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(page) ?? []
  expect(() => new Function(script)).not.toThrow()
})

it('livez answers in every state, readyz only when the service is ready', async () => {
  expect((await fetch(`${root}/readyz`)).status).toBe(200)
  for (const [state, code] of [
    ['starting', 'STARTING'],
    ['stopping', 'STOPPING'],
  ] as const) {
    stub.app.lifecycle.state = state
    expect((await fetch(`${root}/livez`)).status).toBe(200)
    const response = await fetch(`${root}/readyz`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]/)
    expect(await response.json()).toMatchObject({ success: false, code, data: { state } })
  }
})
