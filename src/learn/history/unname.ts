import type { Store } from '../../store/store.ts'
import { eventRows } from './rows.ts'

/** Rows that one transaction changes, so that others come in between. */
const SLICE_ROWS = 64

/**
 * Takes sessions out of the events that name them: what happened stays, whom it happened to does not. The one change
 * that is ever made to the history.
 */
export async function unnameEvents(store: Store, sessionIds: ReadonlySet<string>): Promise<void> {
  const { events } = store.tables
  const rows = eventRows(store)
  const named: number[] = []
  await rows.walk(rows.first(), rows.last(), ({ sequence, event }) => {
    if (event.sessionId !== null && sessionIds.has(event.sessionId)) named.push(sequence)
    return true
  })
  for (let from = 0; from < named.length; from += SLICE_ROWS)
    await store.release(() => {
      for (const sequence of named.slice(from, from + SLICE_ROWS)) {
        const event = events.get(sequence)
        if (event === undefined) continue
        const { sessionId: _, ...nameless } = event
        events.put(sequence, nameless)
      }
    })
}
