import type { IndexEntry } from './indices.ts'

/** Written records on their way into one index: ords ascend, documents are the JSON to index. */
export interface Batch {
  sequence: number
  ords: Float64Array
  documents: string[]
  deletes: Float64Array
  vectorOrds: Float64Array
  vectors: Float32Array
}

/** One document's part of a batch. */
export interface Change {
  /** The sequence of this write, which is the new document number when there is one. */
  sequence: number
  document?: string
  vector?: Float32Array
  /** The document number that this write replaced or deleted. */
  removed?: number
}

export interface Publisher {
  /**
   * Puts changes on the way to being searchable. `soon` waits a moment for others to share the commit.
   * Resolves when they are, with 1 for each change that can be found by vector.
   */
  publish: (entry: IndexEntry, changes: Change[], soon: boolean) => Promise<Uint8Array>
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
  changes: Change[]
  resolve: (vectorized: Uint8Array) => void
  reject: (cause: unknown) => void
}

interface Queue {
  entry: IndexEntry
  waiting: Waiting[]
  running: Promise<void> | undefined
  timer: NodeJS.Timeout | undefined
}

const BATCH_CHANGES = 4096
/** How long a write that nobody waits for may stay unsearchable, so that others share its commit. */
const SHARE_MS = 250

/** One queue an index: while one batch is in the core, the next one gathers. */
export function openPublisher(apply: Apply): Publisher {
  const queues = new Map<number, Queue>()

  function queueOf(entry: IndexEntry): Queue {
    const { id } = entry.record
    const queue = queues.get(id) ?? { entry, waiting: [], running: undefined, timer: undefined }
    queues.set(id, queue)
    return queue
  }

  function start(queue: Queue): void {
    clearTimeout(queue.timer)
    queue.timer = undefined
    if (queue.running === undefined) occupy(queue, drain(queue, apply))
  }

  /** Keeps the queue for `work`, then goes on with what came meanwhile. */
  function occupy(queue: Queue, work: Promise<void>): void {
    const free = (): void => {
      queue.running = undefined
      if (queue.waiting.length > 0) {
        start(queue)
        return
      }
      // A timer left over would strike later, when another queue has taken this one's place.
      clearTimeout(queue.timer)
      queues.delete(queue.entry.record.id)
    }
    queue.running = work.then(free, free)
  }

  return {
    publish: (entry, changes, soon) =>
      new Promise((resolve, reject) => {
        const queue = queueOf(entry)
        queue.waiting.push({ changes, resolve, reject })
        if (!soon || queue.waiting.length >= BATCH_CHANGES) start(queue)
        else queue.timer ??= setTimeout(() => start(queue), SHARE_MS)
      }),
    exclusive: async (entry, work) => {
      // Asked for anew each time: a queue that has run dry is replaced by the next write's.
      let queue = queueOf(entry)
      while (queue.running !== undefined) {
        await queue.running
        queue = queueOf(entry)
      }
      const done = work()
      occupy(queue, done)
      await done
    },
    isBusy: ({ record }) => queues.has(record.id),
    settled: async ({ record }) => {
      for (let queue = queues.get(record.id); queue !== undefined; queue = queues.get(record.id)) {
        start(queue)
        await queue.running
      }
    },
    idle: async () => {
      for (const queue of queues.values()) start(queue)
      while (queues.size > 0) await Promise.all([...queues.values()].map(({ running }) => running))
    },
  }
}

async function drain(queue: Queue, apply: Apply): Promise<void> {
  while (queue.waiting.length > 0) {
    const taken = takeBatch(queue.waiting)
    const changes = taken.flatMap(({ changes }) => changes)
    try {
      const vectorized = await apply(queue.entry, joinChanges(changes))
      settle(taken, vectorized)
    } catch (cause) {
      for (const { reject } of taken) reject(cause)
    }
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let count = 0
  let size = 0
  while (count < waiting.length && size < BATCH_CHANGES)
    size += waiting[count++]?.changes.length ?? 0
  return waiting.splice(0, count)
}

/** A document that a later change of the same batch replaces never needs to be indexed. */
function outlived(changes: Change[]): Set<number> {
  return new Set(changes.flatMap(({ removed }) => (removed === undefined ? [] : [removed])))
}

function joinChanges(changes: Change[]): Batch {
  const removed = outlived(changes)
  const added = changes.filter(
    ({ document, sequence }) => document !== undefined && !removed.has(sequence),
  )
  const given = added.filter(({ vector }) => vector !== undefined)
  const dimensions = given[0]?.vector?.length ?? 0
  const vectors = new Float32Array(given.length * dimensions)
  given.forEach(({ vector }, row) => {
    if (vector !== undefined) vectors.set(vector, row * dimensions)
  })
  return {
    sequence: changes.reduce((last, { sequence }) => Math.max(last, sequence), 0),
    ords: Float64Array.from(added, ({ sequence }) => sequence),
    documents: added.map(({ document = '' }) => document),
    deletes: Float64Array.from(removed),
    vectorOrds: Float64Array.from(given, ({ sequence }) => sequence),
    vectors,
  }
}

/** The batch without the documents up to `sequence`, which the index has from the records already. */
export function after(batch: Batch, sequence: number): Batch {
  if (batch.ords.every((ord) => ord > sequence)) return batch
  const dimensions = batch.vectors.length / Math.max(1, batch.vectorOrds.length)
  const known = batch.ords.filter((ord) => ord <= sequence).length
  const knownRows = batch.vectorOrds.filter((ord) => ord <= sequence).length
  return {
    ...batch,
    ords: batch.ords.slice(known),
    documents: batch.documents.slice(known),
    vectorOrds: batch.vectorOrds.slice(knownRows),
    vectors: batch.vectors.slice(knownRows * dimensions),
  }
}

/** Hands each waiting caller its own part of the flags, which the core gives per indexed document. */
function settle(taken: Waiting[], vectorized: Uint8Array): void {
  const removed = outlived(taken.flatMap(({ changes }) => changes))
  let at = 0
  for (const { changes, resolve } of taken) {
    const flags = new Uint8Array(changes.length)
    changes.forEach(({ document, sequence }, place) => {
      if (document !== undefined && !removed.has(sequence)) flags[place] = vectorized[at++] ?? 0
    })
    resolve(flags)
  }
}
