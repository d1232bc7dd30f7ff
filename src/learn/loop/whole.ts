import { performance } from 'node:perf_hooks'
import { serviceError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { isFoldedAnew } from './fold.ts'

/** Share of the time limit of a request that it may wait: what is refused by then is not done behind its back. */
const WAIT_SHARE = 0.8
const RETRY_AFTER_S = 5

interface WholeParts {
  store: Store
  /** Resolves when everything that happened before the call has been taken. */
  caughtUp: () => Promise<void>
  /** Resolves at the end of the fold anew that is under way. */
  foldEnd: () => Promise<void>
  config: { requestTimeoutMs: number }
}

/**
 * Resolves when what people did so far is taken, and whole: while it is folded anew, which may take minutes, what is
 * decided by it, or read, would see a part. One question with one time limit, because a fold may begin while the rest is
 * taken: whoever goes on in the same breath need not ask again. Throws TIMED_OUT, which says why, when that takes longer
 * than a request may wait.
 */
export async function whenWhole(parts: WholeParts, purpose: Purpose): Promise<void> {
  const { store, caughtUp, foldEnd } = parts
  const limit = limitOf(parts, purpose)
  await by(limit, caughtUp())
  while (isFoldedAnew(store)) {
    await by(limit, foldEnd())
    await by(limit, caughtUp())
  }
}

/** Resolves when what people did so far is taken, at once while all is folded anew: the history, say, never is. */
export async function whenTaken(parts: WholeParts): Promise<void> {
  if (!isFoldedAnew(parts.store)) await by(limitOf(parts, 'read'), parts.caughtUp())
}

/** Whether something is decided by what was learned, or only read. */
type Purpose = 'decide' | 'read'

/** For so long at most, whoever takes something back waits for the latest figures of it. */
const SOON_MS = 1000

/**
 * Resolves when what people did so far is taken, and soon even if it is not: for whoever must not
 * wait, and decides nothing by it.
 */
export async function caughtUpSoon({ caughtUp }: Pick<WholeParts, 'caughtUp'>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const soon = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SOON_MS)
  })
  await Promise.race([caughtUp(), soon]).finally(() => clearTimeout(timer))
}

/** Until when a request waits, and what it is told then. */
interface Limit {
  untilMs: number
  tooLate: () => Error
}

function limitOf({ store, config }: WholeParts, purpose: Purpose): Limit {
  const effect = purpose === 'decide' ? 'nothing was changed; ' : ''
  const tooLate = () =>
    serviceError(
      'TIMED_OUT',
      `${isFoldedAnew(store) ? NOT_WHOLE : NOT_TAKEN}: ${effect}try again in some seconds.`,
      { retryAfterS: RETRY_AFTER_S },
    )
  return { untilMs: performance.now() + config.requestTimeoutMs * WAIT_SHARE, tooLate }
}

const NOT_WHOLE =
  'Searches and clicks are being counted anew, without somebody who is forgotten, and a part of them would mislead'
const NOT_TAKEN = 'So many searches and clicks came that the last of them are not counted yet'

function by({ untilMs, tooLate }: Limit, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), Math.max(0, untilMs - performance.now()))
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Tells all who wait for it that something has ended. */
export function openEnds(): { next: () => Promise<void>; tell: () => void } {
  let tell = () => {}
  let next: Promise<void> | undefined
  return {
    next: () => {
      next ??= new Promise((resolve) => {
        tell = resolve
      })
      return next
    },
    tell: () => {
      tell()
      next = undefined
    },
  }
}
