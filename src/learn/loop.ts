import { performance } from 'node:perf_hooks'
import { ServiceError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { Consumer, Fact } from './facts.ts'
import type { StoredImpression } from './impressions/impression.ts'
import { factsOf } from './join.ts'
import type { Log } from './log.ts'

/**
 * The processor: takes the journal's entries in order, joins feedback to what was shown, and lets each consumer
 * fold them into its state. New state and the place in the journal are written in one transaction: a crash at any
 * point repeats nothing and skips nothing.
 */
export interface Loop {
  /**
   * Resolves when everything that happened before the call has been taken and published, or when the store takes
   * nothing: then with what was learned before.
   */
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
  /** Facts that were given up are left out; one that made a consumer throw is counted, and tried again. */
  dead: {
    isDead: (fact: Fact) => boolean
    failed: (fact: Fact, cause: unknown) => Promise<void>
  }
  /** A slice that failed; it is tried again after a while. */
  onFailure: (cause: unknown) => void
}

/** Where the processor keeps its place. */
const PLACE = 'learned'
const REBUILDING = 'relearning'
/** How long what happens may come together before the first slice. */
const GATHER_MS = 50
/** Time that one slice may hold the main thread, and the time that it leaves to others; */
const CALM = { sliceMs: 2, restMs: 10 }
/** the same when what it takes is older than this. */
const HURRIED = { sliceMs: 8, restMs: 2 }
const HURRY_AFTER_MS = 700
const RETRY_MS = 1000
/** What the store says when it takes nothing. */
const REFUSALS = new Set<string>(['DISK_FULL', 'STORE_UNAVAILABLE'])

/** The processor's own state, shared by its functions. */
interface Core extends LoopOptions {
  running: Promise<void> | undefined
  closed: boolean
  /** What the consumers are taking right now. */
  taking: Fact | undefined
  /** How many wait to see what was learned: nothing is put off for them. */
  readers: number
  /** The store takes nothing: it is full, or broken. */
  refused: boolean
  /** Ends a rest. */
  stir: () => void
}

export function openLoop(options: LoopOptions): Loop {
  const core: Core = {
    ...options,
    ...{ running: undefined, closed: false, taking: undefined, readers: 0, refused: false },
    stir: () => {},
  }
  for (const consumer of options.consumers) consumer.load()
  options.log.onAppend(() => wake(core))
  // A rebuild that a crash cut short starts again.
  if (options.store.tables.meta.get(REBUILDING) !== undefined)
    rebuild(core).catch(options.onFailure)
  else wake(core)
  return {
    caughtUp: () => catchUp(core),
    rebuild: () => rebuild(core),
    position: () => place(core),
    close: async () => {
      core.closed = true
      core.stir()
      await core.running
    },
  }
}

/** For readers nothing is put off; a store that takes nothing shows them what was learned before. */
async function catchUp(core: Core): Promise<void> {
  core.readers += 1
  if (!core.refused) core.stir()
  try {
    await core.log.flush()
    const until = core.log.journal.last()
    while (!core.closed && !core.refused && place(core) < until) {
      wake(core)
      await core.running
    }
  } finally {
    core.readers -= 1
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
  const { store, consumers, clock } = core
  let pace = CALM
  await rest(core, GATHER_MS)
  while (!core.closed) {
    const until = core.log.journal.last()
    const after = place(core)
    if (after >= until) return
    try {
      const slice = { after, until, mark: PLACE, sliceMs: pace.sliceMs }
      const { received, oldestMs } = await store.write(() => takeSlice(core, slice, consumers))
      core.refused = false
      for (const consumer of consumers) consumer.publish?.()
      const nowMs = clock()
      for (const timeMs of received) core.onLag(Math.max(0, nowMs - timeMs) / 1000)
      pace = nowMs - oldestMs > HURRY_AFTER_MS ? HURRIED : CALM
      await rest(core, pace.restMs)
    } catch (cause) {
      await recover(core, cause)
      return
    }
  }
}

/** Back to what is on the disk; a fact that made a consumer throw is counted, and given up in the end. */
async function recover(core: Core, cause: unknown): Promise<void> {
  const { taking } = core
  core.taking = undefined
  core.refused = cause instanceof ServiceError && REFUSALS.has(cause.code)
  core.onFailure(cause)
  for (const consumer of core.consumers) consumer.load()
  if (taking === undefined) await rest(core, RETRY_MS)
  else await core.dead.failed(taking, cause).catch(core.onFailure)
}

interface Slice {
  after: number
  until: number
  /** Where the place is kept. */
  mark: string
  sliceMs: number
}

interface Taken {
  /** Sequence of the last entry taken. */
  end: number
  /** When each feedback entry was received, and the first entry of all. */
  received: number[]
  oldestMs: number
}

/** One transaction's worth. */
function takeSlice(
  core: Core,
  { after, until, mark, sliceMs }: Slice,
  consumers: readonly Consumer[],
): Taken {
  const { store, log, dead } = core
  core.taking = undefined
  const startedMs = performance.now()
  const received: number[] = []
  const seen = new Map<string, StoredImpression | undefined>()
  let end = until
  let oldestMs: number | undefined
  for (const row of log.journal.walk(after)) {
    if (row.sequence > until) break
    oldestMs ??= row.entry.timeMs
    for (const fact of factsOf(row, log, seen)) {
      if (dead.isDead(fact)) continue
      if (fact.kind === 'feedback') received.push(fact.receivedMs)
      core.taking = fact
      for (const consumer of consumers) consumer.take(fact)
      core.taking = undefined
    }
    if (performance.now() - startedMs > sliceMs) {
      end = row.sequence
      break
    }
  }
  for (const consumer of consumers) consumer.save()
  store.tables.meta.put(mark, end)
  return { end, received, oldestMs: oldestMs ?? core.clock() }
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
    const slice = { after, until, mark: REBUILDING, sliceMs: CALM.sliceMs }
    try {
      after = (await store.write(() => takeSlice(core, slice, consumers))).end
      await rest(core, HURRIED.restMs)
    } catch (cause) {
      // The disk is full, say: half a rebuild is worse than one that waits.
      await recover(core, cause)
    }
  }
  if (core.closed) return
  await store.write(() => store.tables.meta.remove(REBUILDING))
  for (const consumer of consumers) consumer.publish?.()
}

function rest(core: Core, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, core.readers > 0 && !core.refused ? 0 : ms)
    core.stir = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}
