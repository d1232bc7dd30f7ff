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

/** The processor's own state, shared by its functions. */
interface Core extends LoopOptions {
  running: Promise<void> | undefined
  closed: boolean
}

export function openLoop(options: LoopOptions): Loop {
  const core: Core = { ...options, running: undefined, closed: false }
  for (const consumer of options.consumers) consumer.load()
  options.log.onAppend(() => wake(core))
  // A rebuild that a crash cut short starts again.
  if (options.store.tables.meta.get(REBUILDING) !== undefined)
    rebuild(core).catch(options.onFailure)
  else wake(core)
  return {
    caughtUp: async () => {
      await core.log.flush()
      const until = core.log.journal.last()
      while (!core.closed && place(core) < until) {
        wake(core)
        await core.running
      }
    },
    rebuild: () => rebuild(core),
    position: () => place(core),
    close: async () => {
      core.closed = true
      await core.running
    },
  }
}

function place({ store }: Core): number {
  return (store.tables.meta.get(PLACE) as number | undefined) ?? 0
}

/** Starts to take what has come, unless that is under way. */
function wake(core: Core): void {
  if (core.closed || core.running !== undefined) return
  core.running = takeAll(core).finally(() => {
    core.running = undefined
    if (place(core) < core.log.journal.last()) wake(core)
  })
}

async function takeAll(core: Core): Promise<void> {
  const { store, consumers } = core
  while (!core.closed) {
    const until = core.log.journal.last()
    const after = place(core)
    if (after >= until) return
    try {
      const { received } = await store.write(() =>
        takeSlice(core, { after, until, mark: PLACE }, consumers),
      )
      for (const consumer of consumers) consumer.publish?.()
      const nowMs = core.clock()
      for (const timeMs of received) core.onLag(Math.max(0, nowMs - timeMs) / 1000)
      await rest(REST_MS)
    } catch (cause) {
      core.onFailure(cause)
      for (const consumer of consumers) consumer.load()
      await rest(RETRY_MS)
      return
    }
  }
}

interface Slice {
  after: number
  until: number
  /** Where the place is kept. */
  mark: string
}

/** One transaction's worth; returns where it ended, and when each feedback entry was received. */
function takeSlice(
  { store, log }: Core,
  { after, until, mark }: Slice,
  consumers: readonly Consumer[],
): { end: number; received: number[] } {
  const startedMs = performance.now()
  const received: number[] = []
  const seen = new Map<string, StoredImpression | undefined>()
  let end = after
  let isLast = true
  for (const row of log.journal.read({ after, limit: READ_ROWS })) {
    if (row.sequence > until) break
    for (const fact of factsOf(row, log, seen)) {
      if (fact.kind === 'feedback') received.push(fact.receivedMs)
      for (const consumer of consumers) consumer.take(fact)
    }
    end = row.sequence
    isLast = false
    if (performance.now() - startedMs > SLICE_MS) break
  }
  // Retention may have removed the rows up to `until`.
  if (isLast) end = until
  for (const consumer of consumers) consumer.save()
  store.tables.meta.put(mark, end)
  return { end, received }
}

async function rebuild(core: Core): Promise<void> {
  while (core.running !== undefined) await core.running
  core.running = takeAnew(core).finally(() => {
    core.running = undefined
    wake(core)
  })
  await core.running
}

async function takeAnew(core: Core): Promise<void> {
  const { store } = core
  const consumers = core.consumers.filter(({ reset }) => reset !== undefined)
  const until = place(core)
  await store.write(() => {
    for (const consumer of consumers) consumer.reset?.()
    store.tables.meta.put(REBUILDING, 0)
  })
  let after = 0
  while (after < until && !core.closed) {
    const slice = { after, until, mark: REBUILDING }
    after = (await store.write(() => takeSlice(core, slice, consumers))).end
    await rest(REST_MS)
  }
  if (core.closed) return
  await store.write(() => store.tables.meta.remove(REBUILDING))
  for (const consumer of consumers) consumer.publish?.()
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
