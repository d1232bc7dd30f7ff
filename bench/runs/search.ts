import { runLoad } from '../client.ts'
import { readCpuSeconds } from '../server.ts'
import { loadDocuments, waitUntilLearned, waitUntilSettled } from '../service.ts'
import type { Figure } from '../workload.ts'
import { checkSearch, cycle, INDEX, type RunContext, refuseFailures, searchShots } from './run.ts'

/** Each mode at each number of connections: all queries in turn, in a closed loop. */
export async function runSearch(context: RunContext): Promise<Figure[]> {
  const { workload, material, server, service, say } = context
  await loadDocuments(service, INDEX, material.documents())
  const state = await waitUntilLearned(service, INDEX, material.count)
  await waitUntilSettled(service, INDEX)
  say(`${state.documents} documents in, ${state.vectorSpace.kind} space`)
  const figures: Figure[] = []
  for (const searchType of workload.searchTypes ?? ['hybrid'])
    for (const connections of workload.connections) {
      const shots = searchShots(material.queries, { ...workload.request, searchType })
      const cpuBefore = readCpuSeconds(server.pid)
      const report = await runLoad({
        port: server.port,
        host: server.host,
        connections,
        next: cycle(shots),
        warmupMs: workload.warmupMs,
        measureMs: workload.measureMs,
        check: checkSearch,
      })
      refuseFailures(report)
      const cpuSeconds = readCpuSeconds(server.pid) - cpuBefore
      const row = report.kinds[0]
      const requests =
        (report.requests * (workload.warmupMs + workload.measureMs)) / workload.measureMs
      const at = `${searchType} c${connections}`
      figures.push(
        { name: `${at} rate`, value: report.perSecond, unit: 'q/s' },
        { name: `${at} p50`, value: row?.p50Ms ?? 0, unit: 'ms' },
        { name: `${at} p99`, value: row?.p99Ms ?? 0, unit: 'ms' },
        { name: `${at} cpu`, value: (cpuSeconds * 1e6) / requests, unit: 'µs/query' },
      )
      say(`${at}: ${Math.round(report.perSecond)} q/s, p99 ${row?.p99Ms.toFixed(2)} ms`)
    }
  return figures
}
