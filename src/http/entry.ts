import { variableOf } from '../config.ts'
import type { BodyLimit } from './body.ts'
import type { ReadRoute } from './reading.ts'
import type { BodyKind, Route } from './route.ts'
import type { ServedApp } from './served.ts'
import { type TellUnread, unreadTelling } from './unread-parameters.ts'
import type { Check, Validators } from './validate.ts'

/** Everything about a route that is the same for each of its requests. */
export interface Entry extends ReadRoute {
  name: string
  parameterNames: string[]
  checkParams: Check | undefined
  checkQuery: Check | undefined
  tellUnread: TellUnread | undefined
  bodyKind: BodyKind
  consumes: string[]
  bodyLimit: BodyLimit
  /** False for the probes, which answer while the service starts and without an API key. */
  guarded: boolean
}

const PROBES = new Set(['/livez', '/readyz'])

/** Compiles a route's schemas; called once per route at start. */
export function compileEntry(app: ServedApp, route: Route, validators: Validators): Entry {
  const { params, query, body, bodyLimit: limit = 'bodyBytesMax' } = route
  return {
    route,
    name: `${route.method} ${route.path}`,
    parameterNames: [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string),
    checkParams: params === undefined ? undefined : validators.coercing(params),
    checkQuery: query === undefined ? undefined : validators.coercing(query),
    tellUnread: unreadTelling(route),
    checkBody: body === undefined ? undefined : validators.thorough(body),
    bodyKind: route.bodyKind ?? (body === undefined ? 'none' : 'json'),
    consumes: route.consumes ?? [],
    advice: route.consumes === undefined ? '' : `; send ${route.consumes[0]} as such`,
    bodyLimit: { bytesMax: app.config[limit], setting: variableOf(limit) },
    guarded: !PROBES.has(route.path),
  }
}
