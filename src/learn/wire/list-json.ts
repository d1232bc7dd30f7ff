import { openBreath } from '../../breath.ts'
import type { Table } from '../../store/table.ts'

interface Listing<Value> {
  /** Rows of the list at most. */
  limit: number
  /** A row as it goes over the wire. */
  show: (value: Value) => object
  /** Absent: every row is. */
  isWanted?: ((value: Value) => boolean) | undefined
}

/**
 * A list's `data` in UTF-8 JSON: rows under `name`, those of the greatest keys first, then `total` and `limit`. Read,
 * shown and written a stretch at a time: a thousand rows of many kilobytes would hold up everybody's searches.
 */
export async function listJson<Value>(
  name: string,
  table: Pick<Table<string, Value>, 'keys' | 'get'>,
  { limit, show, isWanted }: Listing<Value>,
): Promise<Uint8Array> {
  // No walk stays open between two stretches; a row that goes meanwhile is left out.
  const keys = [...table.keys({ reverse: true })]
  const rows: Buffer[] = []
  let wanted = 0
  const breathe = openBreath()
  for (const key of keys) {
    if (isWanted === undefined && rows.length === limit) break
    await breathe()
    const value = table.get(key)
    if (value === undefined || isWanted?.(value) === false) continue
    wanted += 1
    if (rows.length === limit) continue
    const comma = rows.length === 0 ? '' : ','
    rows.push(Buffer.from(comma + JSON.stringify(show(value))))
  }
  const total = isWanted === undefined ? keys.length : wanted
  const end = `],"total":${total},"limit":${limit}}`
  return Buffer.concat([Buffer.from(`{"${name}":[`), ...rows, Buffer.from(end)])
}
