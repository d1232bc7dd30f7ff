import type { PageQuery } from '../../schema/common.ts'

/** Whether a row belongs on a list. */
export type IsWanted<Row> = (row: Row) => boolean

/**
 * What each parameter of a list's query asks of a row, so that the compiler misses one that is declared and read by
 * nobody: all but those that choose the page, and `Elsewhere` those that are read before.
 */
type Asked<Row, Query, Elsewhere> = Record<
  Exclude<keyof Query, keyof typeof PageQuery | Elsewhere>,
  IsWanted<Row> | undefined
>

/**
 * Wants the rows for which everything holds that is asked. Undefined when nothing is asked: then every row is wanted, and
 * all can be counted without a look at each.
 */
export function listFilter<Row, Query, Elsewhere extends keyof Query = never>(
  asked: Asked<Row, Query, Elsewhere>,
): IsWanted<Row> | undefined {
  const each: (IsWanted<Row> | undefined)[] = Object.values(asked)
  const conditions = each.filter((holds) => holds !== undefined)
  if (conditions.length === 0) return undefined
  return (row) => conditions.every((holds) => holds(row))
}

/** What a parameter asks of each row; undefined when it was not sent. */
export function ifSent<Sent, Row>(
  sent: Sent | undefined,
  holds: (row: Row, sent: Sent) => boolean,
): IsWanted<Row> | undefined {
  return sent === undefined ? undefined : (row) => holds(row, sent)
}
