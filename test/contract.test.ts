import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../src/api/index.ts'
import { ERRORS } from '../src/errors.ts'
import { aliasesOf } from '../src/http/paths.ts'
import type { Route } from '../src/http/route.ts'
import { expectDeclared, routeOf } from './contract.ts'
import { type RunningApp, startApp } from './running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
})
afterAll(() => running.close())

/** Every way to call a route: its own, then its aliases. */
const ways = routes.flatMap((route) =>
  [{ method: route.method, path: route.path }, ...aliasesOf(route)].map((way) => ({
    ...way,
    route,
    name: `${way.method} ${way.path}`,
  })),
)
const enveloped = ways.filter(({ route }) => route.produces === undefined)

interface Told {
  success: boolean
  data?: unknown
  error?: string
  code?: keyof typeof ERRORS
  details?: { path: string; message: string }[]
  meta: { took: number; requestId: string }
}

async function ask(
  way: { method: string; path: string; route: Route },
  body: unknown,
): Promise<{ status: number; told: Told }> {
  const path = way.path.replaceAll(/\{\w+\}/g, `nothing-${way.method.toLowerCase()}`)
  const query = way.route.query?.required?.map((key: string) => `${key}=nothing-there`).join('&')
  const sends = way.route.body !== undefined && way.method !== 'GET'
  const response = await fetch(`${running.url}${path}${query ? `?${query}` : ''}`, {
    method: way.method,
    ...(sends
      ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      : {}),
  })
  return { status: response.status, told: (await response.json()) as Told }
}

function expectEnvelope(status: number, told: Told): void {
  expect(Number.isInteger(told.meta.took)).toBe(true)
  expect(told.meta.requestId).toMatch(/^[0-9a-f-]{36}$/)
  if (status === 200) {
    expect(told.success).toBe(true)
    expect(told.data).toBeTypeOf('object')
    return
  }
  expect(told.success).toBe(false)
  expect(told.error).toMatch(/^.+\.$/)
  expect(ERRORS[told.code!]).toBe(status)
}

/** Bodies that work, for the routes whose body must hold something. */
const GOOD: Record<string, unknown> = {
  'POST /cortex/documents': { index: 'contract', document: { title: 'A contract' } },
  'POST /cortex/indices/{name}/documents': { document: { title: 'A contract' } },
  'POST /cortex/documents/bulk': { documents: [{ document: { title: 'One' } }] },
  'POST /cortex/indices': { name: 'contract-made' },
  'POST /cortex/search': { query: 'contract' },
  'POST /cortex/suggest': { prefix: 'con' },
  'PUT /cortex/documents/{id}': { title: 'Put' },
  'PATCH /cortex/documents/{id}': { title: 'Patched' },
  'POST /cortex/feedback': { sessionId: 's', feedback: [{ queryId: 'q', rating: 1 }] },
  'POST /cortex/analytics/search': { eventType: 'click' },
  'POST /cortex/metrics': { name: 'a_b', value: 1 },
  'POST /cortex/ab-test/create': { variants: [{ name: 'a' }, { name: 'b' }] },
  'POST /cortex/ab-test/assign': { sessionId: 's', testName: 't' },
  'POST /nous/signals/process': { signalId: 's' },
  'POST /nous/signals': { signalId: 's' },
  'POST /nous/learn/models/sync': { modelId: 'm', state: { weights: [1], bias: 0 } },
  'POST /nous/adapt/suggest': {
    queryHash: 'h',
    patterns: { clickThroughRate: 0.2 },
    confidence: 0.5,
  },
  'POST /nous/adapt/rules': { changes: { a: 1 } },
  'POST /nous/adapt/apply': { type: 'ranking', changes: { a: 1 } },
  'POST /nous/ab-testing/experiments': { type: 'x', variants: [{ id: 'a' }, { id: 'b' }] },
  'POST /nous/ab-testing/results': { experimentName: 'e', variantId: 'a', metrics: { m: 1 } },
}
/** Their names are taken once and for all: each way to create one needs its own. */
const NAMED = new Set(['POST /cortex/ab-test/create', 'POST /nous/ab-testing/experiments'])

describe('every route', () => {
  it.each(enveloped)('$name answers good input in the envelope', async (way) => {
    const key = `${way.route.method} ${way.route.path}`
    const body = { ...Object(GOOD[key]), ...(NAMED.has(key) ? { name: way.path } : {}) }
    const { status, told } = await ask(way, body)
    expectEnvelope(status, told)
    // What is right but names nothing that exists is 404.
    expect([200, 404], `${JSON.stringify(told)} of the body in GOOD`).toContain(status)
    // A client that sends several ids is told which one, and nobody has to guess what would do.
    if (status === 404) {
      expect(told.details).toEqual([
        { path: expect.any(String), message: expect.stringMatching(/^(is|names) \w+/) },
      ])
      const { params, query, body } = way.route
      const sent = [params, query, body].flatMap((shape) => Object.keys(shape?.properties ?? {}))
      expect(sent).toContain(told.details?.[0]?.path)
    }
    if (status !== 200) return
    expectDeclared(way.route, told.data)
    const beside = Object.keys(told).filter((key) => !['success', 'data', 'meta'].includes(key))
    expect(Object.keys(way.route.top?.properties ?? {})).toEqual(expect.arrayContaining(beside))
  })

  const checked = enveloped.filter(({ route }) => route.body !== undefined)
  it.each(checked)('$name refuses a body of the wrong type and names the place', async (way) => {
    const { status, told } = await ask(way, 'a text')
    expectEnvelope(status, told)
    expect(status).toBe(400)
    expect(told.code).toBe('VALIDATION_FAILED')
    expect(told.details).toHaveLength(1)
  })

  const required = checked.filter(({ route }) => (route.body?.required?.length ?? 0) > 0)
  it.each(required)('$name names the field that is missing', async (way) => {
    const { status, told } = await ask(way, {})
    expect(status).toBe(400)
    const [first] = way.route.body.required as string[]
    expect(told.details?.[0]).toEqual({
      path: first,
      message: expect.stringMatching(/^is required/),
    })
    expect(told.error).toContain(first)
  })

  /** Paths that are the address of a thing, too, where a client calls its own so: they have all methods of it. */
  const NAMEABLE: Record<string, string> = {
    '/cortex/documents/bulk': '/cortex/documents/{id}',
    '/nous/learn/models/train': '/nous/learn/models/{id}',
  }
  const methodsOf = (path: string | undefined) =>
    ways.filter((way) => way.path === path).map(({ method }) => method as string)

  it.each([...new Set(ways.map(({ path }) => path))])(
    '%s refuses every method that it does not have',
    async (path) => {
      const own = new Set([...methodsOf(path), ...methodsOf(NAMEABLE[path])])
      if (own.has('GET')) own.add('HEAD')
      const concrete = path.replaceAll(/\{\w+\}/g, 'nothing-there')
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (own.has(method)) continue
        const response = await fetch(`${running.url}${concrete}`, { method })
        expect([method, response.status]).toEqual([method, 405])
        expect(response.headers.get('allow')).toBe([...own].sort().join(', '))
      }
    },
  )

  it('has a method and path of its own', () => {
    const names = ways.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('looks at what its maps hold under every name, also one with a line break', () => {
    for (const { body, reply, path } of routes)
      expect(JSON.stringify([body, reply]), path).not.toContain('"^.*$"')
  })

  it('is counted on the metrics page under its pattern', async () => {
    const page = await running.metricsPage()
    for (const { method, path } of enveloped.map(({ route }) => route))
      expect(page).toContain(`svc_api_requests_total{method="${method}",endpoint="${path}"`)
  })
})

describe('an answer', () => {
  const route = routeOf('GET', '/cortex/documents/a?index=b')!
  const read = {
    ...{ id: 'a', index: 'b', version: 1, vectorized: true, source: { title: 'open' } },
    ...{ created: '2024-01-01T00:00:00Z', updated: '2024-01-01T00:00:00Z' },
  }

  it('has what its route declares, and what an open object holds', () => {
    expect(() => expectDeclared(route, read)).not.toThrow()
  })

  it('has nothing else', () => {
    expect(() => expectDeclared(route, { ...read, secret: 1 })).toThrow('secret')
  })
})

describe('the whole service', () => {
  it('is well, with figures of its own', async () => {
    const cortex = await running.call<{ services: Record<string, { metrics: object }> }>(
      'GET',
      '/cortex/health',
    )
    expect(cortex.status).toBe(200)
    const { searchEngine, database, cache } = cortex.data.services
    expect(searchEngine!.metrics).toMatchObject({ cluster: { status: 'green', nodes: 1 } })
    expect(database!.metrics).toMatchObject({
      connections: { active: expect.any(Number), idle: expect.any(Number) },
    })
    expect(cache!.metrics).toMatchObject({
      memory: { used: expect.stringMatching(/^[\d.]+MB$/), peak: expect.stringMatching(/MB$/) },
    })
    expect(await running.call('GET', '/nous/health')).toMatchObject({ data: { overall: true } })
  })

  it('shows its parts on the metrics page', async () => {
    await running.call('POST', '/cortex/documents', { index: 'seen', document: { title: 'a' } })
    const page = await running.metricsPage()
    for (const line of [
      'svc_index_documents{index="seen"} 1',
      'svc_pool_threads{lane="search"} 1',
      'svc_store_readers{state="active"}',
      'svc_store_transactions_total',
      'svc_job_seconds_count{job="write"}',
      'svc_write_queue_documents 0',
      'svc_metrics_collector_failures_total 0',
    ])
      expect(page).toContain(line)
  })
})

describe('docs/operations.md', () => {
  it('names figures that the metrics page has', async () => {
    const text = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
    const named = new Set(
      [...text.matchAll(/`((?:svc|nodejs|process)_\w+)`/g)].map(([, name]) => name),
    )
    expect(named.size).toBeGreaterThan(10)
    const page = await running.metricsPage()
    const told = new Set([...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    expect([...named].filter((name) => !told.has(name))).toEqual([])
  })
})

describe('the examples of the API document', () => {
  const shown = routes.filter(({ example }) => example !== undefined)
  it.each(shown)('$method $path: the example works', async (route) => {
    const response = await running.call(route.method, route.path, route.example)
    expect(response.status, response.error).toBe(200)
  })
})
