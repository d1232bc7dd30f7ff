import { ownValue } from '../../object.ts'

/** What other search engines join conditions with, and what does so here. */
const JOINS_ELSEWHERE: Readonly<Record<string, string>> = {
  must: 'and',
  filter: 'and',
  $and: 'and',
  should: 'or',
  $or: 'or',
  must_not: 'not',
  $not: 'not',
}
/** What stands around the name of a field, or around these, elsewhere. */
const AROUND_ELSEWHERE: ReadonlySet<string> = new Set(['bool', 'term', 'terms', 'range', 'match'])

/** Advice about a refused condition whose field is the word of another search engine. */
export function foreignAdvice(field: string): string {
  const join = ownValue(JOINS_ELSEWHERE, field)
  if (join !== undefined) return `; conditions are joined by "${join}" instead of "${field}"`
  if (AROUND_ELSEWHERE.has(field)) return `; what "${field}" holds stands here without it`
  return ''
}
