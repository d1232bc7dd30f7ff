import { type BulkOptions, type BulkOutcome, sendBatch } from './bulk.ts'
import type { Client } from './client.ts'
import type { SourceFile } from './read/files.ts'
import type { FoundDocument } from './read/record.ts'

/** So many records at the start of a file are settled once the batch that carries the mark is. */
export interface Mark {
  file: SourceFile
  records: number
}

/** Keeps a bounded number of batches under way and settles them in the order they were given. */
export interface Sender {
  /** Resolves when there is room for another batch; rejects with the first failure of any batch. */
  send: (batch: readonly FoundDocument[], marks: readonly Mark[]) => Promise<void>
  /** Resolves when nothing is under way; rejects with the first failure. */
  drain: () => Promise<void>
  /** Resolves when nothing is under way, whatever became of it. */
  abandon: () => Promise<void>
}

/**
 * Opens a sender. `onOutcome` hears each batch as it is answered; `onMarks` hears marks strictly in
 * order, only after every earlier batch was settled too.
 */
export function openSender(
  client: Client,
  options: BulkOptions & { concurrency: number },
  heard: {
    onOutcome: (outcome: BulkOutcome) => void
    onMarks: (marks: readonly Mark[]) => Promise<void>
  },
): Sender {
  const underWay = new Set<Promise<void>>()
  const queue: { marks: readonly Mark[]; settled: boolean }[] = []
  let failure: { error: unknown } | undefined

  const check = () => {
    if (failure !== undefined) throw failure.error
  }
  const work = async (batch: readonly FoundDocument[], marks: readonly Mark[]) => {
    const place = { marks, settled: false }
    queue.push(place)
    try {
      if (batch.length > 0) heard.onOutcome(await sendBatch(client, batch, options))
      place.settled = true
      while (queue[0]?.settled) await heard.onMarks(queue.shift()?.marks ?? [])
    } catch (error) {
      failure ??= { error }
    }
  }
  return {
    send: async (batch, marks) => {
      check()
      const sending = work(batch, marks).finally(() => underWay.delete(sending))
      underWay.add(sending)
      while (underWay.size >= options.concurrency) await Promise.race(underWay)
      check()
    },
    drain: async () => {
      await Promise.all(underWay)
      check()
    },
    abandon: async () => {
      await Promise.all(underWay)
    },
  }
}
