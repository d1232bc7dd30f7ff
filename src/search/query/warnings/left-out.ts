import type { IndexEntry } from '../../indices/index-entry.ts'
import { indicesText } from './told.ts'

/** What is said of indices whose files can't be opened, to whoever named none and is answered from the others. */
export function leftOutText(leftOut: readonly IndexEntry[]): string {
  return `The files of ${indicesText(leftOut)} can't be opened, so that the answer, its total too, is about the others alone; no document is lost, and the log says why.`
}
