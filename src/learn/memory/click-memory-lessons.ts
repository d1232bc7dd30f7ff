import type { DocumentKey } from '../../schema/document-key.ts'
import type { FeedbackFact, Impression, SearchFact, ShownPage } from '../facts.ts'
import { isLate, wasNotViewed } from '../feedback/feedback-entries.ts'
import type { Gains } from '../feedback/gains.ts'
import { pageOf } from '../impressions/shown-page.ts'
import { dayOf } from '../wire/duration.ts'
import type { Attributions, Taught } from './attributions.ts'
import { MILLION } from './click-memory-evidence.ts'
import type { DocumentChange, QueryChange } from './click-memory-pairs.ts'
import type { Attribution } from './click-memory-rows.ts'
import { emptySlot, filledSlots, fillSlot } from './slots.ts'
import { lookOf, type SeenPage } from './teaching.ts'

/** What one fact changes in what is remembered, with each session's say bounded. */
export interface Lessons {
  seen: (fact: SearchFact) => void
  /** Returns the pair that a session reported over and over, when this entry was one too many. */
  told: (fact: FeedbackFact) => { queryHash: string; document: DocumentKey } | undefined
  /** Takes out all that a session taught, as a change of this entry of the journal; returns whether that was anything. */
  untaught: (sessionId: string, sequence: number) => boolean
}

/** Takes a change to what is remembered of a query. */
export type Teach = (change: QueryChange) => void

interface LessonOptions {
  attributions: Attributions
  gains: Gains
  teach: Teach
}

interface LessonParts extends LessonOptions {
  examined: Examined
}

const NO_LOOK = { examination: 0, looks: 0 }
/** Somebody has not chosen a document. */
const UNCHOSEN = { ...NO_LOOK, choices: -MILLION }
/** Nobody looks at more of one page. */
const EXAMINED_MAX = 100
/** Entries of one session on one pair; beyond it the session is no honest one. */
export const ENTRIES_MAX = 50

export function openLessons(options: LessonOptions): Lessons {
  const parts = { ...options, examined: openExamined() }
  const { attributions } = parts
  return {
    seen: (fact) => {
      const { sessionId, unit } = fact.impression
      if (unit === undefined || sessionId === undefined || attributions.isFlagged(sessionId)) return
      examine(parts, fact, sessionId)
    },
    told: (fact) => {
      const { impression, unit, sessionId, entry, hit } = fact
      if (impression === undefined || unit === undefined || attributions.isFlagged(sessionId))
        return undefined
      // Somebody else's page, or nobody's: this session has looked at it, too.
      if (!isLate(entry.timeMs, fact.receivedMs) && impression.sessionId !== sessionId)
        examine(parts, { ...fact, impression }, sessionId)
      const document = hit === undefined ? undefined : impression.page.keys[hit]
      if (document === undefined) return undefined
      const { queryHash } = impression
      const attributed = attributions.of(sessionId, queryHash)
      const known = attributed.get(document) ?? { entries: 0, gains: [], examinations: [] }
      attributed.set(document, known)
      known.entries += 1
      if (known.entries > ENTRIES_MAX) {
        takeBack(parts, attributions.flag(sessionId, fact.receivedMs), fact.sequence)
        return { queryHash, document }
      }
      if (entry.status === 'learned')
        judge(parts, fact, { queryHash, document, known, shownMs: impression.timeMs })
      return undefined
    },
    untaught: (sessionId, sequence) => {
      const taught = attributions.take(sessionId)
      takeBack(parts, taught, sequence)
      return taught.length > 0
    },
  }
}

/** A session looked at a page: each hit counts as likely as its position is looked at. */
function examine(
  { attributions, teach, examined }: LessonParts,
  { sequence, impression }: Pick<SearchFact, 'sequence' | 'impression'>,
  sessionId: string,
): void {
  const { queryHash } = impression
  const documents = attributions.see(sessionId, queryHash, seenPageOf(impression, examined))
  if (documents.length > 0) teach({ sequence, queryHash, documents })
}

function seenPageOf({ page, from, timeMs }: Impression, examined: Examined): SeenPage {
  const { hits, keys, json } = page.keys.length > EXAMINED_MAX ? topOf(page) : page
  return { timeMs, documents: keys, json, millionths: examined(from, hits.length) }
}

function topOf({ hits }: ShownPage): ShownPage {
  return pageOf(hits.slice(0, EXAMINED_MAX))
}

/** 1/p of each of so many places behind `from`, in millionths. */
type Examined = (from: number, count: number) => Int32Array

/** Pages that are reckoned once: nearly all are like the first ones. */
const PAGES_MAX = 1000

function openExamined(): Examined {
  const pages = new Map<number, Int32Array>()
  return (from, count) => {
    const key = from * (EXAMINED_MAX + 1) + count
    let page = pages.get(key)
    if (page === undefined) {
      if (pages.size >= PAGES_MAX) pages.clear()
      page = new Int32Array(count)
      for (let at = 0; at < count; at += 1) page[at] = Math.round(MILLION / (from + at + 1))
      pages.set(key, page)
    }
    return page
  }
}

interface Judged {
  queryHash: string
  document: DocumentKey
  known: Attribution
  shownMs: number
}

function judge(
  { gains, teach }: LessonParts,
  { sequence, entry }: FeedbackFact,
  { queryHash, document, known, shownMs }: Judged,
): void {
  const documents: DocumentChange[] = []
  if (wasNotViewed(entry)) {
    const emptied = emptySlot(known.examinations, shownMs)
    if (emptied !== undefined)
      documents.push({
        document,
        day: dayOf(emptied.timeMs),
        ...lookOf(emptied.change),
      })
  }
  const gain = gains.of(entry) ?? 0
  if (gain > 0) {
    // A click can't have come before the page.
    const timeMs = Math.max(entry.timeMs, shownMs)
    const filled = fillSlot(known.gains, timeMs, Math.round(gain * MILLION))
    if (filled !== undefined)
      documents.push({
        document,
        day: dayOf(filled.timeMs),
        gain: filled.change,
        choices: filled.isNew && filled.change > 0 ? MILLION : 0,
        ...NO_LOOK,
      })
  }
  if (documents.length > 0) teach({ sequence, queryHash, documents })
}

function takeBack({ teach }: LessonParts, all: readonly Taught[], sequence: number): void {
  const byQuery = new Map<string, DocumentChange[]>()
  for (const [queryHash, document, taught] of all) {
    const documents = byQuery.get(queryHash) ?? []
    byQuery.set(queryHash, documents)
    for (const [timeMs, amount] of filledSlots(taught.gains))
      documents.push({ document, day: dayOf(timeMs), ...UNCHOSEN, gain: -amount })
    for (const [timeMs, amount] of filledSlots(taught.examinations))
      documents.push({ document, day: dayOf(timeMs), ...lookOf(-amount) })
  }
  for (const [queryHash, documents] of byQuery) teach({ sequence, queryHash, documents })
}
