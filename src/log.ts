import { type Logger, pino } from 'pino'

/** Lines that wait while none can be written, in bytes; beyond it they are left out. */
const WAITING_BYTES_MAX = 1 << 20
const STDOUT = 1

/**
 * The log of the process, on its standard output. That the lines can't be written (a full disk, a terminal that was
 * closed) is no reason to stop serving: they wait, and what is too much is lost.
 */
export function openProcessLog(level: string): Logger {
  // What is sync is written at once, and has nothing to flush; the library's way to do so never ends where writing fails.
  const lines = Object.assign(
    pino.destination({ dest: STDOUT, sync: true, maxLength: WAITING_BYTES_MAX }),
    { flushSync: () => undefined },
  )
  lines.on('error', () => undefined)
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  return pino({ level, base: { service: 'attune' } }, lines)
}
