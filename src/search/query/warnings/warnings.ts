import type { SearchRequest } from '../../../schema/search.ts'
import type { Engine } from '../../engine/engine.ts'
import type { IndexEntry } from '../../indices/indices.ts'
import type { PlannedSearch } from '../plan.ts'
import { TOLD_MAX } from './told.ts'
import { unreadAddress, unreadKeys } from './unread-keys.ts'
import { tellUnreturned, unreturnedFields } from './unreturned-fields.ts'
import { unsearchedFields } from './unsearched-fields.ts'
import { tellValueless, valuelessFields } from './valueless-fields.ts'

/*
 * What a search says in vain: it is run all the same, and `searchContext.warnings` tell, in this order. Which names are in
 * vain is known from another place for each use of them:
 *
 *   in vain              | sent in                    | unless known from
 *   ---------------------|----------------------------|--------------------------------------------------
 *   missing-vector       | (no vector is)             | what makes the vectors of each index
 *   valueless-fields     | filters, facets, sort      | mappings; the names that documents have values by
 *   unread-keys          | the address of a POST,     | nothing: its body alone is read
 *                        | the search and its objects | the shape of a search
 *   unsearched-fields    | searchFields, boost,       | mapped fields with words (an analyzer)
 *                        | highlight.fields           |
 *   unreturned-fields    | fields                     | mapped places in documents, which sub-fields have
 *                        |                            | not; as for filters
 *
 * Searches are many: one that says nothing in vain is only looked through. What a warning says, above all the name that was
 * meant, is looked for when there is something to tell.
 */

interface Asked {
  /** As it was sent. */
  search: SearchRequest
  /** Names of parameters in its address that are not read. */
  address: readonly string[]
  /** The same as it was read. */
  planned: PlannedSearch
  entries: IndexEntry[]
  /** What is told already, of the search's vector; these come first. */
  missed: readonly string[] | undefined
}

/** The first of a search's warnings; documents are asked only for names that no mapping has. */
export function searchWarnings(
  asked: Asked,
  engine: Engine,
): readonly string[] | Promise<readonly string[]> {
  const { search, planned, entries, missed } = asked
  const told = missed === undefined ? [] : [...missed]
  const valueless = valuelessFields(planned.request, entries)
  const unreturned = unreturnedFields(search.fields, entries)
  if (valueless.length === 0 && unreturned.length === 0) return withOthers(asked, told)
  return engine.using(entries, async () => {
    tellValueless({ names: valueless, entries, engine }, told)
    withOthers(asked, told)
    tellUnreturned({ names: unreturned, entries, engine }, told)
    return firstOf(told)
  })
}

/** Adds what the search and the mappings tell by themselves. */
function withOthers({ search, address, entries }: Asked, told: string[]): string[] {
  unreadAddress(address, told)
  unreadKeys(search, told)
  if (entries.length > 0) unsearchedFields(search, entries, told)
  return firstOf(told)
}

function firstOf(told: string[]): string[] {
  return told.length > TOLD_MAX ? told.slice(0, TOLD_MAX) : told
}
