import { type Logger, pino } from 'pino'

/** Lines that wait while none can be written, in bytes; beyond it they are left out. */
const WAITING_BYTES_MAX = 1 << 20
const STDOUT = 1
/** How soon lines that wait are tried again, when nothing else is logged. */
const AGAIN_MS = 100
/** How long the end of the process waits for a reader that is slow. */
const LAST_MS = 1000

/**
 * The log of the process, on its standard output. When lines can't be written (a full disk, a closed terminal, a pipe
 * whose reader does not read), the service goes on: lines wait, and those that are too many are lost.
 */
export function openProcessLog(level: string): Logger {
  // What is sync is written at once, and has nothing to flush; the library's way to do so never ends where writing
  // fails, nor would its way to try a full pipe again, during which nothing else runs.
  const lines = Object.assign(
    pino.destination({
      dest: STDOUT,
      sync: true,
      maxLength: WAITING_BYTES_MAX,
      retryEAGAIN: () => false,
    }),
    { flushSync: () => undefined },
  )
  let failure: string | undefined
  let isPlanned = false
  const tryAgain = () => {
    isPlanned = false
    failure = undefined
    // Nothing more, and what waits before it.
    lines.write('')
  }
  lines.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code
    if (!isPlanned) setTimeout(tryAgain, AGAIN_MS).unref()
    isPlanned = true
  })
  lines.on('write', () => {
    failure = undefined
  })
  process.on('exit', () => {
    const until = performance.now() + LAST_MS
    while (failure === 'EAGAIN' && performance.now() < until) {
      sleep(AGAIN_MS)
      tryAgain()
    }
  })
  // A pipe that was asked for here no longer keeps this thread until it is read.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  return pino({ level, base: { service: 'attune' } }, lines)
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
