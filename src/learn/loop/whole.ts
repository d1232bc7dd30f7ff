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

type ReadParts = Omit<WholeParts, 'foldEnd'>

/**
 * Resolves when what people did so far is taken, and whole: while it is folded anew, what is decided by it would see a
 * part. One question with one time limit, because a fold may begin while the rest is taken: whoever goes on in the same
 * breath need not ask again. Throws TIMED_OUT when that takes longer than a request may wait.
 */
export async function whenWhole(parts: WholeParts): Promise<void> {
  const { store, caughtUp, foldEnd } = parts
  const limit = limitOf(parts, 'nothing was changed; ')
  await by(limit, caughtUp())
  while (isFoldedAnew(store)) {
    await by(limit, foldEnd())
    await by(limit, caughtUp())
  }
}

/**
 * Resolves when what people did so far is taken: readers see their own writes. Nothing is taken while all is folded anew,
 * which may take minutes: throws TIMED_OUT, which says so, when a request may wait no longer.
 */
export async function caughtUpToRead(parts: ReadParts): Promise<void> {
  await by(limitOf(parts, ''), parts.caughtUp())
}

/** The same for what is never folded anew, such as the history: meanwhile, nobody waits. */
export async function caughtUpUnlessAnew(parts: ReadParts): Promise<void> {
  if (!isFoldedAnew(parts.store)) await caughtUpToRead(parts)
}

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

function limitOf({ store, config }: Pick<WholeParts, 'store' | 'config'>, effect: string): Limit {
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
