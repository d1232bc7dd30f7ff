import { performance } from 'node:perf_hooks'
import type { JournalRow } from '../../store/journal.ts'
import type { Fact, Impression } from '../facts.ts'
import type { Fold } from './fold.ts'
import { factsOf } from './join.ts'
import type { Log } from './log.ts'

/** How the main thread is shared: so long a slice may hold it, and so long it is left to others between two. */
export interface Pace {
  sliceMs: number
  restMs: number
}

/**
 * A search that comes during a slice waits for its end, one that takes long for several. While what they take is young
 * and nobody waits to see it, slices are short, and rests spread them over the time until the next impressions are
 * written; the older it is, the longer slices and the shorter rests. Shorter slices cost more than they spare: between
 * two, searches take the caches.
 */
const SLICE_MS = { least: 0.5, most: 8 }
const REST_MS = { least: 2, most: 5 }
const YOUNG_MS = 300

/** The pace of what comes next, given the age of the oldest entry taken. */
export function paceFor(ageMs: number): Pace {
  const times = ageMs / YOUNG_MS
  return {
    sliceMs: Math.max(SLICE_MS.least, Math.min(SLICE_MS.most, times - 1)),
    restMs: Math.max(REST_MS.least, REST_MS.most - (REST_MS.most - REST_MS.least) * times),
  }
}

/**
 * Journal entries that are read at a time: behind each time there is a rest, and an analytics event is an entry. With eight,
 * 1 800 events a second were taken, and what came beyond waited for ever.
 */
const ENTRIES_MAX = 2048
/** Entries are read for so long at least, or for as long as a slice may take. */
const READ_MS_MIN = 1

/** What some entries of the journal held. */
export interface Taken {
  /** Sequence of the last entry that was taken whole. */
  end: number
  /** When each feedback entry was received, and the first entry of all. */
  received: number[]
  oldestMs: number | undefined
}

export function nothingTaken(end: number): Taken {
  return { end, received: [], oldestMs: undefined }
}

/** What it takes to hand facts on. */
export interface Taker {
  log: Log
  fold: Fold
  dead: { isDead: (fact: Fact) => boolean }
  /** What is being taken right now. */
  taking: Fact | undefined
}

/** The next entries to take, of which slices of so many milliseconds are made. */
export function readSome({ journal }: Log, after: number, sliceMs: number): JournalRow[] {
  return journal.read({ after, limit: ENTRIES_MAX, stretchMs: Math.max(READ_MS_MIN, sliceMs) })
}

/**
 * Hands on the facts of journal entries, one a step, and notes in `taken` how far it is; `taker.taking` stays at the
 * one that threw. Yields after each, true when its entry is whole: only there may what was taken be saved.
 */
export function* takeRows(
  taker: Taker,
  rows: Iterable<JournalRow>,
  taken: Taken,
  take: (fact: Fact) => void,
): Generator<boolean> {
  const { log, dead, fold } = taker
  taker.taking = undefined
  const seen = new Map<string, Impression | undefined>()
  for (const row of rows) {
    taken.oldestMs ??= row.entry.timeMs
    // After a crash some take again what others, and the figures, have long had.
    const isNew = row.sequence > fold.saved()
    for (const fact of factsOf(row, log, seen)) {
      if (dead.isDead(fact)) continue
      if (fact.kind === 'feedback' && isNew) taken.received.push(fact.receivedMs)
      taker.taking = fact
      take(fact)
      taker.taking = undefined
      yield false
    }
    taken.end = row.sequence
    yield true
  }
}

/**
 * Up to where everything was taken. Where entries are missing before the newest, they are old and were removed; that
 * there are none left is looked for again a turn later, when whatever has a number can be seen.
 */
export async function endOf(
  { journal }: Log,
  rows: readonly JournalRow[],
  { end, until }: { end: number; until: number },
): Promise<number> {
  if (rows.length === ENTRIES_MAX) return end
  await new Promise(setImmediate)
  return journal.read({ after: end, limit: 1 }).length > 0 ? end : Math.max(until, end)
}

interface Stretch {
  after: number
  until: number
  /** Time after which no further entry is begun. */
  sliceMs: number
}

/** Takes entries in one go; gives the sequence up to which everything was taken. */
export function takeStretch(
  taker: Taker,
  { after, until, sliceMs }: Stretch,
  take: (fact: Fact) => void,
): number {
  const startedMs = performance.now()
  const taken = nothingTaken(after)
  const rows = rowsBetween(taker.log, after, until)
  for (const isWhole of takeRows(taker, rows, taken, take))
    if (isWhole && performance.now() - startedMs > sliceMs) return taken.end
  return until
}

function* rowsBetween({ journal }: Log, after: number, until: number): Iterable<JournalRow> {
  for (const row of journal.walk(after)) {
    if (row.sequence > until) return
    yield row
  }
}
