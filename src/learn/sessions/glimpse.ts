import type { SessionRecord } from '../../schema/session.ts'

/** What a search knows of the session that it was sent with. */
export interface SessionGlimpse {
  sessionId: string
  userId: string | undefined
  clientId: string | undefined
  metadata: Record<string, unknown>
  /** False once it is expired: the search is served, and counts for nobody. */
  active: boolean
}

const NOTHING_SAID: Record<string, unknown> = Object.freeze({})

export function glimpseOf(
  sessionId: string,
  { userId, clientId, metadata }: SessionRecord,
  active: boolean,
): SessionGlimpse {
  return {
    // One spelling: ids of people are compared as texts from here on.
    sessionId: sessionId.toLowerCase(),
    // As clients send of whoever is not logged in: they would all be one person.
    userId: userId === '' ? undefined : userId,
    clientId,
    // Most say nothing, and each search asks.
    metadata: metadata === '{}' ? NOTHING_SAID : JSON.parse(metadata),
    active,
  }
}

/** A session that is not known. */
export function strangerOf(sessionId: string, userId?: string): SessionGlimpse {
  return { sessionId, userId, clientId: undefined, metadata: {}, active: false }
}

/** Who is behind a session: its user, or without one the session itself. */
export function unitOfSession({
  userId,
  sessionId,
}: Pick<SessionGlimpse, 'userId' | 'sessionId'>): string {
  return userId ?? sessionId
}

/** Who counts for what a session does now; nobody, where it is unknown or over. */
export function liveUnit(session: SessionGlimpse | undefined): string | undefined {
  return session?.active === true ? unitOfSession(session) : undefined
}
