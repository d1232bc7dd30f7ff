import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '../../bench/server.ts'
import { must, openService, type Service } from '../../bench/service.ts'
import { randomOf } from '../../bench/synthetic.ts'
import { LESSONS, loadLessons, startLearning } from './learner.ts'
import { openPromises, type Promises } from './promises.ts'
import { findForgotten } from './verify-learning.ts'

/** What came of a disk that was full for a while. */
export interface FullReport {
  /** Requests refused while it was full, by their code. */
  refused: Record<string, number>
  /** Impressions dropped meanwhile. */
  dropped: number
  /** Until the first write was taken after there was room again. */
  resumedMs: number
  broken: string[]
}

const DISK = 'size=128m'
const TRAFFIC_MS = 2000
const FULL_MS = 4000
/** Whoever asks while the disk is full is answered soon, whatever the answer. */
const ANSWER_MS_MAX = 5000
const RESUME_MS_MAX = 15_000
/** Searches whose impressions must be dropped. */
const SEARCHES = 50

/**
 * Fills the server's disk under searches and feedback: feedback must be refused as such, searches go on, what they
 * showed is dropped and counted; with room again, learning goes on and has all that was acknowledged. Undefined where
 * no disk may be mounted.
 */
export async function runFull(options: {
  seed: number
  say: (line: string) => void
}): Promise<FullReport | undefined> {
  const disk = mkdtempSync(join(tmpdir(), 'attune-full-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', DISK, 'attune-full', disk]).status !== 0)
    return undefined
  const promises = openPromises()
  const report: FullReport = { refused: {}, dropped: 0, resumedMs: 0, broken: [] }
  try {
    await fillAndFree(promises, disk, options, report)
    const server = await startServer({ dataDir: join(disk, 'data') })
    const service = openService(server.url)
    report.broken.push(...(await findForgotten(promises, service, { whole: true })))
    await service.close()
    await server.stop()
    return report
  } finally {
    spawnSync('umount', ['--lazy', disk])
    rmSync(disk, { recursive: true, force: true })
  }
}

async function fillAndFree(
  promises: Promises,
  disk: string,
  { seed, say }: { seed: number; say: (line: string) => void },
  report: FullReport,
): Promise<void> {
  const server = await startServer({ dataDir: join(disk, 'data') })
  const service = openService(server.url, 32)
  await loadLessons(service)
  const learning = startLearning(promises, randomOf(seed), service)
  await sleep(TRAFFIC_MS)
  say(`${promises.acknowledged} requests acknowledged before the disk is full`)
  const { sessionId } = await must(service.call('POST', '/cortex/sessions', {}))
  const filler = join(disk, 'filler')
  fill(filler)
  await sleep(FULL_MS)
  report.broken.push(...(await askWhileFull(service, sessionId)))
  const figures = await answered(service, 'GET', '/nous/learn/metrics')
  report.dropped = figures.data?.impressions.dropped ?? 0
  if (report.dropped < SEARCHES)
    report.broken.push(`only ${report.dropped} impressions were dropped`)
  report.refused = { ...learning.refused }
  say(`while full: refused ${JSON.stringify(report.refused)}, ${report.dropped} dropped`)
  rmSync(filler)
  report.resumedMs = await resume(service, report)
  say(`room again: the first write was taken after ${report.resumedMs} ms`)
  await sleep(TRAFFIC_MS)
  learning.stop()
  await learning.ended
  report.broken.push(...learning.wrong)
  report.broken.push(...(await findForgotten(promises, service, { whole: true, restarted: false })))
  await service.close()
  await server.stop()
}

/** Writes until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (let chunk = Buffer.alloc(1 << 20); chunk.length > 512; ) {
      try {
        writeSync(file, chunk)
      } catch {
        chunk = chunk.subarray(0, chunk.length / 2)
      }
    }
  } finally {
    closeSync(file)
  }
}

async function askWhileFull(service: Service, sessionId: string): Promise<string[]> {
  const search = { index: LESSONS, query: 'the', sessionId }
  const expected: [number, string, string, unknown?][] = [
    [200, 'POST', '/cortex/search', search],
    [507, 'POST', '/cortex/feedback', feedbackOf(sessionId)],
    [507, 'POST', '/cortex/analytics/search', { eventType: 'scroll', sessionId }],
    [200, 'GET', `/cortex/sessions/${sessionId}/analytics`],
    [200, 'GET', '/nous/learn/metrics'],
    [200, 'GET', '/nous/learn/events'],
    [200, 'GET', '/nous/adaptations'],
    [200, 'GET', '/cortex/analytics/reports'],
  ]
  const broken: string[] = []
  for (let number = 0; number < SEARCHES; number++)
    expected.push([200, 'POST', '/cortex/search', search])
  for (const [status, method, path, body] of expected) {
    const from = performance.now()
    const reply = await answered(service, method, path, body)
    const tookMs = Math.round(performance.now() - from)
    if (reply.status !== status || tookMs > ANSWER_MS_MAX)
      broken.push(`while full: ${method} ${path} answered ${reply.status} after ${tookMs} ms`)
  }
  return broken
}

/** Feedback of a search that nobody made: stored, and teaches nothing. */
function feedbackOf(sessionId: string): object {
  const queryId = '01900000-0000-7000-8000-000000000002'
  return { sessionId, feedback: [{ queryId, rating: 1, metadata: { userAction: 'view' } }] }
}

async function answered(service: Service, method: string, path: string, body?: unknown) {
  return service.call(method, path, body).catch(() => ({ status: 0, data: undefined }))
}

/** Asks with a metric, which counts for nobody. */
async function resume(service: Service, report: FullReport): Promise<number> {
  const from = performance.now()
  for (;;) {
    const probe = { name: 'torture_probe', type: 'gauge', value: 1 }
    const { status } = await answered(service, 'POST', '/cortex/metrics', probe)
    const tookMs = Math.round(performance.now() - from)
    if (status === 200) return tookMs
    if (tookMs > RESUME_MS_MAX) {
      report.broken.push(`nothing was written ${tookMs} ms after there was room`)
      return tookMs
    }
    await sleep(50)
  }
}
