/** What an item of a bulk may ask for: a closed list, in lower case. */
export const BULK_OPS = ['index', 'put', 'create', 'update', 'upsert', 'delete'] as const
export type BulkOp = (typeof BULK_OPS)[number]

/** What an item asks for, in any case; undefined for a word that is none. */
export function bulkOpOf(sent: unknown): BulkOp | undefined {
  if (sent === undefined) return 'index'
  const word = typeof sent === 'string' ? sent.toLowerCase() : ''
  return BULK_OPS.find((op) => op === word)
}

/** Whether it changes the sent fields and leaves the others. */
export function changesFields(op: BulkOp | undefined): boolean {
  return op === 'update' || op === 'upsert'
}
