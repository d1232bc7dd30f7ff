import { isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { Logger } from 'pino'
import { routes } from './api/index.ts'
import { type App, openApp } from './app.ts'
import { type Config, mistypedSettings, readConfig } from './config.ts'
import { endProcess } from './end-process.ts'
import { StartError } from './errors.ts'
import { type Server, startServer } from './http/server.ts'
import { openProcessLog } from './log.ts'
import { MEANINGLESS } from './meaningless-signals.ts'
import { packageVersion } from './package.ts'
import { isCommitRejection, isDamage } from './store/failure.ts'
import { damagedRecords, recordsFile } from './store/records-file.ts'

/** Settings that can't be right, or what else lasts: starting again would not help. */
const EXIT_LASTS = 2
const EXIT_FAILED = 1
/** What asks the server to end; SIGHUP comes when the terminal that it was started from is closed. */
const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** Not with what was sent: it may be a key. */
const NO_OPTIONS =
  'options have no effect here: `attune serve` takes them; here settings come from the environment'

// Pages on their way out count as the heap's own, and V8 would look through all of it, for some fifty milliseconds,
// whenever a few megabytes of them have come together: once a second under load.
setFlagsFromString('--heap-growing-percent=60')
// The room for what is young that the command gives the main thread would stand above that of the worker threads.
setFlagsFromString('--max-semi-space-size=0')

const config = settings()
const log = openProcessLog(config.logLevel)
watchProcess(log)
for (const { variable, sentence } of mistypedSettings(process.env)) log.warn({ variable }, sentence)
if (process.argv.length > 2) log.warn(NO_OPTIONS)
run(config, log).catch((cause: unknown) => {
  const err = named(cause, config)
  const isMistake = err instanceof StartError
  if (!isMistake) log.fatal({ err }, 'the service could not start')
  process.stderr.write(`${sentence(err)}\n`)
  endProcess(isMistake && err.lasts ? EXIT_LASTS : EXIT_FAILED)
})

function settings(): Config {
  try {
    return readConfig()
  } catch (cause) {
    process.stderr.write(`${sentence(cause)}\n`)
    process.exit(EXIT_LASTS)
  }
}

/** With the file, where pages of it are wrong: LMDB names none. */
function named(cause: unknown, { dataDir }: Config): unknown {
  if (!isDamage(cause)) return cause
  const how = `pages of it are wrong (${cause.message})`
  return damagedRecords(recordsFile(dataDir), how, cause)
}

function sentence(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'Something unforeseen went wrong.'
}

async function run(config: Config, log: Logger): Promise<void> {
  let early: number | undefined
  let stop: (reason: string, exitCode: number) => void = (reason, exitCode) => {
    if (early !== undefined) return
    early = exitCode
    log.warn({ reason }, 'stopped before it was ready')
    endInTime(config, log)
  }
  for (const signal of STOPPING) process.on(signal, () => stop(signal, 0))
  const app = await openApp(config, log, (cause) => {
    log.fatal({ err: named(cause, config) }, 'the record store can no longer be trusted')
    stop('the record store failed', EXIT_FAILED)
  })
  if (early !== undefined) {
    await app.close().catch(() => undefined)
    endProcess(early)
  }
  const server = await startServer(app, routes).catch(async (cause) => {
    await closeSoon(app)
    throw cause
  })
  let stopping = false
  stop = (reason, exitCode) => {
    if (stopping) return
    stopping = true
    log.info({ reason, active: server.active() }, 'stopping')
    void drain(app, server, reason, exitCode)
  }
  await app.recovered
  if (stopping) return
  const address = baseAddress(config.host, server.port)
  log.info(
    {
      version: packageVersion(),
      node: process.version,
      pid: process.pid,
      address,
      dataDir: resolve(config.dataDir),
      indices: app.indices.all().length,
      tookMs: Math.round(performance.now()),
    },
    'ready',
  )
  process.stdout.write(`Attune is ready on ${address}\n`)
}

/** Leaves the folder as a stop does: the next start would take this end for a crash. */
async function closeSoon(app: App): Promise<void> {
  const closed = app.close().catch(() => undefined)
  await Promise.race([closed, pause(stopMsMax(app.config))])
}

/** Whatever hangs, a stop takes no longer. */
function stopMsMax({ drainTimeoutMs }: Config): number {
  return 3 * drainTimeoutMs + 10_000
}

function endInTime(config: Config, log: Logger): void {
  const limitMs = stopMsMax(config)
  // Not unref'd: the process would end as if all were well once nothing but what hangs is left.
  setTimeout(() => {
    // What was answered with 200 is in the records: only what is made from them is behind.
    log.error({ limitMs }, 'stopping took too long; the next start makes up for what is left')
    endProcess(EXIT_FAILED)
  }, limitMs)
}

/** As clients take it: an IPv6 address stands in brackets, or its port could not be told from it. */
function baseAddress(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}/api`
}

/** Requests under way finish first, then every part closes; a second way out if one of them hangs. */
async function drain(app: App, server: Server, reason: string, exitCode: number): Promise<never> {
  endInTime(app.config, app.log)
  let code = exitCode
  try {
    const cutOff = await server.close()
    if (cutOff > 0) app.log.warn({ cutOff }, 'requests were cut off')
    await app.close()
    app.log.info('stopped')
  } catch (err) {
    app.log.fatal({ err }, 'stopping failed')
    code = EXIT_FAILED
  }
  if (reason === 'SIGHUP') endBySignal(reason)
  endProcess(code)
}

/** Node crashes when it ends by itself and wants to tidy up a terminal that is gone. */
function endBySignal(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

function watchProcess(log: Logger): void {
  process.on('unhandledRejection', (err) => {
    // A failed commit rejects twice; whoever waited for it has been told.
    if (isCommitRejection(err)) log.warn({ err }, 'a commit failed')
    else log.error({ err }, 'a rejection that nobody handled')
  })
  for (const signal of MEANINGLESS)
    process.on(signal, () =>
      log.warn({ signal }, 'this signal means nothing to the service; SIGTERM stops it'),
    )
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'an exception that nobody caught')
    endProcess(EXIT_FAILED)
  })
}
