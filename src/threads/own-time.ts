import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

const SCHEDULED = '/proc/thread-self/schedstat'
const NS_PER_MS = 1e6

/**
 * How long the calling thread has had a processor, in ms; only differences mean something. Waiting while other
 * threads have them all does not count. Where the system doesn't tell (Linux does), the time that passes.
 */
export const ownTimeMs: () => number = scheduledMs() === undefined ? passedMs : ownMs

function ownMs(): number {
  return scheduledMs() ?? 0
}

function passedMs(): number {
  return performance.now()
}

function scheduledMs(): number | undefined {
  try {
    const [ranNs] = readFileSync(SCHEDULED, 'utf8').split(' ')
    return ranNs === undefined || !(Number(ranNs) > 0) ? undefined : Number(ranNs) / NS_PER_MS
  } catch {
    return undefined
  }
}
