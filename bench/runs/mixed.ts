import { runLoad } from '../client.ts'
import { jsonShot } from '../request.ts'
import { loadDocuments, waitUntilLearned } from '../service.ts'
import type { Figure } from '../workload.ts'
import { checkSearch, cycle, INDEX, type RunContext, refuseFailures, searchShots } from './run.ts'

/** Searches as fast as they are answered, beside single writes that arrive at a steady rate. */
export async function runMixed(context: RunContext): Promise<Figure[]> {
  const { workload, material, server, service } = context
  await loadDocuments(service, INDEX, material.documents())
  await waitUntilLearned(service, INDEX, material.count)
  const { writesPerSecond = 100, warmupMs, measureMs, connections } = workload
  const writes = [...material.documents()].map(({ id: _, ...document }) =>
    jsonShot('POST', '/api/cortex/documents', { index: INDEX, document }, 'write'),
  )
  const searches = searchShots(material.queries, { ...workload.request, searchType: 'hybrid' })
  const common = { port: server.port, host: server.host, warmupMs, measureMs }
  const [searched, written] = await Promise.all([
    runLoad({
      ...common,
      connections: connections[0] ?? 8,
      next: cycle(searches),
      check: checkSearch,
    }),
    runLoad({
      ...common,
      connections: 64,
      next: cycle(writes),
      ratePerSecond: writesPerSecond,
      check: () => undefined,
    }),
  ])
  refuseFailures(searched)
  refuseFailures(written)
  const [search, write] = [searched.kinds[0], written.kinds[0]]
  return [
    { name: 'search rate', value: searched.perSecond, unit: 'q/s' },
    { name: 'search p50', value: search?.p50Ms ?? 0, unit: 'ms' },
    { name: 'search p99', value: search?.p99Ms ?? 0, unit: 'ms' },
    { name: 'write rate', value: written.perSecond, unit: 'docs/s' },
    { name: 'write p50', value: write?.p50Ms ?? 0, unit: 'ms' },
    { name: 'write p99', value: write?.p99Ms ?? 0, unit: 'ms' },
  ]
}
