import type { SearchRequest } from '../../schema/search.ts'
import type { Engine } from '../engine/engine.ts'
import { againIfDeleted } from '../indices/again-if-deleted.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import type { Indices } from '../indices/indices.ts'
import { indicesOfList } from './cursor.ts'

/**
 * Each once, the oldest first: hits of one score stand in this order, so it can't be that of the
 * names, which cursors don't know.
 */
export function named(indices: Indices, index: string | string[] | undefined): IndexEntry[] {
  if (index === undefined) return indices.all()
  if (typeof index === 'string' && !index.includes(',')) return [indices.get(index)]
  const names = Array.isArray(index) ? index : index.split(',')
  const entries = [...new Set(names.map((name, at) => indices.get(name, `index[${at}]`)))]
  return entries.sort((a, b) => a.record.id - b.record.id)
}

/** A list of all indices goes on in those that it was begun in. */
export function searched(indices: Indices, { index, cursor }: SearchRequest): IndexEntry[] {
  const entries = named(indices, index)
  if (index !== undefined || cursor === undefined) return entries
  const newest = indicesOfList(cursor)?.newest ?? Number.POSITIVE_INFINITY
  return entries.filter(({ record }) => record.id <= newest)
}

export interface Answerable {
  entries: IndexEntry[]
  /** Those of all indices whose files can't be opened. */
  leftOut: IndexEntry[]
}

/** Which indices answer: those that were named, even if they can't; of all, those that can. */
export function answering(
  all: IndexEntry[],
  { index }: { index?: SearchRequest['index'] },
  engine: Engine,
): Answerable | Promise<Answerable> {
  if (index !== undefined) return { entries: all, leftOut: [] }
  const openable = engine.openable(all)
  return openable instanceof Promise
    ? openable.then((entries) => apart(all, entries))
    : apart(all, openable)
}

function apart(all: IndexEntry[], entries: IndexEntry[]): Answerable {
  if (entries.length === all.length) return { entries, leftOut: [] }
  return { entries, leftOut: all.filter((entry) => !entries.includes(entry)) }
}

/**
 * Runs `work` on the indices that `find` gives. When all were asked for and one is deleted meanwhile, it runs again on those
 * that are left: nobody asked for that one. Whoever names an index is told that it is gone.
 */
export async function onThoseLeft<T>(
  { index }: { index?: SearchRequest['index'] },
  find: () => IndexEntry[],
  work: (all: IndexEntry[]) => Promise<T>,
): Promise<T> {
  return index === undefined ? againIfDeleted(find, work) : work(find())
}
