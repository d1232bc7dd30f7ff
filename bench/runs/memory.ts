import { runLoad } from '../client.ts'
import { readMemory } from '../server.ts'
import { loadDocuments, must, waitUntilLearned } from '../service.ts'
import type { Figure } from '../workload.ts'
import { checkSearch, cycle, INDEX, type RunContext, refuseFailures, searchShots } from './run.ts'

/** Long enough for a checkpoint and for threads that idle to give back what they hold. */
const SETTLE_MS = 12_000

/** Resident memory before anything, after loading and learning, after every query in every mode, and under load. */
export async function runMemory(context: RunContext): Promise<Figure[]> {
  const { material, server, service, say } = context
  const megabytes = () => readMemory(server.pid).residentBytes / 2 ** 20
  const empty = megabytes()
  await loadDocuments(service, INDEX, material.documents())
  await waitUntilLearned(service, INDEX, material.count)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const loaded = megabytes()
  const anonymous = readMemory(server.pid).anonymousBytes / 2 ** 20
  say(`${Math.round(loaded)} MB after loading`)
  for (const searchType of ['text', 'vector', 'hybrid'])
    for (const query of material.queries)
      await must(service.call('POST', '/cortex/search', { index: INDEX, query, searchType }))
  const searched = megabytes()
  await searchOn(context)
  const loadedOn = megabytes()
  const peak = readMemory(server.pid).peakBytes / 2 ** 20
  return [
    { name: 'empty', value: empty, unit: 'MB' },
    { name: 'loaded', value: loaded, unit: 'MB' },
    { name: 'loaded, anonymous', value: anonymous, unit: 'MB' },
    { name: 'searched', value: searched, unit: 'MB' },
    { name: 'after searches under load', value: loadedOn, unit: 'MB' },
    { name: 'peak', value: peak, unit: 'MB' },
  ]
}

/** What every search leaves behind shows only after tens of thousands. */
async function searchOn({ workload, server, material }: RunContext): Promise<void> {
  const report = await runLoad({
    ...{ port: server.port, host: server.host },
    ...{ warmupMs: workload.warmupMs, measureMs: workload.measureMs },
    connections: workload.connections[0] ?? 8,
    next: cycle(searchShots(material.queries, { searchType: 'hybrid' })),
    check: checkSearch,
  })
  refuseFailures(report)
}
