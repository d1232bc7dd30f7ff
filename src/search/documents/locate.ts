import { type ServiceError, serviceError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { shownName } from '../../word.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import type { Indices } from '../indices/indices.ts'
import { notInAny, notInIndex } from './unknown-document.ts'

interface LocateParts {
  store: Pick<Store, 'tables'>
  indices: Pick<Indices, 'all' | 'get'>
}

interface Located {
  entry: IndexEntry
  ord: number
}

/** Indices that are named of those that hold an id. */
const NAMED_MAX = 3

/** A document's number in the index that holds it; undefined where none does. Throws AMBIGUOUS_ID, INDEX_NOT_FOUND. */
export function locate(
  { store, indices }: LocateParts,
  id: string,
  index: string | undefined,
): Located | undefined {
  const entries = index === undefined ? indices.all() : [indices.get(index)]
  const found = entries.flatMap((entry) => {
    const ord = store.tables.documents.get([entry.record.id, id])
    return ord === undefined ? [] : [{ entry, ord }]
  })
  if (found.length > 1) throw ambiguous(found.map(({ entry }) => entry.record.name))
  return found[0]
}

/** Throws DOCUMENT_NOT_FOUND; one that another index has than the one that was named is told of. */
export function mustLocate(parts: LocateParts, id: string, index: string | undefined): Located {
  const found = locate(parts, id, index)
  if (found !== undefined) return found
  if (index === undefined) throw notInAny()
  const { tables } = parts.store
  const other = parts.indices.all().find(({ record }) => tables.documents.has([record.id, id]))
  throw notInIndex(other?.record.name)
}

function ambiguous(indices: readonly string[]): ServiceError {
  const named = indices.slice(0, NAMED_MAX).map((name) => `"${shownName(name)}"`)
  const more = indices.length > NAMED_MAX ? ' and others' : ''
  return serviceError('AMBIGUOUS_ID', 'Several indices hold this id: name one with ?index=.', {
    details: [{ path: 'index', message: `must name one of ${named.join(', ')}${more}` }],
  })
}
