import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchServer, startServer } from '../../bench/server.ts'
import { openService, type Service } from '../../bench/service.ts'
import { loadLessons, startLearning } from './learner.ts'
import { type Oracle, openOracle } from './oracle.ts'
import { openPromises, type Promises } from './promises.ts'
import { findBroken } from './verify.ts'
import { findForgotten } from './verify-learning.ts'
import { startWriting } from './writer.ts'

/** Which calls of the server to the system go wrong: how, and which one of them. */
export interface FaultOptions {
  seed: number
  say: (line: string) => void
}

/** What came of them. `hit` counts faults that really came about. */
export interface FaultReport {
  faults: number
  hit: number
  broken: string[]
  folder: string
}

interface Fault {
  call: string
  effect: 'EIO' | 'ENOSPC' | 'SIGKILL'
  when: number
}

const INDEX = 'faults'
const WRITE_MS = 2000
/** A commit that hangs is given up after 20 s; nobody may wait much longer. */
const ANSWER_MS_MAX = 40_000
const ATTACH_MS_MAX = 10_000
/** Answers that are clear about a disk that fails. */
const CLEAR = ['STORE_UNAVAILABLE', 'DISK_FULL', 'OVERLOADED', 'STOPPING']
const BROKEN_MAX = 20

/**
 * Calls of the record store, and those that make files of an index durable. Calls are counted by the thread, and the
 * store syncs from whichever is free.
 */
const STORE_CALLS = { fdatasync: [1, 2], pwrite64: [1, 3, 8] } as const
const FILE_CALLS = ['fsync', 'rename'] as const
const EFFECTS = ['EIO', 'ENOSPC', 'SIGKILL'] as const
const FAULTS: readonly Fault[] = EFFECTS.flatMap((effect) => [
  ...Object.entries(STORE_CALLS).flatMap(([call, numbers]) =>
    numbers.map((when) => ({ call, effect, when })),
  ),
  ...FILE_CALLS.map((call) => ({ call, effect, when: 1 })),
])

/** Whether the tool is there that makes calls go wrong. */
export function canFault(): boolean {
  return spawnSync('strace', ['-V']).status === 0
}

/**
 * Makes the N-th call of one kind go wrong in a running server, under writes and lessons: it must say so clearly or
 * end, and after the next start everything that it acknowledged must be there.
 */
export async function runFaults({ seed, say }: FaultOptions): Promise<FaultReport> {
  const folder = mkdtempSync(join(tmpdir(), 'attune-faults-'))
  const oracle = openOracle(seed, join(folder, 'acknowledged.log'))
  const run: Run = { folder, oracle, promises: openPromises() }
  const report: FaultReport = { faults: 0, hit: 0, broken: [], folder }
  for (const fault of FAULTS) {
    const { line, hit, broken } = await oneFault(run, fault)
    report.faults += 1
    report.hit += hit ? 1 : 0
    report.broken.push(...broken)
    say(`${fault.call} ${fault.when} ${fault.effect}: ${line}`)
    if (report.broken.length > 0) break
  }
  report.broken.splice(BROKEN_MAX)
  if (report.broken.length === 0) rmSync(folder, { recursive: true, force: true })
  return report
}

interface Run {
  folder: string
  oracle: Oracle
  promises: Promises
}

async function oneFault(run: Run, fault: Fault) {
  const broken: string[] = []
  const server = await start(run)
  const service = openService(server.url, 32)
  await loadLessons(service)
  // A conflict from the second time on.
  await service.call('POST', '/cortex/indices', { name: INDEX })
  const trace = join(run.folder, 'trace')
  const strace = await attach(server, fault, trace)
  const { refused, hung } = await traffic(run, service)
  if (hung) broken.push(`${fault.call} ${fault.effect}: a request was never answered`)
  const unclear = Object.keys(refused).filter((code) => !CLEAR.includes(code))
  if (unclear.length > 0) broken.push(`${fault.call} ${fault.effect}: answered ${unclear}`)
  await service.close()
  await strace.detach()
  const code = await server.stop()
  const hit = existsSync(trace) && /INJECTED|SIGKILL/.test(readFileSync(trace, 'utf8'))
  // A disk that gave an error once is not trusted with another commit.
  if (hit && fault.effect === 'EIO' && fault.call in STORE_CALLS && code === 0)
    broken.push(`${fault.call} EIO: the server went on`)
  broken.push(...(await verify(run)))
  const counts = JSON.stringify(refused)
  const line = `${hit ? 'hit' : 'not hit'}, refused ${counts}, exit code ${code}, ${run.oracle.acknowledged + run.promises.acknowledged} acknowledged so far`
  return { line, hit, broken }
}

function start({ folder }: Run): Promise<BenchServer> {
  const env = { SESSION_IDLE_MS: String(86_400_000), CHECKPOINT_MS: '300', LOG_LEVEL: 'info' }
  return startServer({ dataDir: join(folder, 'data'), env })
}

async function attach(
  { pid }: BenchServer,
  { call, effect, when }: Fault,
  trace: string,
): Promise<{ detach: () => Promise<unknown> }> {
  rmSync(trace, { force: true })
  const what = effect === 'SIGKILL' ? 'signal=SIGKILL' : `error=${effect}`
  const inject = `inject=${call}:${what}:when=${when}`
  const args = ['-f', '-p', String(pid), '-o', trace, '-e', `trace=${call}`, '-e', inject]
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  // It ends with the server, too.
  const gone = once(strace, 'exit')
  const timer = setTimeout(() => strace.kill('SIGKILL'), ATTACH_MS_MAX)
  // Read on to the end: it would die of a pipe that nobody reads.
  await new Promise<void>((resolve) => {
    strace.stderr.on('data', (chunk) => {
      if (/attached/.test(String(chunk))) resolve()
    })
    strace.stderr.on('end', resolve)
  })
  clearTimeout(timer)
  return {
    detach: () => {
      strace.kill('SIGINT')
      return gone
    },
  }
}

async function traffic({ oracle, promises }: Run, service: Service) {
  const clients = [
    startWriting(oracle, service, INDEX, 4),
    startLearning(promises, oracle.random, service, 3),
  ]
  await new Promise((resolve) => setTimeout(resolve, WRITE_MS))
  for (const each of clients) each.stop()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), ANSWER_MS_MAX)
  })
  const ended = Promise.all(clients.map((each) => each.ended)).then(() => false)
  const hung = await Promise.race([ended, late])
  clearTimeout(timer)
  return { refused: Object.assign({}, ...clients.map((each) => each.refused)), hung }
}

async function verify(run: Run): Promise<string[]> {
  const server = await start(run)
  const service = openService(server.url)
  try {
    const broken = await findBroken(run.oracle, service)
    return [...broken, ...(await findForgotten(run.promises, service))]
  } finally {
    await service.close()
    await server.stop()
  }
}
