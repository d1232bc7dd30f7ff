import type { EventList, EventQuery } from '../../schema/event.ts'
import { identify, readCursor, readEventFilter, writeCursor } from './filter.ts'
import type { EventRow, EventRows } from './rows.ts'

const LIMIT = 100

/** A page of the events that match, and how many do. Throws VALIDATION_FAILED, INVALID_CURSOR. */
export async function listEvents(rows: EventRows, query: EventQuery): Promise<EventList> {
  const filter = readEventFilter(query)
  const { limit = LIMIT, order = 'desc' } = query
  const step = order.toLowerCase() === 'desc' ? -1 : 1
  const identity = identify(query, step)
  const low = filter.startMs > 0 ? rows.at(filter.startMs) : rows.first()
  const high = filter.endMs < Infinity ? rows.at(filter.endMs + 1) - 1 : rows.last()
  const page: EventRow[] = []
  let counted = 0
  const begin = step > 0 ? low : high
  const after = query.cursor === undefined ? begin - step : readCursor(query.cursor, identity)
  // Where nothing but dates is asked for, the count is known and the walk begins at the page.
  const from = filter.whole ? after + step : begin
  const to = step > 0 ? high : low
  if (low <= high && (to - from) * step >= 0)
    await rows.walk(from, to, (row) => {
      if (!filter.matches(row.event)) return true
      counted += 1
      if (page.length <= limit && (row.sequence - after) * step > 0) page.push(row)
      return !filter.whole || page.length <= limit
    })
  const shown = page.slice(0, limit)
  const end = shown.at(-1)
  return {
    events: shown.map(({ event }) => event),
    total: filter.whole ? Math.max(0, high - low + 1) : counted,
    limit,
    ...(page.length > limit && end !== undefined
      ? { nextCursor: writeCursor(end.sequence, identity) }
      : {}),
  }
}
