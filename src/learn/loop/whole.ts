import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { isFoldedAnew } from './fold.ts'

const AGAIN_MS = 100
/** Share of the time limit of a request that it may wait: what is refused by then is not done behind its back. */
const WAIT_SHARE = 0.8
const RETRY_AFTER_S = 5

/**
 * Resolves when what people did is whole: while it is folded anew, what is decided by it would see a part. Throws
 * TIMED_OUT when that takes longer than a request may wait.
 */
export async function whenWhole(
  store: Store,
  { requestTimeoutMs }: { requestTimeoutMs: number },
): Promise<void> {
  const untilMs = performance.now() + requestTimeoutMs * WAIT_SHARE
  while (isFoldedAnew(store)) {
    const leftMs = untilMs - performance.now()
    if (leftMs <= 0) throw notWhole()
    await sleep(Math.min(AGAIN_MS, leftMs))
  }
}

function notWhole(): Error {
  return serviceError(
    'TIMED_OUT',
    'Searches and clicks are being counted anew, without somebody who is forgotten, and a part of them would mislead: nothing was changed; try again in some seconds.',
    { retryAfterS: RETRY_AFTER_S },
  )
}
