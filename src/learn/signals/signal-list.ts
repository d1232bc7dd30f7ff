import { jsonText } from '../../json/gradual-text.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import type { SignalQuery } from '../../schema/signal.ts'
import { ifSent, listFilter } from '../wire/list-filter.ts'
import { type ListPage, openPage } from '../wire/list-page.ts'
import { openWordsOf, wordsOf } from '../wire/words.ts'
import { decodePlace, encodePlace } from './signal-place.ts'
import { type Matches, type SignalSources, walkSignals } from './signal-walk.ts'
import { readStatus, typeKey } from './signal-words.ts'

/** Signals that one page, and the count of all pages, may look at; a page goes on behind its cursor. */
const LOOKED_MAX = 20_000

/** A page of signals, and how many match on all pages. */
interface SignalPage {
  page: ListPage
  nextCursor?: string
  /** Undefined when nothing is asked for but all. */
  matched: Matched | undefined
}

interface Matched {
  total: number
  /** False: there are more than were looked at. */
  complete: boolean
}

/** Signals that match, newest first. Throws VALIDATION_FAILED for an unknown status, INVALID_CURSOR. */
export async function listSignals(sources: SignalSources, query: SignalQuery): Promise<SignalPage> {
  const { limit = PAGE_ROWS } = query
  const matches = filterOf(query)
  let place = query.cursor === undefined ? {} : decodePlace(query.cursor)
  // The first page's look is the count's, too.
  const isCount = query.cursor === undefined && matches !== ALL
  const page = openPage(limit)
  const next: { nextCursor?: string } = {}
  let looked = 0
  let total = 0
  for await (const found of walkSignals(sources, matches, place)) {
    if (next.nextCursor === undefined) {
      const isOver = page.isFull() || looked === LOOKED_MAX
      if (isOver || (found.matches && !page.add(await jsonText(await found.row()))))
        next.nextCursor = encodePlace(place)
      else place = { ...place, ...found.place }
    }
    if (next.nextCursor !== undefined && !isCount) break
    if (looked === LOOKED_MAX) return { page, ...next, matched: { total, complete: false } }
    looked += 1
    total += found.matches ? 1 : 0
  }
  const matched = isCount ? { total, complete: true } : await countMatching(sources, matches)
  return { page, ...next, matched }
}

/** Counts from the newest on, whatever page was asked for. */
async function countMatching(
  sources: SignalSources,
  matches: Matches,
): Promise<Matched | undefined> {
  if (matches === ALL) return undefined
  let total = 0
  let looked = 0
  for await (const found of walkSignals(sources, matches, {})) {
    if (looked === LOOKED_MAX) return { total, complete: false }
    looked += 1
    total += found.matches ? 1 : 0
  }
  return { total, complete: true }
}

const ALL: Matches = () => true

function filterOf(query: SignalQuery): Matches {
  const types = openWordsOf(query.type)?.map(typeKey)
  const statuses: string[] | undefined = wordsOf(query.status)?.map(readStatus)
  const session = query.sessionId?.toLowerCase()
  const isWanted = listFilter<Parameters<Matches>[0], SignalQuery>({
    type: ifSent(types, ({ type }, keys) => keys.includes(typeKey(type))),
    status: ifSent(statuses, ({ status }, words) => words.includes(status)),
    sessionId: ifSent(session, ({ sessionId }, id) => sessionId()?.toLowerCase() === id),
  })
  return isWanted ?? ALL
}
