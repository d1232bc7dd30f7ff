import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { routes } from '../src/api/index.ts'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { type Server, startServer } from '../src/http/server.ts'
import type { Variables } from '../src/settings.ts'
import { expectDeclared, expectNamed, routeOf } from './contract.ts'

/** An answer as a client sees it. */
export interface Answered<Data = Record<string, unknown>> {
  status: number
  data: Data
  error: string | undefined
  code: string | undefined
  details: { path: string; message: string }[]
  meta: { took: number; requestId: string }
}

/** The whole service in this process: its own folder, its own threads, a free port. */
export interface RunningApp {
  app: App
  /** Base address, with /api. */
  url: string
  /**
   * One request; `body` is sent as JSON unless it is text. What succeeds must be as its route declares it, and what is
   * refused with a code that the API document names for the route.
   */
  call: <Data = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answered<Data>>
  /** The data of a request that must succeed; throws with the answer when it doesn't. */
  must: <Data = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<Data>
  /** The page of /metrics. */
  metricsPage: () => Promise<string>
  /** Stops the service and starts it again on the same folder, with other settings too; `between` while it is stopped. */
  restart: (env?: Variables, between?: (dataDir: string) => void | Promise<void>) => Promise<void>
  close: () => Promise<void>
}

/** On a slow machine that others have, too, a training may take longer than clients wait by default. */
const REQUEST_TIMEOUT_MS = '120000'

/**
 * Starts the service with few threads.
 * One at a time in a process: the core's open indices belong to the process.
 */
export async function startApp(env: Variables = {}): Promise<RunningApp> {
  const folder = mkdtempSync(join(tmpdir(), 'attune-app-'))
  const threads = { SEARCH_THREADS: '1', WORK_THREADS: '1' }
  const settings = { DATA_DIR: folder, ...threads, REQUEST_TIMEOUT_MS, ...env }
  let running = await open(settings)
  return {
    get app() {
      return running.app
    },
    get url() {
      return running.url
    },
    call: (method, path, body, headers) => call(running.url, method, path, body, headers),
    must: (method, path, body) => must(running.url, method, path, body),
    metricsPage: async () => (await fetch(`${running.url}/metrics`)).text(),
    restart: async (changed = {}, between = () => {}) => {
      await running.close()
      await between(folder)
      running = await open({ ...settings, ...changed })
    },
    close: async () => {
      await running.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Running {
  app: App
  url: string
  close: () => Promise<void>
}

async function open(env: Record<string, string>): Promise<Running> {
  const config = readConfig({ PORT: '0', DRAIN_TIMEOUT_MS: '2000', ...env })
  const log: Logger = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
  const app = await openApp(config, log)
  const server: Server = await startServer(app, routes)
  await app.recovered
  return {
    app,
    url: `http://127.0.0.1:${server.port}/api`,
    close: async () => {
      await server.close()
      await app.close()
    },
  }
}

async function call<Data>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered<Data>> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const read = (await response.json()) as Omit<Answered<Data>, 'status'>
  const route = routeOf(method, path)
  if (response.status === 200 && route?.produces === undefined && route !== undefined)
    expectDeclared(route, read.data)
  if (read.code !== undefined && route !== undefined) expectNamed(route, response.status, read.code)
  return { ...read, details: read.details ?? [], status: response.status }
}

async function must<Data>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Data> {
  const answer = await call<Data>(url, method, path, body)
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  return answer.data
}
