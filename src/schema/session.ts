import { type Static, Type } from 'typebox'
import { DateTime, ForeignId, MapOf, OneOf } from './common.ts'

/** Body of session creation; no field is required. */
export const SessionCreate = Type.Object({
  clientId: Type.Optional(ForeignId),
  userId: Type.Optional({ ...ForeignId, description: 'who searches; empty: nobody who is known' }),
  metadata: Type.Optional(
    MapOf(Type.Unknown(), {
      description: 'Anything about the session; at most 8 KiB of JSON; returned unchanged.',
    }),
  ),
})
export type SessionCreate = Static<typeof SessionCreate>

/** Answer of session creation. */
export const SessionCreated = Type.Object({
  sessionId: Type.String(),
  created: DateTime,
  metadata: MapOf(Type.Unknown()),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'names that are no field of a session, and were ignored',
    }),
  ),
})
export type SessionCreated = Static<typeof SessionCreated>

/** A session as the store keeps it. Times are milliseconds since the epoch. */
export interface SessionRecord {
  createdMs: number
  lastSeenMs: number
  clientId?: string
  userId?: string
  /** JSON text, so that it comes back exactly as it was sent. */
  metadata: string
}

/** What a session did so far. */
export interface SessionTotals {
  searches: number
  clicks: number
  feedback: number
  events: number
}

const SessionTimes = {
  sessionId: Type.String(),
  status: OneOf(['ACTIVE', 'EXPIRED']),
  created: DateTime,
  lastSeen: DateTime,
}

/** Answer of reading a session. */
export const SessionRead = Type.Object({
  ...SessionTimes,
  clientId: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  metadata: MapOf(Type.Unknown()),
})
export type SessionRead = Static<typeof SessionRead>

/** Answer of reading what a session did; kept 30 days beyond the day that it may last. */
export const SessionAnalytics = Type.Object({
  ...SessionTimes,
  searches: Type.Integer({
    description:
      'further pages of a list are none; written every second: after a crash the last ones may be missing',
  }),
  clicks: Type.Integer(),
  feedback: Type.Integer({ description: 'entries that were sent while it lasted, but duplicates' }),
  events: Type.Integer(),
})
export type SessionAnalytics = Static<typeof SessionAnalytics>
