import { runLoad, type Shot } from '../client.ts'
import { median } from '../measures.ts'
import { linesShot } from '../request.ts'
import { must, waitUntilLearned } from '../service.ts'
import type { Figure } from '../workload.ts'
import { type RunContext, refuseFailures } from './run.ts'

const BATCH = 500
const ROUNDS = 3
const MINUTES_MAX_MS = 600_000

/**
 * Loads the whole collection into a fresh index, three times: documents a second from the first byte to the last 200,
 * after which every document must be found. The first round is the cold one (threads start, code warms up).
 */
export async function runBulk(context: RunContext): Promise<Figure[]> {
  const { workload, material, server, service, say } = context
  const rates: number[] = []
  const learned: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const index = `bulk-${round}`
    const shots = bulkShots(context, index)
    const startedAt = performance.now()
    const report = await runLoad({
      port: server.port,
      host: server.host,
      connections: workload.connections[0] ?? 2,
      next: () => shots.shift(),
      warmupMs: 0,
      measureMs: MINUTES_MAX_MS,
      checkEvery: 1,
      check: (body) => checkBulk(body),
    })
    const seconds = (performance.now() - startedAt) / 1000
    refuseFailures(report)
    const found = await must(
      service.call('POST', '/cortex/search', { index, query: '', searchType: 'text', size: 0 }),
    )
    if (found.total !== material.count)
      throw new Error(`${found.total} of ${material.count} documents are found after the last 200`)
    await waitUntilLearned(service, index, material.count)
    rates.push(material.count / seconds)
    learned.push((performance.now() - startedAt) / 1000)
    say(`round ${round + 1}: ${Math.round(material.count / seconds)} documents/s`)
  }
  return [
    {
      name: 'bulk rate',
      value: median(rates),
      unit: 'docs/s',
    },
    { name: 'bulk rate, cold', value: rates[0] ?? 0, unit: 'docs/s' },
    {
      name: 'until learned',
      value: median(learned),
      unit: 's',
    },
  ]
}

function bulkShots({ material }: RunContext, index: string): Shot[] {
  const rows = [...material.documents()].map(({ id, ...document }) => ({ id, document }))
  const shots: Shot[] = []
  for (let from = 0; from < rows.length; from += BATCH)
    shots.push(
      linesShot(
        `/api/cortex/documents/bulk?index=${index}`,
        rows.slice(from, from + BATCH),
        'bulk',
      ),
    )
  return shots
}

function checkBulk(body: unknown): string | undefined {
  const { succeeded, failed, items } = (
    body as { data: { succeeded: number; failed: number; items: { vectorized?: boolean }[] } }
  ).data
  if (failed > 0 || succeeded === 0) return `${failed} documents were refused`
  return items.every(({ vectorized }) => vectorized) ? undefined : 'a document has no vector'
}
