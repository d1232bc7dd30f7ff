import { performance } from 'node:perf_hooks'
import type { JournalRow } from '../store/journal.ts'
import type { Fact, Impression } from './facts.ts'
import type { Fold } from './fold.ts'
import { factsOf } from './join.ts'
import type { Log } from './log.ts'

/** What some entries of the journal held. */
export interface Taken {
  /** Sequence of the last entry that was taken whole. */
  end: number
  /** When each feedback entry was received, and the first entry of all. */
  received: number[]
  oldestMs: number | undefined
}

interface Taking {
  log: Log
  fold: Fold
  dead: { isDead: (fact: Fact) => boolean }
  /** What is being taken right now. */
  taking: Fact | undefined
}

/**
 * Hands on the facts of journal entries, one a step, and notes in `taken` how far it is; `taking.taking` stays at the
 * one that threw. Yields after each, true when its entry is whole: only there may what was taken be saved.
 */
export function* takeRows(
  taking: Taking,
  rows: Iterable<JournalRow>,
  taken: Taken,
  take: (fact: Fact) => void,
): Generator<boolean> {
  const { log, dead, fold } = taking
  taking.taking = undefined
  const seen = new Map<string, Impression | undefined>()
  for (const row of rows) {
    taken.oldestMs ??= row.entry.timeMs
    // After a crash some take again what others, and the figures, have long had.
    const isNew = row.sequence > fold.saved()
    for (const fact of factsOf(row, log, seen)) {
      if (dead.isDead(fact)) continue
      if (fact.kind === 'feedback' && isNew) taken.received.push(fact.receivedMs)
      taking.taking = fact
      take(fact)
      taking.taking = undefined
      yield false
    }
    taken.end = row.sequence
    yield true
  }
}

interface Stretch {
  after: number
  until: number
  /** Time after which no further entry is begun. */
  sliceMs: number
}

/** Takes entries in one go; gives the sequence up to which everything was taken. */
export function takeStretch(
  taking: Taking,
  { after, until, sliceMs }: Stretch,
  take: (fact: Fact) => void,
): number {
  const startedMs = performance.now()
  const taken = nothingTaken(after)
  const rows = rowsBetween(taking.log, after, until)
  for (const isWhole of takeRows(taking, rows, taken, take))
    if (isWhole && performance.now() - startedMs > sliceMs) return taken.end
  return until
}

function* rowsBetween({ journal }: Log, after: number, until: number): Iterable<JournalRow> {
  for (const row of journal.walk(after)) {
    if (row.sequence > until) return
    yield row
  }
}

export function nothingTaken(end: number): Taken {
  return { end, received: [], oldestMs: undefined }
}
