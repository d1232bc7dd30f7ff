import { performance } from 'node:perf_hooks'
import type { Fact, Impression } from './facts.ts'
import type { Fold } from './fold.ts'
import { factsOf } from './join.ts'
import type { Log } from './log.ts'

/** What one slice of the journal held. */
export interface Taken {
  /** Sequence of the last entry taken. */
  end: number
  /** When each feedback entry was received, and the first entry of all. */
  received: number[]
  oldestMs: number
}

interface Taking {
  log: Log
  fold: Fold
  dead: { isDead: (fact: Fact) => boolean }
  clock: () => number
  /** What is being taken right now. */
  taking: Fact | undefined
}

interface Slice {
  after: number
  until: number
  /** Time after which no further entry is begun. */
  sliceMs: number
}

/** Hands on the facts of the journal's next entries; `taking.taking` stays at the one that threw. */
export function takeRows(
  taking: Taking,
  { after, until, sliceMs }: Slice,
  take: (fact: Fact) => void,
): Taken {
  const { log, dead, fold } = taking
  taking.taking = undefined
  const startedMs = performance.now()
  const received: number[] = []
  const seen = new Map<string, Impression | undefined>()
  let end = until
  let oldestMs: number | undefined
  for (const row of log.journal.walk(after)) {
    if (row.sequence > until) break
    oldestMs ??= row.entry.timeMs
    // After a crash some take again what others, and the figures, have long had.
    const isNew = row.sequence > fold.saved()
    for (const fact of factsOf(row, log, seen)) {
      if (dead.isDead(fact)) continue
      if (fact.kind === 'feedback' && isNew) received.push(fact.receivedMs)
      taking.taking = fact
      take(fact)
      taking.taking = undefined
    }
    if (performance.now() - startedMs > sliceMs) {
      end = row.sequence
      break
    }
  }
  return { end, received, oldestMs: oldestMs ?? taking.clock() }
}
