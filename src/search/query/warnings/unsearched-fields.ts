import { nearestName } from '../../../nearest-name.ts'
import type { SearchRequest } from '../../../schema/search.ts'
import { shownName } from '../../../word.ts'
import type { IndexEntry } from '../../indices/indices.ts'
import { instead, isFull } from './told.ts'

/** Keys of `boost` that weigh the two halves. */
const LEGS: ReadonlySet<string> = new Set(['text', 'vector'])

/** Tells of names in `searchFields`, `boost` and `highlight` that are no field whose words any of the indices searches. */
export function unsearchedFields(
  { searchFields, boost, highlight }: SearchRequest,
  entries: readonly IndexEntry[],
  told: string[],
): void {
  if (Array.isArray(searchFields))
    for (const name of searchFields) unsearched('searchFields', name, entries, told)
  else if (searchFields !== undefined)
    for (const name in searchFields) unsearched('searchFields', name, entries, told)
  if (boost !== undefined)
    for (const name in boost) if (!LEGS.has(name)) unsearched('boost', name, entries, told)
  if (typeof highlight === 'object' && highlight.fields !== undefined)
    for (const name of highlight.fields) unsearched('highlight.fields', name, entries, told)
}

function unsearched(
  path: 'searchFields' | 'boost' | 'highlight.fields',
  name: string,
  entries: readonly IndexEntry[],
  told: string[],
): void {
  if (isFull(told)) return
  // What has no analyzer has values, and no words.
  for (const { definition } of entries)
    for (const field of definition.fields)
      if (field.name === name && field.analyzer !== undefined) return
  const known = new Set(
    entries.flatMap(({ definition }) =>
      definition.fields.filter(({ analyzer }) => analyzer !== undefined).map((field) => field.name),
    ),
  )
  const what = `"${shownName(name)}" of ${path} is no field whose words are searched`
  const meant = instead(nearestName(shownName(name), known), 'is one')
  told.push(`${what}, and was ignored${meant}`)
}
