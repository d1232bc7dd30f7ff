import { firstIdOf } from '../../ids.ts'
import type { DocumentKey } from '../../schema/document-key.ts'
import type { Store } from '../../store/store.ts'
import { openBatchSize } from '../batch-size.ts'
import { isFoldedAnew } from '../loop/fold.ts'
import type { DocumentChange } from './click-memory-pairs.ts'
import { type Attribution, unpackAttributed } from './click-memory-rows.ts'
import { putTeachingWithin, type SeenPage, seeWith, type Teaching, unfold } from './teaching.ts'
import { hashOfPair, openWrittenPairs } from './written-pairs.ts'

/** What sessions taught, so that each has a bounded say and can be taken out again. */
export interface Attributions {
  /** What of a page that a session looked at counts. */
  see: (sessionId: string, queryHash: string, page: SeenPage) => readonly DocumentChange[]
  /** What a session taught of a query, by document; changes made to it are saved with the next `save`. */
  of: (sessionId: string, queryHash: string) => Map<DocumentKey, Attribution>
  isFlagged: (sessionId: string) => boolean
  /** Hands over all that a session taught, and forgets it. */
  take: (sessionId: string) => Taught[]
  /** As `take`; nothing that the session tells counts from then on. */
  flag: (sessionId: string, timeMs: number) => Taught[]
  /** Inside a transaction. Removes what belongs to sessions that were over by `nowMs`, too. */
  save: (nowMs: number) => void
  /**
   * Removes some of what belongs to sessions that were over, and of which the log told nothing more, by `nowMs`, where
   * nothing comes any more that would be saved; returns how much.
   */
  sweep: (nowMs: number) => Promise<number>
  /** Drops what was not saved. */
  load: () => void
  /** Inside a transaction. */
  reset: () => void
}

/** What a session taught of one query and document. */
export type Taught = [queryHash: string, document: DocumentKey, attribution: Attribution]

/** Pairs of session and query that stay in memory after a save; where there are more, all of them go. */
const KEPT_MAX = 2000
/** What is over is looked for so often, by the time of the facts. */
const SWEEP_MS = 1000
/**
 * Rows of it that go with a save. A thousand hold the main thread for 3 to 8 ms, and after a day without a server all that
 * were kept are over: millions.
 */
const SWEPT_ROWS = { first: 1000, most: 8000 }

export interface Life {
  /** How long after its creation a session can teach at most. */
  lifeMs: number
  /**
   * How long after that the log may still tell of the session: when it is read again, whoever was flagged must teach
   * nothing.
   */
  toldMs: number
}

export function openAttributions(store: Store, life: Life): Attributions {
  const { lifeMs, toldMs } = life
  const { attributions, flaggedSessions } = store.tables
  const teachings = openTeachings(store)
  const changed = new Set<Teaching>()
  /** Sessions to be taken out with the next save, and since when they are flagged, if they are. */
  const taken = new Map<string, number | undefined>()
  let anyFlagged = false
  const over = openOver(store, toldMs)

  function take(sessionId: string, flaggedMs?: number): Taught[] {
    taken.set(sessionId, flaggedMs)
    const keys = [...attributions.keys(rangeOf(sessionId)), ...Array.from(changed, (k) => k.key)]
    const queries = keys.filter(([id]) => id === sessionId).map(([, queryHash]) => queryHash)
    return [...new Set(queries.sort())].flatMap((queryHash) => {
      const found = teachings.keep(sessionId, queryHash)
      changed.delete(found)
      teachings.drop(found)
      return Array.from(
        unfold(found),
        ([document, taught]): Taught => [queryHash, document, taught],
      )
    })
  }
  function saveChanged(): void {
    for (const found of changed) putTeachingWithin(store, found)
    changed.clear()
    for (const [sessionId, flaggedMs] of taken) takeOutWithin(store, sessionId, flaggedMs)
    taken.clear()
    teachings.trim()
  }
  function dropAll(): void {
    teachings.dropAll()
    changed.clear()
    taken.clear()
    anyFlagged = flaggedSessions.count() > 0
    over.beginAgain()
  }
  dropAll()
  return {
    see: (sessionId, queryHash, page) => {
      const found = teachings.keep(sessionId, queryHash)
      const seen = seeWith(found, page)
      if (seen.length > 0) changed.add(found)
      return seen
    },
    of: (sessionId, queryHash) => {
      const found = teachings.keep(sessionId, queryHash)
      changed.add(found)
      return unfold(found)
    },
    isFlagged: (sessionId) =>
      anyFlagged && (taken.has(sessionId) || flaggedSessions.has(sessionId)),
    take: (sessionId) => take(sessionId),
    flag: (sessionId, timeMs) => {
      anyFlagged = true
      return take(sessionId, timeMs)
    },
    save: (nowMs) => {
      saveChanged()
      over.sweepWithin(nowMs - lifeMs)
    },
    sweep: (nowMs) => sweepOver(store, life, nowMs),
    load: dropAll,
    reset: () => {
      attributions.clear()
      flaggedSessions.clear()
      dropAll()
    },
  }
}

/** What was taught of some pairs of session and query, in memory. */
interface Teachings {
  keep: (sessionId: string, queryHash: string) => Teaching
  drop: (kept: Teaching) => void
  /** Everything is saved: what was kept makes room. */
  trim: () => void
  dropAll: () => void
}

function openTeachings({ tables: { attributions } }: Store): Teachings {
  // By hash: that of a known pair is found out without putting a text together.
  const kept = new Map<number, Teaching>()
  const written = openWrittenPairs()

  function begin(hash: number, sessionId: string, queryHash: string): Teaching {
    const key: Teaching['key'] = [sessionId, queryHash]
    const row = written.note(sessionId, hash) ? attributions.get(key) : undefined
    const attributed = row === undefined ? undefined : unpackAttributed(row)
    const begun = { key, look: undefined, parts: undefined, attributed, next: kept.get(hash) }
    kept.set(hash, begun)
    return begun
  }
  return {
    keep: (sessionId, queryHash) => {
      const hash = hashOfPair(sessionId, queryHash)
      for (let found = kept.get(hash); found !== undefined; found = found.next)
        if (found.key[1] === queryHash && found.key[0] === sessionId) return found
      return begin(hash, sessionId, queryHash)
    },
    drop: (dropped) => {
      const hash = hashOfPair(...dropped.key)
      const others: Teaching[] = []
      for (let each = kept.get(hash); each !== undefined; each = each.next)
        if (each !== dropped) others.push(each)
      kept.delete(hash)
      for (const each of others) {
        each.next = kept.get(hash)
        kept.set(hash, each)
      }
    },
    trim: () => {
      if (kept.size > KEPT_MAX) kept.clear()
    },
    dropAll: () => {
      kept.clear()
      const [last] = attributions.keys({ reverse: true, limit: 1 })
      written.restart(last === undefined ? '' : last[0])
    },
  }
}

/** Removes what belongs to sessions that are over: ids of sessions begin with the time of their creation. */
function openOver(store: Store, toldMs: number) {
  const { attributions, flaggedSessions } = store.tables
  /** Up to which moment all of it has been removed. */
  let removedMs = 0
  const rows = openBatchSize(SWEPT_ROWS)
  return {
    /** Inside a transaction. */
    sweepWithin(untilMs: number): void {
      const beforeMs = SWEEP_MS * Math.floor(untilMs / SWEEP_MS)
      if (beforeMs === removedMs) return
      // What is folded anew is to be the same, row for row; its saves come one behind the other.
      const limit = isFoldedAnew(store) ? Number.MAX_SAFE_INTEGER : rows.now()
      const flagged = flaggedSessions.keys({ end: firstIdOf(beforeMs - toldMs), limit })
      flaggedSessions.removeAll([...flagged])
      const old = [...attributions.keys({ end: [firstIdOf(beforeMs), ''], limit })]
      attributions.removeAll(old)
      const areLeft = old.length === limit
      if (!areLeft) removedMs = beforeMs
      rows.end(areLeft)
    },
    beginAgain(): void {
      removedMs = 0
    },
  }
}

async function sweepOver(store: Store, { lifeMs, toldMs }: Life, nowMs: number): Promise<number> {
  // What is folded anew meets old sessions again.
  if (isFoldedAnew(store)) return 0
  const { attributions, flaggedSessions } = store.tables
  const limit = SWEPT_ROWS.first
  const end = firstIdOf(nowMs - lifeMs - toldMs)
  const old = [...attributions.keys({ end: [end, ''], limit })]
  const flagged = [...flaggedSessions.keys({ end, limit })]
  if (old.length + flagged.length === 0) return 0
  return store.release(() => attributions.removeAll(old) + flaggedSessions.removeAll(flagged))
}

/** The session's rows go; that it was flagged is noted, or forgotten with it. */
function takeOutWithin({ tables }: Store, sessionId: string, flaggedMs: number | undefined): void {
  const { attributions, flaggedSessions } = tables
  attributions.removeAll([...attributions.keys(rangeOf(sessionId))])
  if (flaggedMs === undefined) flaggedSessions.remove(sessionId)
  else flaggedSessions.put(sessionId, flaggedMs)
}

/** All queries of a session: `~` stands behind every digit and letter of a hash. */
function rangeOf(sessionId: string): { start: [string, string]; end: [string, string] } {
  return { start: [sessionId, ''], end: [sessionId, '~'] }
}
