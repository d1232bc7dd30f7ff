import type { Shot } from './client.ts'
import { jsonShot } from './request.ts'
import { INDEX } from './runs/run.ts'
import { must, type Service } from './service.ts'

/** One search of one session: what it was shown, best first. */
export interface Visit {
  sessionId: string
  queryId: string
  query: string
  shown: string[]
}

const LANES = 16
/** Different actions, so that no entry is a duplicate of another. */
const ACTIONS = ['view', 'click', 'bookmark', 'share']
/** Searches of a session, and hits of a search. */
const SEARCHES = 10
const SHOWN = 10
/** Entries of a request of feedback. */
export const ENTRIES = SEARCHES * SHOWN

/**
 * New sessions that have searched, as many as so many requests of feedback need, each of another session and action;
 * the queries are taken in turn.
 */
export async function openAudience(
  service: Service,
  queries: string[],
  requests: number,
): Promise<Visit[][]> {
  const sessions = Math.ceil(requests / ACTIONS.length)
  const visits: Visit[][] = Array.from({ length: sessions }, () => [])
  let next = 0
  const lane = async () => {
    for (let session = next++; session < sessions; session = next++) {
      const { sessionId } = await must(service.call('POST', '/cortex/sessions', {}))
      for (let search = 0; search < SEARCHES; search++) {
        const query = queries[(session * SEARCHES + search) % queries.length] ?? ''
        visits[session]?.push(await visit(service, sessionId, query))
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return visits
}

/** One search of a session. */
export async function visit(service: Service, sessionId: string, query: string): Promise<Visit> {
  const request = { index: INDEX, query, sessionId, size: SHOWN, fields: [] }
  const { hits, searchContext } = await must(service.call('POST', '/cortex/search', request))
  const shown = (hits as { id: string }[]).map(({ id }) => id)
  return { sessionId, queryId: searchContext.queryId, query, shown }
}

/** Feedback about everything that was shown, one request a session and action; no entry comes twice. */
export function feedbackShots(audience: Visit[][]): { shots: Shot[]; entries: number } {
  let entries = 0
  const shots = ACTIONS.flatMap((userAction) =>
    audience.map((visits) => {
      const feedback = visits.flatMap(({ queryId, shown }) =>
        shown.map((resultId, place) => ({
          queryId,
          rating: 1,
          metadata: { userAction, resultId, customMetadata: { position: place + 1 } },
        })),
      )
      entries += feedback.length
      const sessionId = visits[0]?.sessionId
      return jsonShot('POST', '/api/cortex/feedback', { sessionId, feedback }, 'feedback')
    }),
  )
  return { shots, entries }
}

/** Says what is wrong with the answer to one of these requests: all entries must be learned from. */
export function checkFeedback(body: unknown): string | undefined {
  const { processed, duplicate, unmatched, late } = (
    body as { data: { processed: boolean; duplicate: number; unmatched: number; late: number } }
  ).data
  if (!processed) return 'feedback was not processed'
  return duplicate + unmatched + late === 0
    ? undefined
    : `${duplicate} duplicate, ${unmatched} unmatched, ${late} late`
}
