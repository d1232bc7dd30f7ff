import { type Config, variableOf } from '../../config.ts'
import { ServiceError, serviceError } from '../../errors.ts'
import type { NoteDone } from '../../schema/answer.ts'
import type { Store } from '../../store/store.ts'
import { decideAllWithin, type WriteOutcome } from './decide.ts'
import type { WriteOp } from './operation.ts'

export interface Writer {
  /**
   * Resolves in order when all are durable; a refused one is its error. `noteDone` runs in their transaction, unless
   * all are refused. Throws OVERLOADED when too many wait.
   */
  write: (ops: WriteOp[], noteDone?: NoteDone) => Promise<(WriteOutcome | ServiceError)[]>
  /** Writes that are not durable yet: those that wait, and those of the transaction under way. */
  queued: () => number
  idle: () => Promise<void>
}

interface Waiting {
  ops: WriteOp[]
  noteDone: NoteDone | undefined
  resolve: (outcomes: (WriteOutcome | ServiceError)[]) => void
  reject: (cause: unknown) => void
}

const TRANSACTION_OPS = 2000

/** Group commit: while one transaction is on its way to the disk, the writes that come share the next one. */
export function openWriter(
  store: Store,
  config: Pick<Config, 'writeQueueMax'>,
  clock: () => number,
): Writer {
  const waiting: Waiting[] = []
  let queued = 0
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    // The requests of the same turn of the event loop shall be in the first transaction.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const taken = takeShare(waiting)
      try {
        await commit(taken, store.write)
      } catch (cause) {
        await commitDeletes(taken, cause)
      } finally {
        for (const { ops } of taken) queued -= ops.length
      }
    }
  }
  /**
   * Tries deletions of a transaction again that failed for want of room: they make room, and need hardly any. The
   * other writes fail.
   */
  async function commitDeletes(taken: readonly Waiting[], cause: unknown): Promise<void> {
    const deleting = isFull(cause) ? taken.filter(deletesOnly) : []
    for (const one of taken) if (!deleting.includes(one)) one.reject(cause)
    await commit(deleting, store.release).catch((again: unknown) => {
      for (const one of deleting) one.reject(again)
    })
  }
  async function commit(taken: Waiting[], transact: Store['write']): Promise<void> {
    if (taken.length === 0) return
    const outcomes = await transact(() => {
      const ops = taken.flatMap((one) => one.ops)
      const all = decideAllWithin(store, ops, clock())
      let at = 0
      return taken.map(({ ops, noteDone }) => {
        const own = all.slice(at, at + ops.length)
        at += ops.length
        if (own.some((outcome) => !(outcome instanceof ServiceError))) noteDone?.()
        return own
      })
    })
    taken.forEach((one, at) => {
      one.resolve(outcomes[at] ?? [])
    })
  }

  function run(): void {
    running ??= drain().finally(() => {
      running = undefined
      // What came behind the last look, and before this.
      if (waiting.length > 0) run()
    })
  }

  return {
    write: (ops, noteDone) => {
      if (queued > 0 && queued + ops.length > config.writeQueueMax)
        throw serviceError('OVERLOADED', tooMany(), { retryAfterS: 1 })
      queued += ops.length
      return new Promise((resolve, reject) => {
        waiting.push({ ops, noteDone, resolve, reject })
        run()
      })
    },
    queued: () => queued,
    idle: async () => {
      await running
    },
  }
}

function tooMany(): string {
  return `More documents are waiting to be written than the setting ${variableOf('writeQueueMax')} allows; try again soon.`
}

function isFull(cause: unknown): boolean {
  return cause instanceof ServiceError && cause.code === 'DISK_FULL'
}

function deletesOnly({ ops }: Waiting): boolean {
  return ops.every(({ kind }) => kind === 'delete')
}

function takeShare(waiting: Waiting[]): Waiting[] {
  let count = 0
  let size = 0
  while (count < waiting.length && size < TRANSACTION_OPS) size += waiting[count++]?.ops.length ?? 0
  return waiting.splice(0, count)
}
