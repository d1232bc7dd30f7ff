import type { SearchRequest } from '../../../schema/search.ts'
import type { SuggestRequest } from '../../../schema/suggest.ts'
import type { Engine } from '../../engine/engine.ts'
import type { IndexEntry } from '../../indices/index-entry.ts'
import type { Plan } from '../ranking-plan.ts'
import type { SearchRead } from '../read-search.ts'
import { tellDoubtfulMoments } from './doubtful-moments.ts'
import { tellIdle } from './idle-fields.ts'
import { leftOutText } from './left-out.ts'
import { nothingTold, tell, type Warned, warningsOf } from './told.ts'
import { tellUnknownSession } from './unknown-session.ts'
import { SEARCH, SUGGEST, unreadAddress, unreadInnerKeys, unreadKeys } from './unread-keys.ts'
import { tellUnreturned, unreturnedFields } from './unreturned-fields.ts'
import { unsearchedFields } from './unsearched-fields.ts'
import { tellValueless, valuelessFields } from './valueless-fields.ts'

/*
 * What a search says in vain: it is run all the same, and `searchContext.warnings` tell, in this order: first what most likely
 * made the whole answer another one, because further warnings may be left out. Which names are in vain is known from another
 * place for each use of them:
 *
 *   in vain              | sent in                    | unless known from
 *   ---------------------|----------------------------|--------------------------------------------------
 *   unkept-words         | query                      | the core, which reads it as it answers
 *   left-out             | (no index is)              | the engine, which opens their files
 *   unread-keys          | the address of a POST      | nothing: its body alone is read
 *                        | the body of a GET          | nothing: its address alone is read
 *                        | the search                 | the shape of a search
 *   idle-fields          | vector, neighbors,         | the type of the search
 *                        | similarity, fusion         |
 *   missing-vector       | (no vector is)             | what makes the vectors of each index
 *   unknown-session      | sessionId                  | the plan, which knows who searches
 *   doubtful-moments     | filters, facets            | nothing: a number of 1970 is most likely no date
 *   valueless-fields     | filters, sort, facets      | mappings; the names that documents have values by
 *                        | (bounds that are numbers)  | mappings; the names that documents have numbers by
 *   unsearched-fields    | searchFields, boost,       | mapped fields with words (an analyzer)
 *                        | highlight.fields           |
 *   unread-keys          | objects in facets, sort    | the shape of a search
 *                        | and highlight              |
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
  bodyUnread: boolean
  /** The search as it was read. */
  read: SearchRead
  plan: Pick<Plan, 'unit'>
  entries: IndexEntry[]
  /** Indices that could not be asked. */
  leftOut: readonly IndexEntry[]
  /** What is told of the search's vector. */
  missed: readonly string[] | undefined
}

/** Elsewhere a search is sent as the body of a GET. */
const BODY_UNREAD = 'The body of a GET is not read and was ignored; that of a POST is.'

/** What a search is told but of its words; documents are asked only for names that no mapping has. */
export function searchWarnings(asked: Asked, engine: Engine): Warned | Promise<Warned> {
  const { search, address, bodyUnread, read, plan, entries, leftOut, missed = [] } = asked
  const told = nothingTold()
  if (leftOut.length > 0) tell(told, () => leftOutText(leftOut))
  if (bodyUnread) tell(told, () => BODY_UNREAD)
  unreadAddress(address, SEARCH, told)
  unreadKeys(search, SEARCH, told)
  tellIdle(search, told)
  for (const text of missed) tell(told, () => text)
  tellUnknownSession(search.sessionId, plan, told)
  tellDoubtfulMoments(read.request, entries, told)
  const valueless = valuelessFields(read.request, entries)
  const unreturned = unreturnedFields(search.fields, entries)
  if (valueless.length === 0 && unreturned.length === 0) {
    tellOfWords(asked, told)
    return told
  }
  return engine.using(entries, async () => {
    tellValueless({ names: valueless, entries, engine }, told)
    tellOfWords(asked, told)
    tellUnreturned({ names: unreturned, entries, engine }, told)
    return told
  })
}

/** What the core suggests. */
export interface Suggested {
  completions: readonly unknown[]
  corrections: readonly unknown[]
}

interface SuggestAsked extends Pick<Asked, 'address' | 'leftOut'> {
  sent: SuggestRequest
}

/** What a request for completions says in vain: in its address, beside its fields, and where there is nothing to suggest. */
export function suggestWarnings(
  { sent, address, leftOut }: SuggestAsked,
  { completions, corrections }: Suggested,
): readonly string[] {
  const told = nothingTold()
  if (leftOut.length > 0) tell(told, () => leftOutText(leftOut))
  unreadAddress(address, SUGGEST, told)
  unreadKeys(sent, SUGGEST, told)
  const { prefix, query = '' } = sent
  const isEmpty = completions.length === 0 && corrections.length === 0
  // Elsewhere completions are asked for by a query. An empty one is what a search box begins with.
  if (isEmpty && prefix === undefined && query.trim() !== '') tell(told, () => ONLY_CORRECTED)
  return warningsOf(told)
}

const ONLY_CORRECTED =
  'No word of "query" has a correction, and "query" is not completed; "prefix" is.'

/** What the mappings and the search tell by themselves. */
function tellOfWords({ search, entries }: Asked, told: Warned): void {
  if (entries.length > 0) unsearchedFields(search, entries, told)
  unreadInnerKeys(search, told)
}
