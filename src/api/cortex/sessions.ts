import { Type } from 'typebox'
import { answer, route } from '../../http/route.ts'
import { IdPath } from '../../schema/common.ts'
import {
  SessionAnalytics,
  SessionCreate,
  SessionCreated,
  SessionRead,
} from '../../schema/session.ts'

export const createSession = route({
  method: 'POST',
  path: '/cortex/sessions',
  tag: 'sessions',
  summary: 'Start a session',
  body: SessionCreate,
  bodyOptional: true,
  example: {
    clientId: 'web',
    userId: 'u-42',
    metadata: { deviceType: 'desktop', platform: 'web' },
  },
  top: Type.Object({
    cached: Type.Boolean({ description: 'the session is in memory already: always true' }),
  }),
  reply: SessionCreated,
  handle: async ({ app, body }) =>
    answer(await app.sessions.create(body), { top: { cached: true } }),
})

export const findSession = route({
  method: 'GET',
  path: '/cortex/sessions',
  tag: 'sessions',
  summary: 'Read a session named by the query',
  query: IdPath,
  missing: { id: 'is required, the id of the session: ?id=… ("sessionId" is not read here)' },
  reply: SessionRead,
  errors: ['SESSION_NOT_FOUND'],
  handle: ({ app, query }) => app.sessions.get(query.id),
})

export const readSession = route({
  method: 'GET',
  path: '/cortex/sessions/{id}',
  tag: 'sessions',
  summary: 'Read a session: its state, times and metadata',
  params: IdPath,
  reply: SessionRead,
  errors: ['SESSION_NOT_FOUND'],
  handle: ({ app, params }) => app.sessions.get(params.id),
})

export const readSessionAnalytics = route({
  method: 'GET',
  path: '/cortex/sessions/{id}/analytics',
  tag: 'sessions',
  summary: 'Read what a session did; kept 30 days beyond the day that it may last',
  params: IdPath,
  reply: SessionAnalytics,
  errors: ['SESSION_NOT_FOUND'],
  handle: ({ app, params }) => app.sessions.analytics(params.id),
})
