import type { DocumentKey } from '../../schema/document-key.ts'
import type { Store } from '../../store/store.ts'
import { dayOf } from '../wire/duration.ts'
import { MILLION } from './click-memory-evidence.ts'
import type { DocumentChange } from './click-memory-pairs.ts'
import {
  type Attribution,
  type Look,
  packAttributed,
  packLook,
  unfoldLook,
} from './click-memory-rows.ts'
import { fillSlot, isCloseTo } from './slots.ts'

/** What a session looked at: documents, and how likely each. */
export interface SeenPage {
  timeMs: number
  documents: readonly DocumentKey[]
  /** The look as JSON. */
  json: string
  /** Not to be changed: pages of one shape share it. */
  millionths: Int32Array
}

/** What a session taught of a query, by document. */
type Attributed = Map<DocumentKey, Attribution>

/** What one session taught of one query. Most sessions look at it once: that is kept as it came until something else happens. */
export interface Teaching {
  key: [sessionId: string, queryHash: string]
  /** The only look so far; with `attributed` there is none. */
  look: Look | undefined
  /** The look taken apart, kept to be compared with later ones: not to be changed. */
  parts: Attributed | undefined
  attributed: Attributed | undefined
  /** The teaching of another pair with the same hash. */
  next: Teaching | undefined
}

/** Inside a transaction. */
export function putTeachingWithin(
  { tables: { attributions } }: Store,
  { key, look, attributed }: Teaching,
): void {
  if (look !== undefined) attributions.put(key, packLook(look))
  else if (attributed !== undefined) attributions.put(key, packAttributed(attributed))
}

/** By document; changes made to it are changes of the teaching. */
export function unfold(found: Teaching): Attributed {
  found.attributed ??= partsOf(found)
  found.look = found.parts = undefined
  return found.attributed
}

function partsOf(found: Teaching): Attributed {
  found.parts ??= found.look === undefined ? new Map() : unfoldLook(found.look)
  return found.parts
}

/** What of a page counts that was looked at, and keeps it. */
export function seeWith(found: Teaching, page: SeenPage): readonly DocumentChange[] {
  const { timeMs, documents, json, millionths } = page
  // An empty page is no first look: it isn't saved, and would be forgotten with what is in memory.
  if (documents.length === 0) return NOTHING
  if (found.attributed === undefined) {
    const look = { timeMs, documents: json, millionths }
    if (found.look === undefined) {
      found.look = look
      const day = dayOf(timeMs)
      return documents.map((document, at) => {
        const examination = millionths[at] as number
        const looks = examination === 0 ? 0 : MILLION
        return { document, day, gain: 0, examination, looks, choices: 0 }
      })
    }
    if (isAgain(found.look, look)) return NOTHING
  }
  const attributed = found.attributed ?? partsOf(found)
  const seen: DocumentChange[] = []
  for (let at = 0; at < documents.length; at += 1) {
    const document = documents[at] as DocumentKey
    const known = attributed.get(document)
    const examinations = known?.examinations ?? []
    const filled = fillSlot(examinations, timeMs, millionths[at] as number)
    if (filled === undefined) continue
    if (known === undefined) attributed.set(document, { entries: 0, gains: [], examinations })
    seen.push({ document, day: dayOf(filled.timeMs), ...lookOf(filled.change, filled.isNew) })
  }
  // A look that teaches nothing more leaves the row in its form: when it was last saved must not matter.
  if (seen.length > 0) unfold(found)
  return seen
}

/** What a look changes; one that is no new one only stands higher than before. */
export function lookOf(
  examination: number,
  isNew = true,
): Omit<DocumentChange, 'document' | 'day'> {
  // So far down that it counts as none.
  const looks = isNew && examination !== 0 ? Math.sign(examination) * MILLION : 0
  return { gain: 0, examination, looks, choices: 0 }
}

/**
 * Whether a page was looked at again at nearly the same time, as when it is reloaded: that teaches nothing, and what
 * is found out here saves taking it apart.
 */
function isAgain(first: Look, again: Look): boolean {
  return (
    isCloseTo(first.timeMs, again.timeMs) &&
    first.millionths === again.millionths &&
    first.documents === again.documents
  )
}

const NOTHING: readonly DocumentChange[] = []
