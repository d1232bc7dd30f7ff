import type { Reader } from '../../store/reader.ts'
import type { FilterNode } from './filter.ts'
import type { PageIndex } from './page.ts'

/** Ids in a filter, which stand nowhere else in a request: inside of a text the quotes would be escaped. */
const IDS = '{"ids":['

/** Whether the filter of a request, as JSON, names documents by their ids. */
export function namesIds(request: string): boolean {
  return request.includes(IDS)
}

/**
 * A request with the numbers of the documents in place of their ids, as the core knows them. One that was written again
 * comes with its earlier numbers, too, since an older view has one of these; one that is in none of the indices has none.
 * Read the generation before the first look into the store, which then holds all that the generation shows.
 */
export function numberIds(
  reader: Pick<Reader, 'ordsOf'>,
  request: string,
  indices: readonly PageIndex[],
): string {
  const ordsOf = (id: string) => indices.flatMap(({ indexId }) => reader.ordsOf(indexId, id))
  const numbered = (node: FilterNode): object => {
    if ('and' in node) return { and: node.and.map(numbered) }
    if ('or' in node) return { or: node.or.map(numbered) }
    if ('not' in node) return { not: numbered(node.not) }
    return 'ids' in node ? { ords: node.ids.flatMap(ordsOf) } : node
  }
  const { filter, ...rest } = JSON.parse(request) as { filter: FilterNode }
  return JSON.stringify({ ...rest, filter: numbered(filter) })
}
