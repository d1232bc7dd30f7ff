import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Refusal } from './refusal.ts'

/** A server process of its own, as built. */
export interface BenchServer {
  /** Base address, ending in /api. */
  url: string
  host: string
  port: number
  pid: number
  dataDir: string
  /** Milliseconds from the start of the process to its ready line. */
  readyMs: number
  /** The last lines that it wrote: the place to look when a run failed. */
  lastLines: () => string[]
  /** Asks it to stop and waits; the data folder is removed when it was made here. Resolves to the exit code. */
  stop: () => Promise<number | undefined>
  /** SIGKILL, and waits until the process is gone; the data folder stays. */
  kill: () => Promise<void>
}

export interface ServerOptions {
  /** Without it a temporary folder, removed by `stop`. */
  dataDir?: string
  /** Settings, laid over the environment. */
  env?: Record<string, string>
  /** Told the process as soon as there is one; whoever kills it during its start gets a rejection. */
  started?: (pid: number) => void
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAIN = join(ROOT, 'dist/src/main.js')
const START_MS_MAX = 120_000
const STOP_MS_MAX = 30_000
const READY_LINE = /ready on (http:\/\/([^\s"/:]+):(\d+)\/api)/
const LINES_KEPT = 20

/** Starts the built server on a free port and waits for its ready line. Rejects with its last lines when it ends. */
export async function startServer(options: ServerOptions = {}): Promise<BenchServer> {
  if (!existsSync(MAIN)) throw new Refusal('The server is not built: run `npm run build` first.')
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'attune-bench-'))
  const startedAt = performance.now()
  const child = spawn(process.execPath, startArguments(), {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = once(child, 'exit')
  const { pid } = child
  if (pid === undefined) throw new Error('The server process could not be started.')
  options.started?.(pid)
  const removeFolder = () => {
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  const kept: string[] = []
  const [url, host, port] = await readyLine([child.stdout, child.stderr], kept, gone).catch(
    async (error: unknown) => {
      child.kill('SIGKILL')
      await gone
      removeFolder()
      throw error
    },
  )
  const readyMs = performance.now() - startedAt
  return {
    url,
    host,
    port,
    pid,
    dataDir,
    readyMs,
    lastLines: () => [...kept],
    stop: async () => {
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
      child.kill('SIGTERM')
      await gone
      clearTimeout(timer)
      removeFolder()
      return child.exitCode ?? undefined
    },
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Resident memory of a process in bytes: now, the part of it that no file stands behind, and at its highest. */
export function readMemory(pid: number): {
  residentBytes: number
  anonymousBytes: number
  peakBytes: number
} {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
  return {
    residentBytes: bytes('VmRSS'),
    anonymousBytes: bytes('RssAnon'),
    peakBytes: bytes('VmHWM'),
  }
}

/** Processor seconds that a process has used so far. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** What `npm start` gives to node. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start.split(' ').slice(1)
}

/** Both streams are read on for as long as the process lives, so that it never waits for its reader. */
function readyLine(
  streams: NodeJS.ReadableStream[],
  kept: string[],
  gone: Promise<unknown>,
): Promise<[string, string, number]> {
  return new Promise((resolve, reject) => {
    const refuse = (why: string) => reject(new Error(`${why}\n${kept.join('\n')}`))
    const timer = setTimeout(() => refuse('The server was not ready in time.'), START_MS_MAX)
    for (const stream of streams)
      createInterface({ input: stream }).on('line', (line) => {
        kept.push(line)
        if (kept.length > LINES_KEPT) kept.shift()
        const [, url, host, port] = READY_LINE.exec(line) ?? []
        if (url === undefined || host === undefined) return
        clearTimeout(timer)
        resolve([url, host, Number(port)])
      })
    gone.then(() => {
      clearTimeout(timer)
      refuse('The server ended before it was ready.')
    })
  })
}
