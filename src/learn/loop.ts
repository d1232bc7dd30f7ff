import { performance } from 'node:perf_hooks'
import type { JournalRow } from '../store/journal.ts'
import type { Store } from '../store/store.ts'
import type { Consumer, Fact, FeedbackBatch } from './facts.ts'
import type { StoredImpression } from './impression.ts'
import type { Log } from './log.ts'

/**
 * The processor: takes the journal's entries in order, joins feedback to what was shown, and lets each consumer
 * fold them into its state. New state and the place in the journal are written in one transaction: a crash at any
 * point repeats nothing and skips nothing.
 */
export interface Loop {
  /** Resolves when everything that happened before the call has been taken and published. */
  caughtUp: () => Promise<void>
  /** Folds the whole journal anew into the consumers that can be reset. */
  rebuild: () => Promise<void>
  /** Sequence of the last entry taken. */
  position: () => number
  close: () => Promise<void>
}

export interface LoopOptions {
  store: Store
  log: Log
  consumers: readonly Consumer[]
  clock: () => number
  /** Seconds from the receipt of a feedback entry until searches see it. */
  onLag: (seconds: number) => void
  /** A slice that failed; it is tried again after a while. */
  onFailure: (cause: unknown) => void
}

/** Where the processor keeps its place. */
const PLACE = 'learned'
const REBUILDING = 'relearning'
/** Time that one slice may hold the main thread, and the rest that it leaves to others. */
const SLICE_MS = 4
const REST_MS = 4
const READ_ROWS = 64
const RETRY_MS = 1000

export function openLoop(options: LoopOptions): Loop {
  const { store, log, clock } = options
  const { meta } = store.tables
  const place = (): number => (meta.get(PLACE) as number | undefined) ?? 0
  let running: Promise<void> | undefined
  let closed = false
  for (const consumer of options.consumers) consumer.load()

  /** One transaction's worth, starting behind `after`; returns where it ended, and when feedback was received. */
  function takeSlice(after: number, until: number, consumers: readonly Consumer[], mark: string) {
    const startedMs = performance.now()
    const received: number[] = []
    const seen = new Map<string, StoredImpression | undefined>()
    let end = after
    for (const row of log.journal.read({ after, limit: READ_ROWS })) {
      if (row.sequence > until) break
      for (const fact of factsOf(row, log, seen)) {
        if (fact.kind === 'feedback') received.push(fact.receivedMs)
        for (const consumer of consumers) consumer.take(fact)
      }
      end = row.sequence
      if (performance.now() - startedMs > SLICE_MS) break
    }
    // Rows up to `until` may have been removed by retention.
    if (end === after) end = until
    for (const consumer of consumers) consumer.save()
    meta.put(mark, end)
    return { end, received }
  }

  async function run(): Promise<void> {
    while (!closed) {
      const until = log.journal.last()
      const after = place()
      if (after >= until) return
      try {
        const { received } = await store.write(() =>
          takeSlice(after, until, options.consumers, PLACE),
        )
        for (const consumer of options.consumers) consumer.publish?.()
        const nowMs = clock()
        for (const timeMs of received) options.onLag(Math.max(0, nowMs - timeMs) / 1000)
      } catch (cause) {
        options.onFailure(cause)
        for (const consumer of options.consumers) consumer.load()
        await rest(RETRY_MS)
        return
      }
      await rest(REST_MS)
    }
  }
  function wake(): void {
    if (closed || running !== undefined) return
    running = run().finally(() => {
      running = undefined
      if (!closed && place() < log.journal.last()) wake()
    })
  }
  async function rebuild(): Promise<void> {
    const consumers = options.consumers.filter(({ reset }) => reset !== undefined)
    while (running !== undefined) await running
    running = (async () => {
      const until = place()
      await store.write(() => {
        for (const consumer of consumers) consumer.reset?.()
        meta.put(REBUILDING, 0)
      })
      let after = 0
      while (after < until && !closed) {
        const slice = await store.write(() => takeSlice(after, until, consumers, REBUILDING))
        after = slice.end
        await rest(REST_MS)
      }
      if (closed) return
      await store.write(() => meta.remove(REBUILDING))
      for (const consumer of consumers) consumer.publish?.()
    })().finally(() => {
      running = undefined
      wake()
    })
    await running
  }

  log.onAppend(wake)
  // A rebuild that a crash cut short starts again.
  if (meta.get(REBUILDING) !== undefined) rebuild().catch(options.onFailure)
  else wake()
  return {
    caughtUp: async () => {
      await log.flush()
      const until = log.journal.last()
      while (!closed && place() < until) {
        wake()
        await running
      }
    },
    rebuild,
    position: place,
    close: async () => {
      closed = true
      await running
    },
  }
}

/** What a journal entry says, joined to what was shown. Entries of other types say nothing to learning. */
function* factsOf(
  { sequence, entry }: JournalRow,
  log: Log,
  seen: Map<string, StoredImpression | undefined>,
): Iterable<Fact> {
  if (entry.type === 'searches')
    for (const queryId of entry.data as string[]) {
      const shown = log.find(queryId)
      if (shown !== undefined) yield { kind: 'search', sequence, ...shown }
    }
  else if (entry.type === 'feedback') yield* feedbackFacts(sequence, entry, log, seen)
  else if (entry.type === 'analytics')
    yield {
      kind: 'analytics',
      sequence,
      timeMs: entry.timeMs,
      sessionId: entry.sessionId,
      data: (entry.data ?? {}) as Record<string, unknown>,
    }
}

function* feedbackFacts(
  sequence: number,
  { timeMs, sessionId = '', data }: JournalRow['entry'],
  log: Log,
  seen: Map<string, StoredImpression | undefined>,
): Iterable<Fact> {
  const { unit, entries } = data as FeedbackBatch
  for (const entry of entries) {
    if (!seen.has(entry.queryId)) seen.set(entry.queryId, log.find(entry.queryId))
    const impression = seen.get(entry.queryId)?.impression
    const place = impression?.hits.findIndex(({ id }) => id === entry.resultId) ?? -1
    const hit = place < 0 ? undefined : place
    yield {
      kind: 'feedback',
      sequence,
      receivedMs: timeMs,
      sessionId,
      unit,
      entry,
      impression,
      hit,
    }
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
