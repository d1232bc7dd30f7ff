import { readMemory } from '../server.ts'
import { loadDocuments, must, waitUntilLearned } from '../service.ts'
import type { Figure } from '../workload.ts'
import { checkSearch, cycle, INDEX, measureLoad, type RunContext, searchShots } from './run.ts'

/** Long enough for a checkpoint and for threads that idle to give back what they hold. */
const SETTLE_MS = 12_000

/** Resident memory before anything, after loading and learning, after every query in every mode, and under load. */
export async function runMemory(context: RunContext): Promise<Figure[]> {
  const { workload, material, server, service, say } = context
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
  // What every search leaves behind shows only after tens of thousands.
  const next = cycle(searchShots(material.queries, { searchType: 'hybrid' }))
  const connections = workload.connections[0] ?? 8
  await measureLoad(context, { connections, next, check: checkSearch })
  const underLoad = megabytes()
  const peak = readMemory(server.pid).peakBytes / 2 ** 20
  return [
    { name: 'empty', value: empty, unit: 'MB' },
    { name: 'loaded', value: loaded, unit: 'MB' },
    { name: 'loaded, anonymous', value: anonymous, unit: 'MB' },
    { name: 'searched', value: searched, unit: 'MB' },
    { name: 'after searches under load', value: underLoad, unit: 'MB' },
    { name: 'peak', value: peak, unit: 'MB' },
  ]
}
