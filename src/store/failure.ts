import { constants } from 'node:os'
import { variableOf } from '../config.ts'
import { ServiceError, serviceError } from '../errors.ts'

/** LMDB's codes (lmdb.h): no room in the map; a page missing or damaged, or its meta page not written. */
const MAP_FULL = -30792
const DAMAGED: readonly unknown[] = [-30797, -30796]
/** As LMDB says it: what comes from a thread has no code any more. */
const DAMAGE = /^MDB_(CORRUPTED|PAGE_NOTFOUND)\b/
const BROKEN = [...DAMAGED, -30795]

const NO_ROOM: readonly unknown[] = [MAP_FULL, constants.errno.ENOSPC, constants.errno.EDQUOT]
const DISK: readonly unknown[] = [...NO_ROOM, ...BROKEN, constants.errno.EIO]

/** What lmdb puts on an error: the operation's own code, or a promise that rejects with the cause. */
interface LmdbError extends Error {
  code?: unknown
  commitError?: Promise<never>
}

/**
 * True for the rejection that lmdb raises besides the one that the writer gets. The process's handler
 * of unhandled rejections lets it pass: whoever waited for the write has been told.
 */
export function isCommitRejection(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false
  const { code, commitError } = reason as LmdbError
  return commitError !== undefined || DISK.includes(code)
}

/** The error behind a failed commit, when `error` is one; undefined when it is the caller's own. */
export async function causeOfCommit(error: unknown): Promise<unknown> {
  if (!(error instanceof Error)) return undefined
  const { commitError, code } = error as LmdbError
  if (commitError === undefined) return DISK.includes(code) ? error : undefined
  const cause = await commitError.then(
    () => undefined,
    (rejection: unknown) => rejection,
  )
  return cause ?? error
}

/** Whether a failed commit only wanted room; anything else means that the disk can't be trusted. */
export function wantsRoom(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  return NO_ROOM.includes((cause as LmdbError).code) || /no space left|quota/i.test(cause.message)
}

/** Whether the system does not let this process at a file. */
export function isDenied(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const { EACCES, EPERM, EROFS } = constants.errno
  return [EACCES, EPERM, EROFS].includes(Number((cause as LmdbError).code))
}

/** Whether LMDB found that a page of its file is not what it should be. */
export function isDamage(cause: unknown): cause is Error {
  if (!(cause instanceof Error)) return false
  return DAMAGED.includes((cause as LmdbError).code) || DAMAGE.test(cause.message)
}

/**
 * Damage in LMDB's own words: behind them lmdb puts a note of whatever it was asked for before, which comes and goes. Without
 * the cause, whose message a log would put behind it again.
 */
export function plainDamage({ message }: Error): Error {
  const [words = message] = /^[^:]+: [^:]+/.exec(message) ?? []
  return new Error(words)
}

/** Whether the system reported an I/O error, or LMDB a write that was cut short. */
export function isInputOutput(cause: unknown): boolean {
  return cause instanceof Error && (cause as LmdbError).code === constants.errno.EIO
}

/** Whether the store took nothing, full or broken: the caller's work was sound, and may pass another time. */
export function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof ServiceError)) return false
  return cause.code === 'DISK_FULL' || cause.code === 'STORE_UNAVAILABLE'
}

export function diskFull(cause?: unknown): ServiceError {
  return serviceError(
    'DISK_FULL',
    `There is no room to write, on the disk, below the setting ${variableOf('storeBytesMax')} or in what one file may have (ulimit -f): nothing was changed. Reads go on, and writes will when there is room.`,
    { cause, retryAfterS: 10 },
  )
}

export function unavailable(cause: unknown): ServiceError {
  return serviceError(
    'STORE_UNAVAILABLE',
    'The record store failed to write and takes no more writes until the service is restarted.',
    { cause },
  )
}

export function damaged(): ServiceError {
  return serviceError(
    'STORE_UNAVAILABLE',
    'Some of the records are damaged, and the log says which: put a whole copy in their place. What stands elsewhere is served.',
  )
}

/** Why a store stops whose commits succeed: the operator reads it in the log. */
export function displaced(): Error {
  return new Error(
    'The record store is no longer where it was opened: its folder was removed, moved or replaced, or its disk taken away. Put it back and start the service again.',
  )
}
