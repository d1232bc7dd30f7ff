/** Warnings of a search: a client may send thousands of names. */
export const TOLD_MAX = 8
/** Indices whose fields a warning may suggest. */
export const SUGGESTING_MAX = 16
/** Indices that a warning names. */
const NAMED_MAX = 3

/** Whether as much is told as a search is told of: what else it says in vain need not be looked for. */
export function isFull(told: readonly string[]): boolean {
  return told.length >= TOLD_MAX
}

/** The end of a warning that knows a name to use instead. */
export function instead(name: string | undefined, is: string): string {
  return name === undefined ? '.' : `; "${name}" ${is}.`
}

/** Indices as warnings name them. */
export function indicesText(entries: readonly { record: { name: string } }[]): string {
  const named = entries.slice(0, NAMED_MAX).map(({ record }) => `"${record.name}"`)
  const others = entries.length - named.length
  return others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} more indices`
}
