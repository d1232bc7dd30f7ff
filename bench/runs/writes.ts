import { runLoad } from '../client.ts'
import { jsonShot } from '../request.ts'
import { type IndexState, loadDocuments, must, waitUntilLearned } from '../service.ts'
import type { Figure } from '../workload.ts'
import { cycle, INDEX, type RunContext, refuseFailures } from './run.ts'

interface Written {
  data: { id: string; vectorized: boolean }
}

/**
 * Single documents into an index that already holds the collection: each answer is one durable document, searchable
 * too unless `refresh` is false. Afterwards the index must hold exactly what was answered.
 */
export async function runWrites(context: RunContext): Promise<Figure[]> {
  const { workload, material, server, service, say } = context
  await loadDocuments(service, INDEX, material.documents())
  await waitUntilLearned(service, INDEX, material.count)
  const refresh = workload.refresh !== false
  const path = `/api/cortex/documents${refresh ? '' : '?refresh=false'}`
  const shots = [...material.documents()].map(({ id: _, ...document }) =>
    jsonShot('POST', path, { index: INDEX, document }, 'write'),
  )
  let sent = 0
  const next = cycle(shots)
  const figures: Figure[] = []
  for (const connections of workload.connections) {
    const report = await runLoad({
      port: server.port,
      host: server.host,
      connections,
      next: () => {
        sent += 1
        return next()
      },
      warmupMs: workload.warmupMs,
      measureMs: workload.measureMs,
      checkEvery: 16,
      check: (body) => {
        const { id, vectorized } = (body as Written).data
        if (typeof id !== 'string') return 'no id'
        return refresh && !vectorized ? 'not searchable by its vector' : undefined
      },
    })
    refuseFailures(report)
    const row = report.kinds[0]
    figures.push(
      { name: `c${connections} rate`, value: report.perSecond, unit: 'docs/s' },
      { name: `c${connections} p50`, value: row?.p50Ms ?? 0, unit: 'ms' },
      { name: `c${connections} p99`, value: row?.p99Ms ?? 0, unit: 'ms' },
    )
    say(`c${connections}: ${Math.round(report.perSecond)} documents/s`)
  }
  await mustHold(context, material.count + sent)
  return figures
}

async function mustHold({ service }: RunContext, documents: number): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const state = (await must(service.call('GET', `/cortex/indices/${INDEX}`))) as IndexState
    if (state.documents === documents) return
    if (performance.now() > deadline || state.documents > documents)
      throw new Error(`The index holds ${state.documents} documents, ${documents} were answered.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
