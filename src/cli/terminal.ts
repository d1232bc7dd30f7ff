/** Where a command writes and what it may assume about the reader. Tests pass their own. */
export interface Terminal {
  /** Results, to stdout. */
  print: (line: string) => void
  /** Progress, refusals and mistakes, to stderr. */
  note: (line: string) => void
  /** Results go to a terminal: emphasis may be used. */
  interactive: boolean
  /** Notes go to a terminal: a progress bar may be drawn. */
  bars: boolean
  columns: number
  env: Record<string, string | undefined>
  /** Aborted when the user asks the command to stop, or closes its terminal, and when its results can't be written any more. */
  signal: AbortSignal
}

/**
 * The terminal of this process; `close` takes its signal handlers away again, and ends the process as SIGHUP would have if
 * that came: Node crashes when it ends by itself and wants to tidy up a terminal that is gone. Handlers for failed writes
 * stay: the failure of a command's last line arrives after the command has ended.
 */
export function openTerminal(): Terminal & { close: () => void } {
  const stop = new AbortController()
  let hungUp = false
  const abort = () => stop.abort()
  const hangUp = () => {
    hungUp = true
    stop.abort()
  }
  process.once('SIGINT', abort)
  process.once('SIGTERM', abort)
  // A shell and the system may both send one, and the second must not end what cleans up.
  process.on('SIGHUP', hangUp)
  let written = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!written) return
    written = false
    giveUpResults(error)
    stop.abort()
  })
  // notes that nobody reads (`attune load … 2>&1 | head`) are no reason to give up the work
  process.stderr.on('error', () => undefined)
  return {
    print: (line) => {
      if (written) process.stdout.write(`${line}\n`)
    },
    note: (line) => {
      if (written) process.stderr.write(`${line}\n`)
    },
    interactive: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    bars: process.stderr.isTTY === true,
    columns: Math.max(40, process.stdout.columns ?? 80),
    env: process.env,
    signal: stop.signal,
    close: () => {
      process.off('SIGINT', abort)
      process.off('SIGTERM', abort)
      process.off('SIGHUP', hangUp)
      if (hungUp) process.kill(process.pid, 'SIGHUP')
    },
  }
}

/** `attune … | head` closes the pipe early; that is no failure, and the command's own exit code stays if it has one. */
function giveUpResults(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') {
    process.exitCode ??= 0
    return
  }
  process.exitCode = 1
  process.stderr.write(`The results can't be written: ${error.message}\n`)
}

/** Emphasises text on a terminal that can. */
export function bold(terminal: Terminal, text: string): string {
  return terminal.interactive ? `\u001b[1m${text}\u001b[22m` : text
}

/** Sets text back a little on a terminal that can. */
export function dim(terminal: Terminal, text: string): string {
  return terminal.interactive ? `\u001b[2m${text}\u001b[22m` : text
}

/** A failure of a command that needs no stack: the message says what was wrong and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Makes the error to throw. */
export function commandError(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { cause })
}

/**
 * Makes text safe to print: documents are someone else's words and must not steer the terminal.
 * Control characters become spaces.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}
