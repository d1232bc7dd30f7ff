import { TOLD_MAX } from '../../../word.ts'

/** What a search is told: its first warnings, and how many others there would be. */
export interface Warned {
  texts: string[]
  others: number
  /** Names were left that nobody looked at: there may be more to tell. */
  isOpen: boolean
}

export function nothingTold(): Warned {
  return { texts: [], others: 0, isOpen: false }
}

/** Tells one thing more; its text, which may take a search for the name that was meant, is made only where it has room. */
export function tell(told: Warned, makeText: () => string): void {
  if (told.texts.length < TOLD_MAX) told.texts.push(makeText())
  else told.others += 1
}

/** The warnings as they are sent: where some are left out, the last one says how many. */
export function warningsOf({ texts, others, isOpen }: Warned): readonly string[] {
  if (texts.length < TOLD_MAX || (others === 0 && !isOpen)) return texts
  const count = `${others + 1}${isOpen ? ' or more' : ''}`
  return [...texts.slice(0, TOLD_MAX - 1), `${count} further warnings are left out.`]
}

/** Indices whose fields a warning may suggest. */
export const SUGGESTING_MAX = 16
/** Indices that a warning names. */
const NAMED_MAX = 3

/** The end of a warning that knows a name to use instead. */
export function instead(name: string | undefined, is: string): string {
  return name === undefined ? '.' : `; "${name}" ${is}.`
}

/** Indices as warnings name them. */
export function indicesText(entries: readonly { record: { name: string } }[]): string {
  return namesText(entries.map(({ record }) => record.name))
}

/** Names of indices as warnings have them. */
export function namesText(names: readonly string[]): string {
  const named = names.slice(0, NAMED_MAX).map((name) => `"${name}"`)
  const others = names.length - named.length
  if (others === 0) return named.join(', ')
  return `${named.join(', ')} and ${others} more ${others === 1 ? 'index' : 'indices'}`
}
