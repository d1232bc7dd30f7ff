import { checkFeedback, ENTRIES, feedbackShots, openAudience, type Visit } from '../audience.ts'
import { type LoadReport, runLoad, type Shot } from '../client.ts'
import { runPaired, type SliceLatencies } from '../paired.ts'
import { type BenchServer, readCpuSeconds, startServer } from '../server.ts'
import { loadDocuments, openService, waitUntilLearned, waitUntilSettled } from '../service.ts'
import type { Figure } from '../workload.ts'
import { checkSearch, cycle, INDEX, type RunContext, refuseFailures, searchShots } from './run.ts'

const SLICES = 6
/** Before the first slice, on each side: V8 goes on compiling for about a minute, most of it where there is learning. */
const WARMUP_MS = 60_000
const WARMUP_CONNECTIONS = 8

interface Side {
  port: number
  pid: number
  searches: Shot[]
  /** Left to send. */
  feedback: Shot[]
}

/**
 * What learning costs a search: two servers with the same documents, one that learns while feedback comes in and one
 * that doesn't, in turns, with the same searches of known sessions; at each of the workload's numbers of connections.
 */
export async function runLearningCost(context: RunContext): Promise<Figure[]> {
  const { workload, server, service, say } = context
  const plain = await startServer({ env: { ...workload.settings, LEARNING: 'false' } })
  const plainService = openService(plain.url)
  try {
    const on = await fill(context, service, server)
    const off = await fill(context, plainService, plain)
    say('both servers hold the documents')
    await measureOn(context, on, WARMUP)
    await measure(context, off, WARMUP)
    const figures: Figure[] = []
    for (const connections of workload.connections) {
      say(`measuring at ${connections} connections`)
      figures.push(...(await compare(context, { connections, on, off })))
    }
    return figures
  } finally {
    await plainService.close()
    await plain.stop()
  }
}

interface Compared {
  connections: number
  on: Side
  off: Side
}

async function compare(context: RunContext, compared: Compared): Promise<Figure[]> {
  const { workload } = context
  const { connections, on, off } = compared
  const at = `c${connections}`
  const cpuSeconds = () => [on, off].map(({ pid }) => readCpuSeconds(pid))
  const cpu = cpuSeconds()
  const ran = await runPaired(
    SLICES,
    () => measureOn(context, on, sliceOf(context), connections),
    () => measure(context, off, sliceOf(context), connections),
  )
  const [cpuOn = 0, cpuOff = 0] = cpuSeconds().map((seconds, side) => seconds - (cpu[side] ?? 0))
  const perSearch = (seconds: number, { requests }: SliceLatencies) =>
    (seconds * 1e6 * workload.measureMs) / (requests * (workload.measureMs + workload.warmupMs))
  return [
    { name: `${at} on p50`, value: ran.first.p50Ms, unit: 'ms' },
    { name: `${at} on p99`, value: ran.first.p99Ms, unit: 'ms' },
    { name: `${at} off p50`, value: ran.second.p50Ms, unit: 'ms' },
    { name: `${at} off p99`, value: ran.second.p99Ms, unit: 'ms' },
    { name: `${at} p50, on / off`, value: ran.first.p50Ms / ran.second.p50Ms, unit: '' },
    { name: `${at} p99, on / off`, value: ran.first.p99Ms / ran.second.p99Ms, unit: '' },
    {
      name: `${at} on cpu, with its feedback`,
      value: perSearch(cpuOn, ran.first),
      unit: 'µs/query',
    },
    { name: `${at} off cpu`, value: perSearch(cpuOff, ran.second), unit: 'µs/query' },
    { name: `${at} searches, on / off`, value: ran.first.requests / ran.second.requests, unit: '' },
  ]
}

async function fill(
  { workload, material }: RunContext,
  service: RunContext['service'],
  { port, pid }: BenchServer,
): Promise<Side> {
  await loadDocuments(service, INDEX, material.documents())
  await waitUntilLearned(service, INDEX, material.count)
  await waitUntilSettled(service, INDEX)
  const runs = workload.connections.length
  const seconds = (WARMUP_MS + runs * (workload.warmupMs + workload.measureMs)) / 1000
  const requests = seconds * feedbackPerSecond(workload) + runs * SLICES + 1
  const audience = await openAudience(service, material.queries, requests)
  return {
    port,
    pid,
    searches: spread(audience, material.queries),
    feedback: feedbackShots(audience).shots,
  }
}

/** Every query once, by the sessions in turn. */
function spread(audience: Visit[][], queries: string[]): Shot[] {
  return queries.flatMap((query, number) => {
    const sessionId = audience[number % audience.length]?.[0]?.sessionId
    return searchShots([query], { searchType: 'hybrid', sessionId })
  })
}

interface Slice {
  warmupMs: number
  measureMs: number
}

/** What is measured must be more than nothing, also where nobody looks at it. */
const WARMUP: Slice = { warmupMs: WARMUP_MS / 2, measureMs: WARMUP_MS / 2 }

async function measureOn(
  context: RunContext,
  side: Side,
  slice: Slice,
  connections = WARMUP_CONNECTIONS,
): Promise<LoadReport> {
  const [searched, told] = await Promise.all([
    measure(context, side, slice, connections),
    runLoad({
      ...{ port: side.port, host: context.server.host },
      ...slice,
      connections: 4,
      next: () => side.feedback.shift(),
      ratePerSecond: feedbackPerSecond(context.workload),
      checkEvery: 1,
      check: checkFeedback,
    }),
  ])
  refuseFailures(told)
  return searched
}

async function measure(
  context: RunContext,
  side: Side,
  slice: Slice,
  connections = WARMUP_CONNECTIONS,
): Promise<LoadReport> {
  const report = await runLoad({
    ...{ port: side.port, host: context.server.host },
    ...slice,
    connections,
    next: cycle(side.searches),
    check: checkSearch,
  })
  refuseFailures(report)
  return report
}

function sliceOf({ workload }: RunContext): Slice {
  const { warmupMs, measureMs } = workload
  return { warmupMs: warmupMs / SLICES, measureMs: measureMs / SLICES }
}

/** Requests of feedback. */
function feedbackPerSecond({ entriesPerSecond = 200 }: RunContext['workload']): number {
  return entriesPerSecond / ENTRIES
}
