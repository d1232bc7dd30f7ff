import { openBreath } from '../../breath.ts'
import { isId } from '../../ids.ts'
import type { Table } from '../../store/table.ts'
import { openPage, readKeyCursor, writeKeyCursor } from './list-page.ts'

interface Listing<Value> {
  /** Rows of a page at most. */
  limit: number
  /** Where the page before ended. */
  cursor?: string | undefined
  /** A row as it goes over the wire, as JSON. */
  show: (value: Value) => string | Promise<string>
  /** Absent: every row is. */
  isWanted?: ((value: Value) => boolean) | undefined
  /** Keys are names, in their order; absent, they are ids, which begin with a time, and the newest come first. */
  byName?: boolean
  /** What the list says besides. */
  rest?: object
}

/**
 * A list's `data` in UTF-8 JSON: a page of rows under `name`, then `total` and `limit`,
 * and the `nextCursor` where more follow. Read, shown and written a stretch at a time: a thousand rows of many kilobytes
 * would hold up everybody's searches. Throws INVALID_CURSOR.
 */
export async function listJson<Value>(
  name: string,
  table: Pick<Table<string, Value>, 'keys' | 'get'>,
  { limit, cursor, show, isWanted, byName = false, rest = {} }: Listing<Value>,
): Promise<Uint8Array> {
  const isKey = byName ? (key: string) => key !== '' : isId
  const after = cursor === undefined ? undefined : readKeyCursor(cursor, name, isKey)
  const isBehind = (key: string) => after === undefined || (byName ? key > after : key < after)
  // No walk stays open between two stretches; a row that goes meanwhile is left out.
  const keys = [...table.keys({ reverse: true })]
  const countsAll = isWanted !== undefined
  const page = openPage(limit)
  let wanted = 0
  let end = ''
  let goesOn = false
  const breathe = openBreath()
  // What is wanted is counted on all pages; where every row is, the rows of the page alone are read.
  for (const key of countsAll ? keys : keys.filter(isBehind)) {
    goesOn ||= !countsAll && page.isFull()
    if (goesOn && !countsAll) break
    const pause = breathe()
    if (pause !== undefined) await pause
    const value = table.get(key)
    if (value === undefined || isWanted?.(value) === false) continue
    wanted += 1
    if (goesOn || !isBehind(key)) continue
    if (!page.isFull() && page.add(await show(value))) end = key
    else goesOn = true
  }
  const total = countsAll ? wanted : keys.length
  return page.json(name, {
    total,
    limit,
    ...(goesOn ? { nextCursor: writeKeyCursor(name, end) } : {}),
    ...rest,
  })
}
