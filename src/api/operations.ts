import { Type } from 'typebox'
import type { App } from '../app.ts'
import { DOCS_PAGE } from '../http/docs.ts'
import { describeApi } from '../http/openapi.ts'
import { answer, type Route, raw, route } from '../http/route.ts'
import { FreeForm } from '../schema/common.ts'
import { Liveness, Readiness } from '../schema/operations.ts'

const DOCS_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'"

export const livez = route({
  method: 'GET',
  path: '/livez',
  root: true,
  tag: 'operations',
  summary: 'Whether the process answers at all',
  reply: Liveness,
  handle: () => ({ alive: true }),
})

export const readyz = route({
  method: 'GET',
  path: '/readyz',
  root: true,
  tag: 'operations',
  summary: 'Whether the service takes requests: not while it starts or stops',
  reply: Readiness,
  errors: ['STARTING', 'STOPPING'],
  handle: ({ app }) => {
    const { state } = app.lifecycle
    const report = { ready: state === 'ready', state }
    if (state === 'ready') return report
    const code = state === 'starting' ? 'STARTING' : 'STOPPING'
    const headers = { 'retry-after': '1' }
    return answer(report, { status: 503, code, error: `The service is ${state}.`, headers })
  },
})

/** The API document of `routes`; a function, as the list holds this route too. Made once for each configuration. */
export function openApi(routes: () => readonly Route[]): Route {
  const made = new WeakMap<App['config'], string>()
  return route({
    method: 'GET',
    path: '/openapi.json',
    root: true,
    tag: 'operations',
    summary: 'This API as an OpenAPI 3.1 document',
    reply: FreeForm,
    produces: 'application/json',
    handle: ({ app }) => {
      const document = made.get(app.config) ?? JSON.stringify(describeApi(routes(), app.config))
      made.set(app.config, document)
      return raw(document, 'application/json; charset=utf-8')
    },
  })
}

export const docs = route({
  method: 'GET',
  path: '/docs',
  root: true,
  tag: 'operations',
  summary: 'This API as a page to read and to try, without any network',
  reply: Type.String(),
  produces: 'text/html',
  handle: () =>
    raw(DOCS_PAGE, 'text/html; charset=utf-8', {
      headers: { 'content-security-policy': DOCS_POLICY },
    }),
})
