import type { AttributionRow } from '../schema/memory-record.ts'
import type { Store } from '../store/store.ts'
import type { DocumentKey } from './facts.ts'

/** What one session taught about one document of one query. */
export interface Attribution {
  /** Feedback entries, duplicates included. */
  entries: number
  gains: Slots
  examinations: Slots
}

/** What counted, and when: [time in ms, millionths, …], any two at least `SLOT_MS` apart. */
export type Slots = number[]

/** What sessions taught, so that each has a bounded say and can be taken out again. */
export interface Attributions {
  /** Changes made to it are saved with the next `save`. */
  of: (sessionId: string, queryHash: string) => (document: DocumentKey) => Attribution
  isFlagged: (sessionId: string) => boolean
  /** Hands over all that a session taught, and forgets it; nothing of it counts from then on. */
  flag: (sessionId: string, timeMs: number) => Iterable<[string, DocumentKey, Attribution]>
  /** Inside a transaction. Removes what belongs to sessions that were over by `nowMs`, too. */
  save: (nowMs: number) => void
  /** Drops what was not saved. */
  load: () => void
  /** Inside a transaction. */
  reset: () => void
}

/** One session counts at most once for a pair within this time, and at most `SLOTS_MAX` times in all. */
const SLOT_MS = 30 * 60_000
const SLOTS_MAX = 3

const KEPT_MAX = 2000

type Attributed = Map<DocumentKey, Attribution>

/** `lifeMs` after its creation no session can teach any more. */
export function openAttributions(store: Store, lifeMs: number): Attributions {
  const { attributions, flaggedSessions } = store.tables
  const kept = new Map<string, Attributed>()
  const changed = new Map<string, [string, string]>()
  const flagged = new Map<string, number>()

  function find(sessionId: string, queryHash: string): Attributed {
    const name = `${sessionId}/${queryHash}`
    const known = kept.get(name) ?? decode(attributions.get([sessionId, queryHash]))
    kept.set(name, known)
    changed.set(name, [sessionId, queryHash])
    return known
  }
  function saveChanged(): void {
    for (const [name, key] of changed) {
      const attributed = kept.get(name)
      if (attributed !== undefined) attributions.put(key, encode(attributed))
    }
    changed.clear()
    for (const [sessionId, timeMs] of flagged) flaggedSessions.put(sessionId, timeMs)
    flagged.clear()
    if (kept.size > KEPT_MAX) kept.clear()
  }
  /** Ids of sessions begin with the time of their creation. */
  function removeBefore(timeMs: number): void {
    const end = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0')
    const before = `${end.slice(0, 8)}-${end.slice(8)}`
    for (const key of [...attributions.keys({ end: [before, ''] })]) attributions.remove(key)
    for (const id of [...flaggedSessions.keys({ end: before })]) flaggedSessions.remove(id)
  }
  return {
    of: (sessionId, queryHash) => {
      const attributed = find(sessionId, queryHash)
      return (document) => {
        const known = attributed.get(document)
        if (known !== undefined) return known
        const fresh: Attribution = { entries: 0, gains: [], examinations: [] }
        attributed.set(document, fresh)
        return fresh
      }
    },
    isFlagged: (sessionId) => flagged.has(sessionId) || flaggedSessions.has(sessionId),
    flag: (sessionId, timeMs) => {
      // What waits joins what is stored, and all of it goes.
      saveChanged()
      flagged.set(sessionId, timeMs)
      const taught: [string, DocumentKey, Attribution][] = []
      const start: [string, string] = [sessionId, '']
      const end: [string, string] = [`${sessionId}~`, '']
      for (const { key, value } of [...attributions.range({ start, end })]) {
        for (const [document, attribution] of decode(value))
          taught.push([key[1], document, attribution])
        attributions.remove(key)
        kept.delete(`${key[0]}/${key[1]}`)
      }
      return taught
    },
    save: (nowMs) => {
      saveChanged()
      removeBefore(nowMs - lifeMs)
    },
    load: () => {
      kept.clear()
      changed.clear()
      flagged.clear()
    },
    reset: () => {
      kept.clear()
      changed.clear()
      flagged.clear()
      attributions.clear()
      flaggedSessions.clear()
    },
  }
}

/**
 * Lets `millionths` count at a time, unless as much or more counted close to it already or the session has had its
 * say: then only what it surpasses. Returns what to add, and the time for which it counts.
 */
export function fillSlot(
  slots: Slots,
  timeMs: number,
  millionths: number,
): { timeMs: number; change: number } | undefined {
  for (let at = 0; at < slots.length; at += 2) {
    const slotMs = slots[at] as number
    if (Math.abs(slotMs - timeMs) >= SLOT_MS) continue
    const change = millionths - (slots[at + 1] as number)
    if (change <= 0) return undefined
    slots[at + 1] = millionths
    return { timeMs: slotMs, change }
  }
  if (slots.length >= 2 * SLOTS_MAX) return undefined
  slots.push(timeMs, millionths)
  return { timeMs, change: millionths }
}

/** Empties the slot at a time; returns what to take away, and the time for which it counted. */
export function emptySlot(
  slots: Slots,
  timeMs: number,
): { timeMs: number; change: number } | undefined {
  for (let at = 0; at < slots.length; at += 2) {
    const slotMs = slots[at] as number
    if (Math.abs(slotMs - timeMs) >= SLOT_MS) continue
    const change = -(slots[at + 1] as number)
    slots[at + 1] = 0
    return { timeMs: slotMs, change }
  }
  return undefined
}

function encode(attributed: Attributed): AttributionRow {
  const row: AttributionRow = { documents: [], entries: [], gains: [], examinations: [] }
  for (const [document, { entries, gains, examinations }] of attributed) {
    row.documents.push(document)
    row.entries.push(entries)
    row.gains.push(gains)
    row.examinations.push(examinations)
  }
  return row
}

function decode(row: AttributionRow | undefined): Attributed {
  const attributed: Attributed = new Map()
  row?.documents.forEach((document, at) => {
    attributed.set(document, {
      entries: row.entries[at] ?? 0,
      gains: row.gains[at] ?? [],
      examinations: row.examinations[at] ?? [],
    })
  })
  return attributed
}
