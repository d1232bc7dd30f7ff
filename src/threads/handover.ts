import { createRequire } from 'node:module'
import type { Piscina } from 'piscina'

/** Read when it is first wanted: few threads have so much to tell. */
let piscina: typeof Piscina | undefined

/**
 * Marks what a job returns: the main thread takes over its memory, which is gone here then. All else is copied.
 * It may lie anywhere in the result.
 */
export function handOver<Result extends object>(result: Result, memory: ArrayBuffer[]): Result {
  // The one that the thread itself was started with: another copy would know another mark.
  piscina ??= createRequire(import.meta.url)('piscina') as typeof Piscina
  const { move, transferableSymbol, valueSymbol } = piscina
  Object.defineProperties(result, {
    [transferableSymbol]: { value: memory },
    [valueSymbol]: { value: result },
  })
  return move(result as never) as Result
}
