import type { IndexInfo } from '../../src/schema/indices.ts'
import { jsonShot } from '../request.ts'
import { loadDocuments, must, waitUntilLearned } from '../service.ts'
import type { Figure } from '../workload.ts'
import { cycle, INDEX, loadFigures, measureLoad, type RunContext } from './run.ts'

interface Written {
  data: { id: string; vectorized: boolean }
}

/**
 * Single documents into an index that already holds the collection: each answer is one durable document, searchable
 * too unless `refresh` is false. Afterwards the index must hold exactly what was answered.
 */
export async function runWrites(context: RunContext): Promise<Figure[]> {
  const { workload, material, service, say } = context
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
    const report = await measureLoad(context, {
      connections,
      next: () => {
        sent += 1
        return next()
      },
      checkEvery: 16,
      check: (body) => {
        const { id, vectorized } = (body as Written).data
        if (typeof id !== 'string') return 'no id'
        return refresh && !vectorized ? 'not searchable by its vector' : undefined
      },
    })
    figures.push(...loadFigures(`c${connections}`, report, 'docs/s'))
    say(`c${connections}: ${Math.round(report.perSecond)} documents/s`)
  }
  await mustHold(context, material.count + sent)
  return figures
}

async function mustHold({ service }: RunContext, documents: number): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const state = (await must(service.call('GET', `/cortex/indices/${INDEX}`))) as IndexInfo
    if (state.documents === documents) return
    if (performance.now() > deadline || state.documents > documents)
      throw new Error(`The index holds ${state.documents} documents, ${documents} were answered.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
