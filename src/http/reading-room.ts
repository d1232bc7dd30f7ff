import { getHeapStatistics } from 'node:v8'
import { incomplete } from './body.ts'

/**
 * A body of many small documents takes up to six times its bytes once it is read, and the server and what it learned
 * want their part of the heap, too.
 */
const HEAP_SHARE = 16

/** Room on the heap for large bodies, from when they are read until they are answered. One always has some. */
export interface ReadingRoom {
  /**
   * Resolves when a body of so many bytes has room, behind those that came before it. Rejects with BODY_INCOMPLETE once
   * `signal` is aborted, as nobody waits for the answer any more.
   */
  enter: (bytes: number, signal: AbortSignal) => Promise<void>
  /** Gives back what one had; of nothing, does nothing. */
  leave: (bytes: number) => void
}

/** `heapBytesMax`: what the heap may grow to before the process ends. */
export function openReadingRoom(heapBytesMax = getHeapStatistics().heap_size_limit): ReadingRoom {
  const bytesMax = heapBytesMax / HEAP_SHARE
  let waiting: { bytes: number; enter: () => void }[] = []
  let taken = 0

  function admit(): void {
    for (;;) {
      const [next] = waiting
      if (next === undefined || (taken > 0 && taken + next.bytes > bytesMax)) return
      waiting.shift()
      taken += next.bytes
      next.enter()
    }
  }
  return {
    enter: (bytes, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(incomplete())
        const giveUp = (): void => {
          waiting = waiting.filter((each) => each !== waiter)
          reject(incomplete())
          admit()
        }
        const enter = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve()
        }
        const waiter = { bytes, enter }
        signal.addEventListener('abort', giveUp)
        waiting.push(waiter)
        admit()
      }),
    leave: (bytes) => {
      taken -= bytes
      if (bytes > 0) admit()
    },
  }
}
