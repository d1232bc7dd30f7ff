import { qualitiesOf } from './qualities.ts'

/** Server-sent events (HTML standard, section 9.2) as a content type. */
export const EVENT_STREAM = 'text/event-stream'

/** Whether an Accept header asks for events by name, and no less than for JSON. */
export function asksForEvents(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const qualities = qualitiesOf(accept)
  const wanted = qualities.get(EVENT_STREAM) ?? 0
  return wanted > 0 && wanted >= (qualities.get('application/json') ?? 0)
}

/** Time after which a client that lost the stream asks again. */
const RETRY_MS = 3000

/**
 * The end of a chunk is sent with the next one only, and some clients hand on no chunk before they have its end: behind
 * each event comes a comment, so that nobody waits for the next event to see this one.
 */
export const NOTHING_MORE = ':\n\n'

/**
 * The text of events as browsers read it: the event's own id is what a client comes back with. An absent event is a
 * comment, which keeps the connection alive, as are warnings about the request.
 */
export async function* sentEvents(
  rows: AsyncIterable<SentRow | undefined>,
  warnings: readonly string[] = [],
): AsyncIterable<string> {
  yield `retry: ${RETRY_MS}\n\n`
  for (const warning of warnings) yield commentOf(warning)
  yield NOTHING_MORE
  for await (const row of rows) {
    if (row === undefined) {
      yield commentOf('still here')
      continue
    }
    const { event, json } = row
    yield `id: ${event.id}\nevent: ${oneLine(event.type)}\ndata: ${json()}\n\n`
    yield NOTHING_MORE
  }
}

interface SentRow {
  event: { id: string; type: string }
  /** All of it, as JSON. */
  json: () => string
}

/** What is said beside the events, to whoever looks on. */
export function commentOf(text: string): string {
  return `: ${oneLine(text)}\n\n`
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ')
}
