import { createHash } from 'node:crypto'
import { DOCUMENT_ID_BYTES_MAX } from '../../schema/document-id.ts'

/**
 * Ids of the sections of one file, by their headings: what was learned belongs to an id, and must not go to another text
 * when a section is put before it. Sections under the same headings are numbered from the second on.
 */
export function openSectionIds(file: string): (headings: readonly string[]) => string {
  const given = new Set<string>()
  const numbers = new Map<string, number>()
  return (headings) => {
    const place = headings.length === 0 ? undefined : headings.join('/')
    const first = placeId(file, place)
    let number = numbers.get(first) ?? 1
    let id = first
    for (; given.has(id); id = placeId(file, `${place ?? ''}(${number})`)) number += 1
    numbers.set(first, number)
    given.add(id)
    return id
  }
}

/** The id of a document that has none of its own; long ones end in a hash to stay within what an id may have. */
export function placeId(file: string, place?: number | string): string {
  const id = place === undefined ? file : `${file}#${place}`
  if (Buffer.byteLength(id) <= DOCUMENT_ID_BYTES_MAX) return id
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return `${Buffer.from(id)
    .subarray(0, 400)
    .toString()
    .replace(/\uFFFD+$/, '')}…${hash}`
}
