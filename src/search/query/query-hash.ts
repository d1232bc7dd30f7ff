import { hash } from 'node:crypto'
import type { FilterNode } from './filter.ts'

/** The hash that a cursor holds of what it is tied to. */
export function cursorHash(text: string): string {
  return digest(text)
}

/** Looked for first: it is rare, and to replace nothing costs as much as to replace something. */
const WIDE_SPACE = /\s\s|[^\S ]/

/**
 * The hash of the normalised query and filters: case, Unicode form and spacing do not matter, nor in which order the
 * conditions of a filter stand.
 */
export function hashQuery(query: string, filter: FilterNode | undefined): string {
  const folded = query.normalize('NFKC').toLowerCase()
  const words = (WIDE_SPACE.test(folded) ? folded.replace(/\s+/g, ' ') : folded).trim()
  return digest(
    filter === undefined ? words : `${words}\n${canonicalJson(filter, { areSets: true })}`,
  )
}

function digest(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 16)
}

interface Canonical {
  /** Keys of the object itself that are taken; all of them unless given. */
  only?: ReadonlySet<string>
  /** Lists are sets: their order says nothing. */
  areSets?: boolean
}

/** JSON with sorted keys, so that equal objects give equal text; without keys whose value is undefined. */
export function canonicalJson(value: unknown, { only, areSets = false }: Canonical = {}): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonicalJson(item, { areSets }))
    return `[${areSets ? items.sort() : items}]`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  const keys = Object.keys(value).filter((key) => only?.has(key) !== false)
  for (const key of keys.length > 1 ? keys.sort() : keys) {
    const inner = (value as Record<string, unknown>)[key]
    if (inner === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner, { areSets })}`
  }
  return `{${text}}`
}
