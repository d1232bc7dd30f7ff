import { performance } from 'node:perf_hooks'
import type { Store } from '../../store/store.ts'
import type { Consumer, Fact } from '../facts.ts'
import { type FailureReports, type Failures, openFailures } from './failures.ts'
import { isFoldedAnew, openFold, type Saved } from './fold.ts'
import type { Log } from './log.ts'
import { openPauses } from './pauses.ts'
import { type FindTaught, relearn, type Still, type Unlearned, unlearn } from './relearn.ts'
import { endOf, nothingTaken, type Pace, paceFor, readSome, type Taken, takeRows } from './slice.ts'
import { openEnds } from './whole.ts'

/**
 * The processor: takes the journal's entries in order, joins feedback to what was shown, and lets each consumer
 * fold them into its state. New state and its place in the journal are written in one transaction: a crash at any
 * point repeats nothing and skips nothing.
 */
export interface Loop {
  /**
   * Resolves when everything that happened before the call has been taken, published and saved. Where it can't be saved,
   * readers see what was learned before; `remove` goes on in a full store, too, and tells when that can't be done.
   */
  caughtUp: (to?: 'remove') => Promise<void>
  /** Folds the whole journal anew into the consumers that can be reset. */
  rebuild: () => Promise<void>
  /** Resolves when a fold anew ends next, whatever became of it. */
  foldEnd: () => Promise<void>
  /** Takes out what somebody taught: of all where the log no longer holds all that was learned; see relearn.ts. */
  unlearn: (find: FindTaught, within: () => void, which?: Unlearned) => Promise<void>
  /** Sequence of the last entry that was taken, with what is saved at once on the disk. */
  position: () => number
  /** Sequence of the last entry of which everything is on the disk: a crash has what comes behind it read again. */
  kept: () => number
  close: () => Promise<void>
}

export interface LoopOptions extends FailureReports {
  store: Store
  log: Log
  consumers: readonly Consumer[]
  clock: () => number
  /** Resolves when it disturbs searches least to hold the main thread. */
  lull: () => Promise<void>
  /** Seconds from the receipt of a feedback entry until searches see it. */
  onLag: (seconds: number) => void
  /** Facts that were given up are left out; one that made a consumer throw is counted, and tried again. */
  dead: {
    isDead: (fact: Fact) => boolean
    failed: (fact: Fact, cause: unknown) => Promise<void>
  }
}

/** Time that one slice may hold the main thread while somebody waits to see what it takes. */
const AWAITED_MS = 2
const RETRY_MS = 1000

/** The processor's own state, shared by its functions. */
type Core = LoopOptions &
  Still & {
    running: Promise<void> | undefined
    /** How many wait to see what was learned: nothing is put off for them. */
    readers: number
    /** How many of them are to remove something: until then what is taken is saved in a full store, too. */
    removers: number
    /** How many want the processor to stand still: until then nothing more is taken. */
    stills: number
    failures: Failures
  }

export function openLoop(options: LoopOptions): Loop {
  const isPressed = () => core.closed || (core.readers > 0 && !core.failures.isRefused())
  const core: Core = {
    ...options,
    fold: openFold(options.store, options.consumers),
    running: undefined,
    closed: false,
    taking: undefined,
    failures: openFailures(options),
    readers: 0,
    removers: 0,
    stills: 0,
    recover: (cause) => recover(core, cause),
    pauses: openPauses(isPressed, options.lull),
  }
  const folds = openEnds()
  const relearnAll = () => relearn(core).then(core.failures.end)
  const rebuild = () => standStill(core, () => relearnAll().finally(folds.tell))
  core.fold.load()
  options.log.onAppend(() => wake(core))
  // A rebuild that a crash cut short starts again.
  if (isFoldedAnew(options.store)) rebuild().catch(options.onFailure)
  else wake(core)
  return {
    caughtUp: (to) => (to === 'remove' ? catchUpToRemove(core) : catchUp(core)),
    rebuild,
    foldEnd: folds.next,
    unlearn: (find, within, which) => standStill(core, () => unlearn(core, find, within, which)),
    position: core.fold.saved,
    kept: core.fold.kept,
    close: async () => {
      core.closed = true
      core.pauses.stir()
      await core.running
      // What is not saved is taken again at the next start; saved now, that start is quicker.
      if (!core.failures.isRefused()) await saveAll(core).catch(options.onFailure)
    },
  }
}

/** For readers nothing is put off; while nothing can be saved they see what was learned before. */
async function catchUp(core: Core): Promise<void> {
  core.readers += 1
  if (!core.failures.isRefused()) core.pauses.stir()
  try {
    await core.log.flush()
    const until = core.log.journal.last()
    const isBehind = () => core.fold.taken() < until || core.fold.isDue('all')
    while (!core.closed && !core.failures.isRefused() && isBehind()) {
      wake(core)
      await core.running
    }
  } finally {
    core.readers -= 1
  }
}

/** What is left behind would be learned when there is room again. */
async function catchUpToRemove(core: Core): Promise<void> {
  core.removers += 1
  core.failures.clear()
  try {
    await catchUp(core)
    if (core.failures.isRefused() && !core.closed) throw core.failures.cause()
  } finally {
    core.removers -= 1
  }
}

/** Starts to take what has come, unless that is under way. */
function wake(core: Core): void {
  if (core.closed || core.stills > 0 || core.running !== undefined) return
  core.running = takeAll(core).finally(() => {
    core.running = undefined
    if (core.fold.taken() < core.log.journal.last()) wake(core)
  })
}

async function takeAll(core: Core): Promise<void> {
  const { fold, clock, pauses } = core
  let pace = paceFor(0)
  await pauses.gather()
  while (!core.closed && core.stills === 0) {
    const until = core.log.journal.last()
    if (fold.taken() >= until && !fold.isDue('all')) return
    if (fold.taken() >= until && !fold.isDue(wanted(core))) {
      await pauses.gather()
      continue
    }
    try {
      await pauses.lull()
      const { received, oldestMs } = await takeSome(core, until, pace)
      if (fold.isDue(wanted(core))) await save(core, wanted(core))
      else fold.publish()
      const nowMs = clock()
      for (const timeMs of received) core.onLag(Math.max(0, nowMs - timeMs) / 1000)
      pace = paceFor(nowMs - (oldestMs ?? nowMs))
      await pauses.rest(pace.restMs)
    } catch (cause) {
      await recover(core, cause)
      return
    }
  }
}

/** What is read at once, a slice at a time. What was begun is ended: half an entry must not be saved. */
async function takeSome(core: Core, until: number, pace: Pace): Promise<Taken> {
  const taken = nothingTaken(core.fold.taken())
  const rows = readSome(core.log, taken.end, pace.sliceMs)
  let startedMs = performance.now()
  for (const _ of takeRows(core, rows, taken, core.fold.take)) {
    const limitMs = core.readers > 0 ? Math.max(AWAITED_MS, pace.sliceMs) : pace.sliceMs
    if (performance.now() - startedMs < limitMs) continue
    await core.pauses.rest(pace.restMs)
    await core.pauses.lull()
    startedMs = performance.now()
  }
  core.fold.advance(await endOf(core.log, rows, { end: taken.end, until }))
  return taken
}

/** Readers want to find all that was taken. */
const wanted = ({ readers }: Core): Saved => (readers > 0 ? 'all' : 'due')

async function save(core: Core, which: Saved): Promise<void> {
  const { store, fold, removers, stills } = core
  // Who makes the processor stand still is about to remove something.
  const write = removers + stills > 0 ? store.release : store.write
  await write(() => fold.save(which))
  core.failures.end()
  fold.settle()
  fold.publish()
}

/**
 * Back to what is on the disk; a fact that made a consumer throw is counted, and given up in the end. What else goes on
 * failing is tried less often, and nobody waits for it.
 */
async function recover(core: Core, cause: unknown): Promise<void> {
  const { taking } = core
  core.taking = undefined
  core.failures.tell('take', cause)
  core.fold.load()
  if (taking !== undefined && (await noteFailed(core, taking, cause))) return
  core.failures.note(cause, core.removers > 0)
  await core.pauses.rest(RETRY_MS)
}

async function noteFailed({ dead, failures }: Core, fact: Fact, cause: unknown): Promise<boolean> {
  try {
    await dead.failed(fact, cause)
    return true
  } catch (refusal) {
    failures.tell('count', refusal)
    return false
  }
}

/** Runs `work` when nothing is being taken and all that was taken is saved; nothing more is taken until it is done. */
async function standStill(core: Core, work: () => Promise<void>): Promise<void> {
  // It would wait for ever for a moment in which nothing happens.
  core.stills += 1
  core.pauses.stir()
  while (core.running !== undefined) await core.running
  // What is folded anew tells nothing to the history; what is not saved yet may still have to.
  const done = saveAll(core)
    .then(work)
    .finally(() => {
      core.running = undefined
      core.stills -= 1
      wake(core)
    })
  // Who waits for its end need not know how it went.
  core.running = done.catch(() => undefined)
  await done
}

async function saveAll(core: Core): Promise<void> {
  if (core.fold.isDue('all')) await save(core, 'all')
}
