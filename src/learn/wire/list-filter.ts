/** Whether a row belongs on a list. */
export type IsWanted<Row> = (row: Row) => boolean

/**
 * Wants the rows for which everything holds that is asked. Undefined when nothing is asked: then every row is wanted, and
 * all can be counted without a look at each.
 */
export function listFilter<Row>(
  asked: readonly (IsWanted<Row> | undefined)[],
): IsWanted<Row> | undefined {
  const conditions = asked.filter((each) => each !== undefined)
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
