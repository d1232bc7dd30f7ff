import { invalid, unknownCursor } from '../../errors.ts'

/** Bytes that the rows of one page have together, if it has more than one: a single row may have megabytes. */
const PAGE_BYTES_MAX = 4 << 20

/** The rows of one page of a list, which ends at a number of them or at some megabytes. */
export interface ListPage {
  /** Whether it takes no more rows, however short. */
  isFull: () => boolean
  /** Takes a row as JSON; false, and no row any more, when it is full or the row would make it too long. */
  add: (row: string) => boolean
  /** An object in UTF-8 JSON that has the rows under `name`, and behind them the members of `rest`. */
  json: (name: string, rest: object) => Uint8Array
}

export function openPage(limit: number): ListPage {
  const rows: Buffer[] = []
  let bytes = 0
  let isOver = false
  return {
    isFull: () => isOver || rows.length >= limit,
    add: (json) => {
      const row = Buffer.from(rows.length === 0 ? json : `,${json}`)
      isOver ||= rows.length >= limit || (rows.length > 0 && bytes + row.length > PAGE_BYTES_MAX)
      if (isOver) return false
      rows.push(row)
      bytes += row.length
      return true
    },
    json: (name, rest) => {
      const end = JSON.stringify(rest).slice(1)
      const comma = end === '}' ? '' : ','
      return Buffer.concat([Buffer.from(`{"${name}":[`), ...rows, Buffer.from(`]${comma}${end}`)])
    },
  }
}

/** The cursor that leads on behind a row of a list, by its key. */
export function writeKeyCursor(list: string, key: string): string {
  return Buffer.from(`${list}.${key}`).toString('base64url')
}

/** Throws INVALID_CURSOR for one of another list, and where `isKey` knows no key. */
export function readKeyCursor(
  cursor: string,
  list: string,
  isKey: (text: string) => boolean,
): string {
  const [, ofList, key = ''] =
    /^(\w*)\.(.*)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (!isKey(key)) throw unknownCursor()
  if (ofList !== list) throw invalid('cursor', 'belongs to another list', 'INVALID_CURSOR')
  return key
}
