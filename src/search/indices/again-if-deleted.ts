import { ServiceError } from '../../errors.ts'
import type { IndexEntry } from './index-entry.ts'

/**
 * Runs `work` on the indices that `find` gives, and again on those that it gives then, when one of them is deleted
 * meanwhile. A deleted index is not found again, so that this ends.
 */
export async function againIfDeleted<Entries extends readonly IndexEntry[], T>(
  find: () => Entries | Promise<Entries>,
  work: (entries: Entries) => Promise<T>,
): Promise<T> {
  for (;;) {
    const found = find()
    const entries = found instanceof Promise ? await found : found
    try {
      return await work(entries)
    } catch (cause) {
      if (!isOfDeleted(cause, entries)) throw cause
    }
  }
}

/** Whether work failed because an index that was found is deleted by now. */
export function isOfDeleted(cause: unknown, entries: readonly IndexEntry[]): boolean {
  const isNotFound = cause instanceof ServiceError && cause.code === 'INDEX_NOT_FOUND'
  return isNotFound && entries.some(({ dropped }) => dropped === true)
}
