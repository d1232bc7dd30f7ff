import type { Logger } from 'pino'

/** Documents that were brought into an index so far, and how many it will have: threads share both. */
export type OpeningProgress = Int32Array

/** How often a long opening is told. */
const TELL_MS = 10_000

/**
 * Opens an index by `work`, and tells the log every ten seconds how far it is: after an update the first start may build
 * large indices anew for minutes, and whoever waits for it must see that it goes on.
 */
export async function tellProgress<T>(
  log: Pick<Logger, 'info'>,
  index: string,
  work: (progress: OpeningProgress) => Promise<T>,
): Promise<T> {
  const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  const timer = setInterval(() => {
    const [documents = 0, of = 0] = progress
    // Of files that lack a few documents only these are counted.
    const told = { index, documents, ...(of === 0 ? {} : { of }) }
    log.info(told, 'an index is brought up to date with the records: what needs it waits')
  }, TELL_MS)
  try {
    return await work(progress)
  } finally {
    clearInterval(timer)
  }
}
