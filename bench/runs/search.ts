import { readCpuSeconds } from '../server.ts'
import { loadDocuments, waitUntilLearned, waitUntilSettled } from '../service.ts'
import type { Figure } from '../workload.ts'
import {
  checkSearch,
  cycle,
  INDEX,
  loadFigures,
  measureLoad,
  type RunContext,
  searchShots,
} from './run.ts'

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
      const report = await measureLoad(context, {
        connections,
        next: cycle(shots),
        check: checkSearch,
      })
      const cpuSeconds = readCpuSeconds(server.pid) - cpuBefore
      const requests =
        (report.requests * (workload.warmupMs + workload.measureMs)) / workload.measureMs
      const at = `${searchType} c${connections}`
      figures.push(...loadFigures(at, report, 'q/s'), {
        name: `${at} cpu`,
        value: (cpuSeconds * 1e6) / requests,
        unit: 'µs/query',
      })
      say(`${at}: ${Math.round(report.perSecond)} q/s, p99 ${report.kinds[0]?.p99Ms.toFixed(2)} ms`)
    }
  return figures
}
