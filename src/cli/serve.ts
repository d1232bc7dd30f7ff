import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { extname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MEANINGLESS } from '../meaningless-signals.ts'
import { SETTINGS, type Setting, type Variables } from '../settings.ts'
import { commandError, type Terminal } from './terminal.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** A server that ran for this long was well; the next restart is quick again. */
const STEADY_MS = 60_000
/**
 * The flags of `npm start`. With all cores at work, helper threads of the garbage collector only keep requests waiting. A
 * small room for young objects is collected often, but briefly. A collection in a quiet time would drop compiled code.
 */
const COLLECTOR = ['--single-threaded-gc', '--no-memory-reducer', '--max-semi-space-size=4']
/** The server's own word for what lasts, such as settings that can't be right: starting it again would not help. */
export const LASTS = 2

/** The option of each setting, as `--name <value>`, with what it is and takes. */
export function settingOptions(): (readonly [flag: string, about: string])[] {
  return Object.entries(SETTINGS).map(([name, setting]) => {
    const words = 'fallbackAbout' in setting ? setting.fallbackAbout : setting.fallback
    const facts = [setting.env, ...takes(setting), `default ${words === '' ? 'none' : words}`]
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return [`--${flag} <value>`, `${setting.about} (${facts.join(', ')})`]
  })
}

/** As docs/settings.md has it; of a text its description tells. */
function takes({ kind, min, max }: Setting): string[] {
  if (typeof kind === 'object') return [kind.oneOf.join(' · ')]
  if (kind === 'boolean') return ['true or false']
  return min === undefined || max === undefined ? [] : [`${min}–${max}`]
}

/** Options of the command line by setting name → the environment of the server; unset ones are left out. */
export function serverEnvironment(options: Record<string, unknown>): Record<string, string> {
  const chosen = Object.entries(SETTINGS).filter(([name]) => options[name] !== undefined)
  return Object.fromEntries(chosen.map(([name, { env }]) => [env, String(options[name])]))
}

/** Starts the server of this package as a process of its own. */
function spawnServer(
  environment: Record<string, string | undefined>,
  output: 'inherit' | 'pipe',
): ChildProcess {
  const here = extname(fileURLToPath(import.meta.url))
  const entry = fileURLToPath(new URL(`../main${here}`, import.meta.url))
  const loader = here === '.ts' ? ['--import', 'tsx'] : []
  return spawn(process.execPath, [...COLLECTOR, ...loader, entry], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', output, output],
  })
}

/** How a child process ended: its exit code, or as shells have it 128 and the number of the signal that ended it. */
function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    )
  })
}

/** Becomes the server: this process serves until it is stopped, and ends with the server's own status. */
export async function serve(environment: Record<string, string>): Promise<void> {
  Object.assign(process.env, environment)
  // They are in the environment now; the server itself takes none.
  process.argv.splice(2)
  await import('../main.ts')
}

/**
 * Runs the server as a child until the user stops it or it ends well; answers its exit code. A server
 * that ended by itself with a failure is started again, after a pause that grows from half a second
 * to half a minute, unless it said that this would not help.
 */
export async function supervise(
  terminal: Terminal,
  environment: Record<string, string>,
): Promise<number> {
  const stopping = hearStopping(terminal.signal)
  try {
    return await startAgain(terminal, environment, stopping.signal)
  } finally {
    stopping.close()
  }
}

async function startAgain(
  terminal: Terminal,
  environment: Record<string, string>,
  signal: AbortSignal,
): Promise<number> {
  let wait = FIRST_PAUSE_MS
  for (;;) {
    const started = performance.now()
    const code = await runServer(environment, signal)
    if (code === 0 || signal.aborted) return code
    if (code === LASTS) {
      terminal.note(`The server ended with status ${code}: a new start would not help.`)
      return code
    }
    if (performance.now() - started > STEADY_MS) wait = FIRST_PAUSE_MS
    terminal.note(`The server ended with status ${code}; starting it again in ${wait / 1000} s.`)
    await pause(wait, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return code
    wait = Math.min(LONGEST_PAUSE_MS, wait * 2)
  }
}

/**
 * Hears what asks a supervisor to end, however often it comes: were the supervisor to go first, nobody would know of a
 * server that still finishes requests, or that was never asked. `asked` hears of the first, and of a closed terminal.
 */
function hearStopping(asked: AbortSignal) {
  const stop = new AbortController()
  const abort = () => stop.abort()
  process.on('SIGINT', abort).on('SIGTERM', abort)
  for (const name of MEANINGLESS) process.on(name, stayOn)
  return {
    signal: AbortSignal.any([asked, stop.signal]),
    close: () => {
      for (const name of MEANINGLESS) process.off(name, stayOn)
      process.off('SIGINT', abort).off('SIGTERM', abort)
    },
  }
}

/** The server goes on at such a signal, and so must whoever would start it again. */
function stayOn(): void {}

async function runServer(
  environment: Record<string, string>,
  signal: AbortSignal,
): Promise<number> {
  const child = spawnServer(environment, 'inherit')
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop)
  try {
    return await ended(child)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** A server that is not ready by then has failed. */
const READY_MS_MAX = 60_000

/** A server started for one command on a free port; `close` stops it and waits until it is gone. */
export interface OwnServer {
  url: string
  close: () => Promise<void>
}

/** What is set for the user's own server, such as its keys, is none of this one's business; empty is as not set. */
const UNSET = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']))

/** Starts a server on a free port, with these settings alone by their variables, and waits until it says that it is ready. */
export async function startOwnServer(dataDir: string, set: Variables = {}): Promise<OwnServer> {
  const own = { PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: 'info' }
  const settings = { ...UNSET, CONFIG: '', ...own, ...set }
  const child = spawnServer(settings, 'pipe')
  const end = ended(child)
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await end
  }
  let said = ''
  const ready = new Promise<string>((resolve) => {
    const hear = (text: Buffer) => {
      said = (said + text).slice(-20_000)
      const url = /ready on (https?:\/\/[\w.:[\]-]+\/api)/.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
  })
  const failed = end.then(() => undefined)
  const late = pause(READY_MS_MAX, undefined, { ref: false })
  const url = await Promise.race([ready, failed, late])
  if (url !== undefined) return { url, close }
  await close()
  throw commandError(`The server did not start:\n${said.trim()}`)
}
