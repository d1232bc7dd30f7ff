import type { IndexEntry } from '../indices/index-entry.ts'
import {
  BATCH_CHARACTERS,
  BATCH_GRAMS,
  type Batch,
  type BatchedWrite,
  charactersOf,
  gramsOf,
  joinChanges,
  outlived,
} from './batch.ts'

/*
 * Durable changes on their way into the core, one queue an index: while one batch is in the core, the next gathers.
 *
 *   publish ─────────────────┬─► start ─► take a batch ─► apply ─► answer ─► gather ──┐
 *   publishSoon ─► SHARE_MS ─┘              ▲                 while somebody waits    │
 *                                           └─────────────────────────────────────────┘
 *
 * What runs exclusively waits for the batch that is under way and keeps the next one waiting.
 * A queue without changes goes; the next write of its index makes another.
 */

export interface Publisher {
  /** Makes changes searchable. Resolves when they are, with 1 for each that can be found by vector. */
  publish: (entry: IndexEntry, changes: BatchedWrite[]) => Promise<Uint8Array>
  /** Puts changes on the way to being searchable; a moment later, for others to share the commit. */
  publishSoon: (entry: IndexEntry, changes: BatchedWrite[]) => void
  /** Runs `work` while no batch of the index is in the core; its changes wait meanwhile. */
  exclusive: (entry: IndexEntry, work: () => Promise<void>) => Promise<void>
  isBusy: (entry: IndexEntry) => boolean
  /** Settles when nothing of the index is on the way. */
  settled: (entry: IndexEntry) => Promise<void>
  /** Settles when nothing is on the way. */
  idle: () => Promise<void>
}

type Apply = (entry: IndexEntry, batch: Batch) => Promise<Uint8Array>

interface Waiting {
  changes: BatchedWrite[]
  /** Who waits until they are searchable, if anybody does. */
  caller?: {
    resolve: (vectorized: Uint8Array) => void
    reject: (cause: unknown) => void
  }
}

interface Queue {
  entry: IndexEntry
  waiting: Waiting[]
  running?: Promise<void> | undefined
  timer?: NodeJS.Timeout | undefined
  /** While the next batch gathers: how many writers are expected, and what to call when they are there. */
  gathering?: { writers: number; complete: () => void } | undefined
}

/** A batch is full with so many changes; the last write that it takes may bring more. */
const BATCH_CHANGES = 4096
/** With so many writes that nobody waits for, they are no longer held back for others to share their commit. */
const WAITING_WRITES_MAX = BATCH_CHANGES
/** How long a write that nobody waits for may stay unsearchable, so that others share its commit. */
const SHARE_MS = 250
/** How long a batch waits for writers that were just answered; never longer than the last batch took. */
const GATHER_MS_MAX = 10
/** So many changes share the cost of a commit well enough. */
const GATHERED_CHANGES = 64

interface Queues {
  apply: Apply
  /** By the id of the index. */
  ofIndex: Map<number, Queue>
}

export function openPublisher(apply: Apply): Publisher {
  const queues: Queues = { apply, ofIndex: new Map() }
  return {
    publish: (entry, changes) =>
      new Promise((resolve, reject) => {
        const queue = queueOf(queues, entry)
        queue.waiting.push({ changes, caller: { resolve, reject } })
        const { gathering } = queue
        if (gathering !== undefined && writersOf(queue.waiting) >= gathering.writers)
          gathering.complete()
        start(queues, queue)
      }),
    publishSoon: (entry, changes) => {
      const queue = queueOf(queues, entry)
      queue.waiting.push({ changes })
      if (queue.waiting.length >= WAITING_WRITES_MAX) start(queues, queue)
      else startSoon(queues, queue)
    },
    exclusive: (entry, work) => exclusive(queues, entry, work),
    isBusy: ({ record }) => queues.ofIndex.has(record.id),
    settled: ({ record }) => settled(queues, record.id),
    idle: async () => {
      const { ofIndex } = queues
      while (ofIndex.size > 0)
        await Promise.all(Array.from(ofIndex.keys(), (id) => settled(queues, id)))
    },
  }
}

function queueOf({ ofIndex }: Queues, entry: IndexEntry): Queue {
  const { id } = entry.record
  const queue: Queue = ofIndex.get(id) ?? { entry, waiting: [] }
  ofIndex.set(id, queue)
  return queue
}

function start(queues: Queues, queue: Queue): void {
  stopTimer(queue)
  if (queue.running === undefined) occupy(queues, queue, drain(queue, queues.apply))
}

function startSoon(queues: Queues, queue: Queue): void {
  queue.timer ??= setTimeout(() => start(queues, queue), SHARE_MS)
}

function stopTimer(queue: Queue): void {
  clearTimeout(queue.timer)
  queue.timer = undefined
}

/** Keeps the queue for `work`, then goes on with what came meanwhile. */
function occupy(queues: Queues, queue: Queue, work: Promise<void>): void {
  const free = () => {
    queue.running = undefined
    goOn(queues, queue)
  }
  queue.running = work.then(free, free)
}

function goOn(queues: Queues, queue: Queue): void {
  if (isPressing(queue)) start(queues, queue)
  else if (queue.waiting.length > 0) startSoon(queues, queue)
  else {
    // A timer left over would strike later, when another queue has taken this one's place.
    stopTimer(queue)
    queues.ofIndex.delete(queue.entry.record.id)
  }
}

async function exclusive(
  queues: Queues,
  entry: IndexEntry,
  work: () => Promise<void>,
): Promise<void> {
  // Asked for anew each time: a queue that has run dry is replaced by the next write's.
  let queue = queueOf(queues, entry)
  while (queue.running !== undefined) {
    await queue.running
    queue = queueOf(queues, entry)
  }
  const done = work()
  occupy(queues, queue, done)
  await done
}

async function settled(queues: Queues, id: number): Promise<void> {
  for (let queue = queues.ofIndex.get(id); queue !== undefined; queue = queues.ofIndex.get(id)) {
    start(queues, queue)
    await queue.running
  }
}

/** Takes batch after batch until nobody waits any more; writes that nobody waits for are left for later. */
async function drain(queue: Queue, apply: Apply): Promise<void> {
  // The writes of one transaction become durable together, and come one behind the other: the first batch has all.
  await new Promise((resolve) => setImmediate(resolve))
  while (queue.waiting.length > 0) {
    const startedMs = performance.now()
    const taken = takeBatch(queue.waiting)
    const changes = taken.flatMap(({ changes }) => changes)
    try {
      answer(taken, await apply(queue.entry, joinChanges(changes)))
    } catch (cause) {
      for (const { caller } of taken) caller?.reject(cause)
    }
    await gather(queue, writersOf(taken), performance.now() - startedMs)
    if (!isPressing(queue)) return
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let count = 0
  let size = 0
  let characters = 0
  let grams = 0
  for (const { changes } of waiting) {
    characters += charactersOf(changes)
    grams += gramsOf(changes)
    const isTooMuch = characters > BATCH_CHARACTERS || grams > BATCH_GRAMS
    if (size >= BATCH_CHANGES || (count > 0 && isTooMuch)) break
    size += changes.length
    count += 1
  }
  return waiting.splice(0, count)
}

/** Hands each waiting caller its own part of the flags, which the core gives per indexed document. */
function answer(taken: Waiting[], vectorized: Uint8Array): void {
  const removed = outlived(taken.flatMap(({ changes }) => changes))
  let at = 0
  for (const { changes, caller } of taken) {
    const flags = new Uint8Array(changes.length)
    changes.forEach(({ adds, sequence }, place) => {
      if (adds && !removed.has(sequence)) flags[place] = vectorized[at++] ?? 0
    })
    caller?.resolve(flags)
  }
}

/**
 * Waits a moment for writers that were just answered to come back with their next document. A commit costs as much
 * as a dozen documents: without this, the writers of a busy index fall into two groups that take turns.
 */
async function gather(queue: Queue, answered: number, tookMs: number): Promise<void> {
  const writers = writersOf(queue.waiting) + answered
  if (writers < 2 || changesOf(queue.waiting) >= GATHERED_CHANGES) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, Math.min(tookMs, GATHER_MS_MAX))
    const complete = () => {
      clearTimeout(timer)
      resolve()
    }
    queue.gathering = { writers, complete }
  })
  queue.gathering = undefined
}

function changesOf(waiting: Waiting[]): number {
  return waiting.reduce((count, { changes }) => count + changes.length, 0)
}

/** How many wait until they are searchable. */
function writersOf(waiting: Waiting[]): number {
  return waiting.reduce((count, { caller }) => (caller === undefined ? count : count + 1), 0)
}

/** Whether the next batch must not be put off. */
function isPressing({ waiting }: Queue): boolean {
  return waiting.length >= WAITING_WRITES_MAX || writersOf(waiting) > 0
}
