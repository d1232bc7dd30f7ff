import type { ServiceError } from '../errors.ts'
import {
  causeOfCommit,
  diskFull,
  displaced,
  isInputOutput,
  unavailable,
  wantsRoom,
} from './failure.ts'

/** Follows commits: gives each a deadline, names what went wrong, and stops for good when the disk can't be trusted. */
export interface Commits {
  /** Resolves or throws with the commit; a failed one throws DISK_FULL or STORE_UNAVAILABLE. */
  settle<T>(commit: Promise<T>): Promise<T>
  /** As `settle`, for a commit that many writes share: one follower serves them all. */
  settleShared(commit: Promise<unknown>): Promise<void>
  /** What to throw instead of writing; undefined while writing works. */
  refusal(): ServiceError | undefined
  failure(): unknown
  pending(): number
  close(): void
}

interface CommitsOptions {
  log: { error(fields: object, message: string): void }
  commitMsMax?: number
  onFailure?: (cause: unknown) => void
  /** LMDB reports a write that the disk took only partly as an I/O error; on a full disk it is none. */
  diskIsFull: () => boolean
  /** Why the store can't be read any more; undefined while it can. */
  unreadable: () => unknown
  /** Whether the file that is written is still the one that the next start opens. */
  isInPlace: () => boolean
}

interface Pending {
  tick: number
  reject: (error: Error) => void
}

/** A deadline counts in ticks that the event loop really made, so that a paused process doesn't fail its disk. */
const TICKS_MAX = 5

export function openCommits(options: CommitsOptions): Commits {
  const { log, commitMsMax = 20_000, onFailure, diskIsFull, unreadable, isInPlace } = options
  const pending = new Set<Pending>()
  let failure: unknown
  let tick = 0
  let shared: { commit: Promise<unknown>; settled: Promise<void> } | undefined

  const clock = setInterval(() => {
    tick += 1
    const [oldest] = pending
    if (oldest !== undefined && tick - oldest.tick > TICKS_MAX)
      fail(new Error(`A commit took longer than ${commitMsMax} ms.`))
    // Without writes nobody else would look.
    else if (!isInPlace()) fail(displaced())
  }, commitMsMax / TICKS_MAX)
  clock.unref()

  function fail(cause: unknown): void {
    if (failure !== undefined) return
    failure = cause
    log.error({ err: cause }, 'The record store failed to write; it takes no more writes')
    const waiting = [...pending]
    pending.clear()
    for (const { reject } of waiting) reject(unavailable(cause))
    onFailure?.(cause)
  }

  async function nameError(error: unknown): Promise<unknown> {
    const cause = await causeOfCommit(error)
    if (cause === undefined) return error
    const isFull = wantsRoom(cause) || (isInputOutput(cause) && diskIsFull())
    // Where the page that names the newest commit found no room, LMDB serves nobody until it is opened again.
    const lasting = isFull ? unreadable() : cause
    if (lasting === undefined) return diskFull(cause)
    fail(lasting)
    return unavailable(lasting)
  }

  function settle<T>(commit: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry: Pending = { tick, reject }
      pending.add(entry)
      commit.then(
        (value) => {
          if (!isInPlace()) fail(displaced())
          if (pending.delete(entry)) resolve(value)
        },
        async (error: unknown) => {
          const named = await nameError(error)
          pending.delete(entry)
          reject(named)
        },
      )
    })
  }

  return {
    settle,
    settleShared: (commit) => {
      if (shared?.commit !== commit)
        shared = { commit, settled: settle(commit.then(() => undefined)) }
      return shared.settled
    },
    refusal: () => (failure === undefined ? undefined : unavailable(failure)),
    failure: () => failure,
    pending: () => pending.size,
    close: () => clearInterval(clock),
  }
}
