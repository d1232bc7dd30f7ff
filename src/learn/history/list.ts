import type { EventQuery } from '../../schema/event.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import { openPage } from '../wire/list-page.ts'
import { identify, readCursor, readEventFilter, writeCursor } from './filter.ts'
import type { EventRows } from './rows.ts'

/** An EventList in UTF-8 JSON: a page of the events that match, and how many do. Throws VALIDATION_FAILED, INVALID_CURSOR. */
export async function listEvents(rows: EventRows, query: EventQuery): Promise<Uint8Array> {
  const filter = readEventFilter(query)
  const { limit = PAGE_ROWS, order = 'desc' } = query
  const step = order.toLowerCase() === 'desc' ? -1 : 1
  const identity = identify(query, step)
  const low = filter.startMs > -Infinity ? rows.at(filter.startMs) : rows.first()
  const high = filter.endMs < Infinity ? rows.until(filter.endMs) : rows.last()
  const isWhole = filter.isByDateAlone && (!filter.isDated || rows.isOrdered(low, high))
  const page = openPage(limit)
  let counted = 0
  let end = 0
  let goesOn = false
  const begin = step > 0 ? low : high
  const after = query.cursor === undefined ? begin - step : readCursor(query.cursor, identity)
  // Where nothing but dates is asked for, the count is known and the walk begins at the page.
  const from = isWhole ? after + step : begin
  const to = step > 0 ? high : low
  if (low <= high && (to - from) * step >= 0)
    await rows.walk(from, to, ({ sequence, event, json }) => {
      if (!filter.matches(event)) return true
      counted += 1
      if (goesOn || (sequence - after) * step <= 0) return true
      if (!page.isFull() && page.add(json())) end = sequence
      else goesOn = true
      return !(goesOn && isWhole)
    })
  return page.json('events', {
    total: isWhole ? Math.max(0, high - low + 1) : counted,
    limit,
    ...(goesOn ? { nextCursor: writeCursor(end, identity) } : {}),
  })
}
