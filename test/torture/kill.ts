import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchServer, startServer } from '../../bench/server.ts'
import { must, openService, type Service } from '../../bench/service.ts'
import { loadLessons, startLearning } from './learner.ts'
import { type Oracle, openOracle } from './oracle.ts'
import { openPromises, type Promises } from './promises.ts'
import { auditJournal } from './refold.ts'
import { findBroken } from './verify.ts'
import { findForgotten } from './verify-learning.ts'
import { startWriting } from './writer.ts'

/** How often to kill, and where the draws start. */
export interface KillOptions {
  times: number
  seed: number
  /** Longest time of writing before a kill. */
  writeMsMax: number
  say: (line: string) => void
}

/** What a run of kills came to. `broken` is empty when every promise was kept. */
export interface KillReport {
  kills: number
  acknowledged: number
  documents: number
  sessions: number
  /** Of the learning side alone: requests acknowledged, feedback entries and events stored. */
  learning: { acknowledged: number; entries: number; events: number }
  /** Rows of learned state that a fresh fold of the log made again. */
  refolded: number
  readyMsMax: number
  broken: string[]
  /** Folder with the log of acknowledged writes and the data; kept only when something is broken. */
  folder: string
}

const WRITE_MS_MIN = 100
const KILLS_PER_INDEX = 5
/** Share of restarts that are killed as well, somewhere before they are ready. */
const KILLED_STARTS = 0.2
const START_MS = 700
/** Share of the rounds that are checked before the kill, too: what is wrong then no crash has done. */
const LIVE_CHECKS = 0.2
const SEARCHABLE_MS_MAX = 15_000
const BROKEN_MAX = 20
/** Models are trained in between, and none comes into force by itself. */
const LEARNING_ENV = {
  MODEL_TRAIN_CLICKS_MIN: '50',
  MODEL_TRAIN_NEW_MIN: '200',
  MODEL_CANARY_SEARCHES_MIN: '10000000',
}

/**
 * Kills the server with SIGKILL under mixed writes, again and again on one folder, and after each restart holds it
 * against every acknowledged write. Indices change every few kills, so that learning a space is hit as well.
 */
export async function runKills(options: KillOptions): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'attune-kill-'))
  const dataDir = join(folder, 'data')
  const oracle = openOracle(options.seed, join(folder, 'acknowledged.log'))
  const promises = openPromises()
  const report: KillReport = {
    kills: 0,
    acknowledged: 0,
    documents: 0,
    sessions: 0,
    learning: { acknowledged: 0, entries: 0, events: 0 },
    refolded: 0,
    readyMsMax: 0,
    broken: [],
    folder,
  }
  while (report.kills < options.times && report.broken.length === 0) {
    const index = `t${Math.floor(report.kills / KILLS_PER_INDEX)}`
    const server = await start(oracle, dataDir, report)
    const service = openService(server.url, 32)
    try {
      await oneRound(oracle, service, server, { index, options, report, promises })
    } catch (error) {
      report.broken.push((error as Error).stack ?? String(error))
    } finally {
      await service.close()
      await server.kill()
    }
    report.kills += 1
  }
  if (report.broken.length === 0) {
    const audit = await auditJournal(promises, dataDir)
    report.refolded = audit.rows
    report.broken.push(...audit.broken)
    await verifyOnce(oracle, promises, dataDir, report)
  }
  report.broken.splice(BROKEN_MAX)
  if (report.broken.length === 0) rmSync(folder, { recursive: true, force: true })
  return report
}

interface Round {
  index: string
  options: KillOptions
  report: KillReport
  promises: Promises
}

async function oneRound(
  oracle: Oracle,
  service: Service,
  server: BenchServer,
  { index, options, report, promises }: Round,
): Promise<void> {
  const from = performance.now()
  report.broken.push(...(await findBroken(oracle, service)))
  report.broken.push(...(await findForgotten(promises, service)))
  const checkedMs = performance.now() - from
  await dropOldIndices(oracle, service, index)
  await loadLessons(service)
  const writing = startWriting(oracle, service, index)
  const learning = startLearning(promises, oracle.random, service)
  const writeMs = WRITE_MS_MIN + oracle.random() * (options.writeMsMax - WRITE_MS_MIN)
  await new Promise((resolve) => setTimeout(resolve, writeMs))
  if (oracle.random() < LIVE_CHECKS) {
    for (const clients of [writing, learning]) clients.stop()
    await Promise.all([writing.ended, learning.ended])
    report.broken.push(...(await checkLive(oracle, promises, service)))
  }
  await server.kill()
  await Promise.all([writing.ended, learning.ended])
  report.broken.push(...writing.wrong, ...learning.wrong)
  Object.assign(report, {
    acknowledged: oracle.acknowledged,
    documents: oracle.entries.size,
    sessions: oracle.sessions.length + promises.sessions.size,
    learning: summarize(promises),
  })
  options.say(
    `kill ${report.kills + 1}: ready in ${Math.round(server.readyMs)} ms, checked in ${Math.round(checkedMs)} ms, wrote for ${Math.round(writeMs)} ms, ${oracle.acknowledged} writes and ${promises.acknowledged} lessons acknowledged so far, refused ${JSON.stringify({ ...writing.refused, ...learning.refused })}`,
  )
}

/** What nobody waited for becomes searchable a little later. */
async function checkLive(oracle: Oracle, promises: Promises, service: Service): Promise<string[]> {
  const deadline = performance.now() + SEARCHABLE_MS_MAX
  for (;;) {
    const broken = await findBroken(oracle, service)
    if (broken.length > 0 && performance.now() < deadline) continue
    broken.push(...(await findForgotten(promises, service, { restarted: false })))
    return broken.map((sentence) => `before the kill: ${sentence}`)
  }
}

function summarize({ acknowledged, sessions, eventIds }: Promises): KillReport['learning'] {
  const told = [...sessions.values()].flatMap((session) => [...session.told.values()])
  return {
    acknowledged,
    entries: told.reduce((sum, count) => sum + count, 0),
    events: eventIds.size,
  }
}

/** Starts the server on the folder; now and then a start is killed first. */
async function start(oracle: Oracle, dataDir: string, report: KillReport): Promise<BenchServer> {
  const env = {
    SESSION_IDLE_MS: String(86_400_000),
    CHECKPOINT_MS: String(100 + Math.floor(oracle.random() * 2000)),
    LOG_LEVEL: 'info',
    ...LEARNING_ENV,
  }
  if (existsSync(dataDir) && oracle.random() < KILLED_STARTS) {
    const afterMs = oracle.random() * START_MS
    const started = (pid: number) => void setTimeout(() => killQuietly(pid), afterMs)
    await startServer({ dataDir, env, started }).then(
      (server) => server.kill(),
      () => undefined,
    )
    report.kills += 1
  }
  const server = await startServer({ dataDir, env })
  report.readyMsMax = Math.max(report.readyMsMax, server.readyMs)
  return server
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it was ready and killed before
  }
}

/** Deletes indices that are two behind: what is gone must stay gone. */
async function dropOldIndices(oracle: Oracle, service: Service, index: string): Promise<void> {
  const old = `t${Number(index.slice(1)) - 2}`
  if (![...oracle.entries.values()].some((entry) => entry.index === old)) return
  await must(service.call('DELETE', `/cortex/indices/${old}`))
  oracle.droppedIndices.push(old)
  for (const [key, entry] of oracle.entries) if (entry.index === old) oracle.entries.delete(key)
  oracle.dead = oracle.dead.filter((one) => one.index !== old)
}

async function verifyOnce(
  oracle: Oracle,
  promises: Promises,
  dataDir: string,
  report: KillReport,
): Promise<void> {
  const server = await start(oracle, dataDir, report)
  const service = openService(server.url)
  try {
    report.broken.push(...(await findBroken(oracle, service)))
    report.broken.push(...(await findForgotten(promises, service, { whole: true })))
  } finally {
    await service.close()
    await server.stop()
  }
}
