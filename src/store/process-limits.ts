import { readFileSync } from 'node:fs'
import { variableOf } from '../config.ts'
import { StartError } from '../errors.ts'

/**
 * Throws a StartError where the system does not give this process as much address space as the store may take, which LMDB
 * asks for at once: it would end the process by a signal, without a word.
 */
export function refuseNarrowSpace(bytesMax: number): void {
  const limit = figureIn('/proc/self/limits', /^Max address space +(\d+)/m)
  if (limit === undefined) return
  const taken = (figureIn('/proc/self/status', /^VmSize:\s+(\d+) kB/m) ?? 0) * 1024
  if (taken + bytesMax <= limit) return
  throw new StartError(
    `The record store wants ${bytesMax} bytes of address space, the setting ${variableOf('storeBytesMax')}, and this process may have ${Math.max(0, limit - taken)} more (ulimit -v): lower the one or lift the other.`,
    { lasts: true },
  )
}

/** Bytes that the system lets one file of this process have (ulimit -f); Infinity where it sets no limit. */
export function fileBytesMax(): number {
  return figureIn('/proc/self/limits', /^Max file size +(\d+)/m) ?? Number.POSITIVE_INFINITY
}

/** Undefined where the system doesn't tell, or there is no limit. */
function figureIn(file: string, pattern: RegExp): number | undefined {
  try {
    const [, figure] = pattern.exec(readFileSync(file, 'utf8')) ?? []
    return figure === undefined ? undefined : Number(figure)
  } catch {
    return undefined
  }
}
