import { nearestName } from '../../../nearest-name.ts'
import type { SearchRequest } from '../../../schema/search.ts'
import { shownName } from '../../../word.ts'
import type { IndexEntry } from '../../indices/index-entry.ts'
import { instead, tell, type Warned } from './told.ts'

/** Keys of `boost` that weigh the two halves. */
const LEGS: ReadonlySet<string> = new Set(['text', 'vector'])

/** Tells of names in `searchFields`, `boost` and `highlight` that are no field whose words any of the indices searches. */
export function unsearchedFields(
  { searchFields, boost, highlight }: SearchRequest,
  entries: readonly IndexEntry[],
  told: Warned,
): void {
  const looked: Looked = { entries, told, known: undefined }
  if (searchFields !== undefined) {
    const names = Array.isArray(searchFields) ? searchFields : Object.keys(searchFields)
    for (const name of names) unsearched('searchFields', name, looked, names)
  }
  if (boost !== undefined)
    for (const name in boost) if (!LEGS.has(name)) unsearched('boost', name, looked)
  if (typeof highlight === 'object' && highlight.fields !== undefined)
    for (const name of highlight.fields) unsearched('highlight.fields', name, looked)
}

/** What comes of such a name; without any field to look in, a search finds other things than without `searchFields`. */
const IGNORED = 'and was ignored'
const NONE_SEARCHED = 'and no other is named, so that nothing was looked for by words'

/** What is done with all fields where none are named. */
const ALL_ARE = { searchFields: 'are searched', 'highlight.fields': 'are marked' } as const

interface Looked {
  entries: readonly IndexEntry[]
  told: Warned
  /** Fields whose words are searched, gathered for the first name that is none. */
  known: Set<string> | undefined
}

function unsearched(
  path: 'searchFields' | 'boost' | 'highlight.fields',
  name: string,
  looked: Looked,
  names: readonly string[] = [],
): void {
  if (looked.known === undefined && isSearched(name, looked.entries)) return
  looked.known ??= searchedFields(looked.entries)
  const { known, told } = looked
  if (known.has(name)) return
  tell(told, () => {
    const isAlone = path === 'searchFields' && !names.some((each) => known.has(each))
    const effect = isAlone ? NONE_SEARCHED : IGNORED
    const what = `"${shownName(name)}" of ${path} is no field whose words are searched`
    if (name === '*' && path !== 'boost')
      return `${what}, ${effect}; without ${path}, all ${ALL_ARE[path]}.`
    return `${what}, ${effect}${instead(nearestName(shownName(name), known), 'is one')}`
  })
}

/** What has no analyzer has values, and no words. */
export function isSearched(name: string, entries: readonly IndexEntry[]): boolean {
  for (const { definition } of entries)
    for (const field of definition.fields)
      if (field.name === name && field.analyzer !== undefined) return true
  return false
}

function searchedFields(entries: readonly IndexEntry[]): Set<string> {
  return new Set(
    entries.flatMap(({ definition }) =>
      definition.fields.filter(({ analyzer }) => analyzer !== undefined).map((field) => field.name),
    ),
  )
}
