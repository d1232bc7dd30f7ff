import { documentKey } from '../../schema/document-key.ts'
import type { ShownHit, ShownPage } from '../facts.ts'

/** Pages that are kept to be shared, in each of two generations. */
const PAGES_MAX = 512
/** Letters of a page's ids up to which it is shared: long pages are seldom shown again, and so many would take gigabytes. */
const IDS_LENGTH_MAX = 4096

/** By index, and by what it shows. */
type Pages = Map<number, Map<string, ShownPage>>

let young: Pages = new Map()
let old: Pages = new Map()
let youngPages = 0

/**
 * The page of one index that shows these ids, given as JSON with commas between them. Many queries are asked again and
 * again, and show the same: then nothing of it is made anew, and maps know its keys without a look at their letters.
 */
export function pageOfIndex(indexId: number, ids: string): ShownPage {
  if (ids.length > IDS_LENGTH_MAX) return pageOfIds(indexId, ids)
  let known = young.get(indexId)
  let page = known?.get(ids)
  if (page !== undefined) return page
  page = old.get(indexId)?.get(ids) ?? pageOfIds(indexId, ids)
  if (youngPages >= PAGES_MAX) {
    old = young
    young = new Map()
    youngPages = 0
    known = undefined
  }
  if (known === undefined) {
    known = new Map()
    young.set(indexId, known)
  }
  known.set(ids, page)
  youngPages += 1
  return page
}

function pageOfIds(indexId: number, ids: string): ShownPage {
  return pageOf(readIds(ids).map((id) => ({ indexId, id })))
}

export function pageOf(hits: readonly ShownHit[]): ShownPage {
  const keys = hits.map(({ indexId, id }) => documentKey(indexId, id))
  return { hits, keys, json: JSON.stringify(keys) }
}

/** Ids without escapes need no parser, which looks each short one up among all strings that it knows. */
export function readIds(json: string): string[] {
  if (json === '') return []
  return json.includes('\\') ? JSON.parse(`[${json}]`) : json.slice(1, -1).split('","')
}
