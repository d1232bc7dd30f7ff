import {
  type Attribution,
  type Attributions,
  emptySlot,
  fillSlot,
  type Slots,
} from './attributions.ts'
import { dayOf, MILLION } from './click-memory-evidence.ts'
import type { PairChange } from './click-memory-pairs.ts'
import { type DocumentKey, documentKey, type FeedbackFact, type SearchFact } from './facts.ts'
import { wasNotViewed } from './feedback-entries.ts'
import type { Gains } from './gains.ts'

/** What one fact changes in what is remembered, with each session's say bounded. */
export interface Lessons {
  seen: (fact: SearchFact) => void
  /** Returns the pair that a session reported over and over, when this entry was one too many. */
  told: (fact: FeedbackFact) => { queryHash: string; document: DocumentKey } | undefined
}

interface LessonParts {
  attributions: Attributions
  gains: Gains
  /** Position p is looked at with probability 1/p^eta. */
  eta: number
  change: (change: PairChange) => void
}

/** Nobody looks at more of one page. */
const EXAMINED_MAX = 100
/** Entries of one session on one pair; beyond it the session is no honest one. */
export const ENTRIES_MAX = 50

export function openLessons(parts: LessonParts): Lessons {
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
      if (entry.status !== 'late' && impression.sessionId !== sessionId)
        examine(parts, { ...fact, impression }, sessionId)
      const shown = hit === undefined ? undefined : impression.hits[hit]
      if (shown === undefined) return undefined
      const { queryHash } = impression
      const document = documentKey(shown.indexId, shown.id)
      const known = attributions.of(sessionId, queryHash)(document)
      known.entries += 1
      if (known.entries > ENTRIES_MAX) {
        unteach(parts, fact)
        return { queryHash, document }
      }
      if (entry.status === 'learned')
        judge(parts, fact, { queryHash, document, known, shownMs: impression.timeMs })
      return undefined
    },
  }
}

/** A session looked at a page: each hit counts as likely as its position is looked at. */
function examine(
  { attributions, change, eta }: LessonParts,
  { sequence, impression }: Pick<SearchFact, 'sequence' | 'impression'>,
  sessionId: string,
): void {
  const { queryHash, hits, from, timeMs } = impression
  const attributionOf = attributions.of(sessionId, queryHash)
  hits.slice(0, EXAMINED_MAX).forEach(({ indexId, id }, at) => {
    const document = documentKey(indexId, id)
    const { examinations } = attributionOf(document)
    const likely = Math.round(MILLION / (from + at + 1) ** eta)
    const filled = fillSlot(examinations, timeMs, likely)
    if (filled === undefined) return
    const day = dayOf(filled.timeMs)
    change({ sequence, queryHash, document, day, gain: 0, examination: filled.change })
  })
}

interface Judged {
  queryHash: string
  document: DocumentKey
  known: Attribution
  shownMs: number
}

function judge(
  { gains, change }: LessonParts,
  { sequence, entry }: FeedbackFact,
  { queryHash, document, known, shownMs }: Judged,
): void {
  const place = { sequence, queryHash, document }
  if (wasNotViewed(entry)) {
    const emptied = emptySlot(known.examinations, shownMs)
    if (emptied !== undefined)
      change({ ...place, day: dayOf(emptied.timeMs), gain: 0, examination: emptied.change })
  }
  const gain = gains.of(entry) ?? 0
  if (gain === 0) return
  // A click can't have come before the page.
  const timeMs = Math.max(entry.timeMs, shownMs)
  const filled = fillSlot(known.gains, timeMs, Math.round(gain * MILLION))
  if (filled !== undefined)
    change({ ...place, day: dayOf(filled.timeMs), gain: filled.change, examination: 0 })
}

/** Takes out all that a session taught; it teaches nothing from then on. */
function unteach(
  { attributions, change }: LessonParts,
  { sequence, sessionId, receivedMs }: FeedbackFact,
): void {
  for (const [queryHash, document, taught] of attributions.flag(sessionId, receivedMs)) {
    const place = { sequence, queryHash, document }
    for (const [timeMs, amount] of filledSlots(taught.gains))
      change({ ...place, day: dayOf(timeMs), gain: -amount, examination: 0 })
    for (const [timeMs, amount] of filledSlots(taught.examinations))
      change({ ...place, day: dayOf(timeMs), gain: 0, examination: -amount })
  }
}

function* filledSlots(slots: Slots): Iterable<[number, number]> {
  for (let at = 0; at < slots.length; at += 2) {
    const amount = slots[at + 1] as number
    if (amount > 0) yield [slots[at] as number, amount]
  }
}
