import { openFailures } from './failures.ts'
import { isFoldedAnew, openFold } from './fold.ts'
import { openPauses } from './pauses.ts'
import { type FindTaught, relearn, type Unlearned, unlearn } from './relearn.ts'
import { type LoopOptions, type Processor, recoverFrom, saveAll, wake } from './taking.ts'
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

export function openLoop(options: LoopOptions): Loop {
  const isPressed = () =>
    processor.closed || (processor.readers > 0 && !processor.failures.isRefused())
  const processor: Processor = {
    ...options,
    fold: openFold(options.store, options.consumers),
    running: undefined,
    closed: false,
    taking: undefined,
    failures: openFailures(options),
    readers: 0,
    removers: 0,
    stills: 0,
    recover: (cause) => recoverFrom(processor, cause),
    pauses: openPauses(isPressed, options.lull),
  }
  const folds = openEnds()
  const relearnAll = () => relearn(processor).then(processor.failures.end)
  const rebuild = () => standStill(processor, () => relearnAll().finally(folds.tell))
  processor.fold.load()
  options.log.onAppend(() => wake(processor))
  // A rebuild that a crash cut short starts again.
  if (isFoldedAnew(options.store)) rebuild().catch(options.onFailure)
  else wake(processor)
  return {
    caughtUp: (to) => (to === 'remove' ? catchUpToRemove(processor) : catchUp(processor)),
    rebuild,
    foldEnd: folds.next,
    unlearn: (find, within, which) =>
      standStill(processor, () => unlearn(processor, find, within, which)),
    position: processor.fold.saved,
    kept: processor.fold.kept,
    close: async () => {
      processor.closed = true
      processor.pauses.stir()
      await processor.running
      // What is not saved is taken again at the next start; saved now, that start is quicker.
      if (!processor.failures.isRefused()) await saveAll(processor).catch(options.onFailure)
    },
  }
}

/** For readers nothing is put off; while nothing can be saved they see what was learned before. */
async function catchUp(processor: Processor): Promise<void> {
  processor.readers += 1
  if (!processor.failures.isRefused()) processor.pauses.stir()
  try {
    await processor.log.flush()
    const until = processor.log.journal.last()
    const isBehind = () => processor.fold.taken() < until || processor.fold.isDue('all')
    while (!processor.closed && !processor.failures.isRefused() && isBehind()) {
      wake(processor)
      await processor.running
    }
  } finally {
    processor.readers -= 1
  }
}

/** What is left behind would be learned when there is room again. */
async function catchUpToRemove(processor: Processor): Promise<void> {
  processor.removers += 1
  processor.failures.clear()
  try {
    await catchUp(processor)
    if (processor.failures.isRefused() && !processor.closed) throw processor.failures.cause()
  } finally {
    processor.removers -= 1
  }
}

/** Runs `work` when nothing is being taken and all that was taken is saved; nothing more is taken until it is done. */
async function standStill(processor: Processor, work: () => Promise<void>): Promise<void> {
  // It would wait for ever for a moment in which nothing happens.
  processor.stills += 1
  processor.pauses.stir()
  while (processor.running !== undefined) await processor.running
  // What is folded anew tells nothing to the history; what is not saved yet may still have to.
  const done = saveAll(processor)
    .then(work)
    .finally(() => {
      processor.running = undefined
      processor.stills -= 1
      wake(processor)
    })
  // Who waits for its end need not know how it went.
  processor.running = done.catch(() => undefined)
  await done
}
