import { expect } from 'vitest'
import { routes } from '../src/api/index.ts'
import { readConfig } from '../src/config.ts'
import { describeApi } from '../src/http/openapi.ts'
import { mountPoints } from '../src/http/paths.ts'
import type { Route } from '../src/http/route.ts'
import { openValidators } from '../src/http/validate.ts'

type Schema = Route['reply']
type Check = (value: unknown) => void

const points = mountPoints(routes).map(({ method, pattern, route }) => {
  return { method, route, parts: pattern.split('/') }
})
const checks = new Map<Schema, Check>()
type Operation = { responses: Record<string, { description: string } | undefined> }
const operations = describeApi(routes, readConfig({})).paths as Record<
  string,
  Record<string, Operation>
>

/** Fails when an answer's `data` is not of the route's schema, or has a key that the schema does not declare. */
export function expectDeclared(route: Route, data: unknown): void {
  const check = checks.get(route.reply) ?? openValidators().exact(closed(route.reply), 'answer')
  checks.set(route.reply, check)
  expect(() => check(data), `the answer of ${route.method} ${route.path}`).not.toThrow()
}

/** Fails when the API document does not say that the route refuses with this code. */
export function expectNamed({ method, path }: Route, status: number, code: string): void {
  const { responses } = operations[path]![method.toLowerCase()]!
  const named = responses[status]?.description.split(', ') ?? []
  expect(named, `codes with ${status} that OpenAPI names for ${method} ${path}`).toContain(code)
}

/** The route that answers a path under /api; undefined when none does. Names come before parameters. */
export function routeOf(method: string, path: string): Route | undefined {
  const segments = `/api${path.split('?')[0]}`.split('/')
  const [first] = points
    .filter((point) => point.method === method && point.parts.length === segments.length)
    .filter(({ parts }) => parts.every((part, at) => part.startsWith('{') || part === segments[at]))
    .toSorted((a, b) => parameters(a.parts) - parameters(b.parts))
  return first?.route
}

function parameters(parts: string[]): number {
  return parts.filter((part) => part.startsWith('{')).length
}

/** A schema whose objects have what they declare and nothing else, but for those that say that they are open. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  )
  const isObject = inner.type === 'object' && inner.patternProperties === undefined
  return (isObject ? { additionalProperties: false, ...inner } : inner) as T
}
