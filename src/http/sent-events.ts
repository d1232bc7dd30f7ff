/** Server-sent events (HTML standard, section 9.2) as a content type. */
export const EVENT_STREAM = 'text/event-stream'

/** Time after which a client that lost the stream asks again. */
const RETRY_MS = 3000

/**
 * The text of events as browsers read it: the sequence is the id that a client comes back with. An absent event is a
 * comment, which keeps the connection alive.
 */
export async function* sentEvents(
  rows: AsyncIterable<{ sequence: number; event: { type: string } } | undefined>,
): AsyncIterable<string> {
  yield `retry: ${RETRY_MS}\n\n`
  for await (const row of rows)
    yield row === undefined
      ? ': still here\n\n'
      : `id: ${row.sequence}\nevent: ${oneLine(row.event.type)}\ndata: ${JSON.stringify(row.event)}\n\n`
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ')
}
