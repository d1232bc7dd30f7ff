import { checkFeedback, ENTRIES, feedbackShots, openAudience } from '../audience.ts'
import { loadDocuments, must, waitUntilLearned, waitUntilSettled } from '../service.ts'
import type { Figure } from '../workload.ts'
import { INDEX, loadFigures, measureLoad, type RunContext } from './run.ts'

/** Requests that may be needed a second. */
const REQUESTS_PER_SECOND_MAX = 300

/**
 * Feedback in requests of 100 entries, each joined to a search that its session made; an answer means that
 * they are durable. Then the time until all of them are learned.
 */
export async function runFeedback(context: RunContext): Promise<Figure[]> {
  const { workload, material, service, say } = context
  const { connections, warmupMs, measureMs } = workload
  await loadDocuments(service, INDEX, material.documents())
  await waitUntilLearned(service, INDEX, material.count)
  await waitUntilSettled(service, INDEX)
  const figures: Figure[] = []
  for (const width of connections) {
    const requests = ((warmupMs + measureMs) / 1000) * REQUESTS_PER_SECOND_MAX
    const audience = await openAudience(service, material.queries, requests)
    const { shots } = feedbackShots(audience)
    say(`${audience.length} sessions have searched`)
    const report = await measureLoad(context, {
      connections: width,
      next: () => shots.shift(),
      checkEvery: 4,
      check: checkFeedback,
    })
    const answeredAt = performance.now()
    await must(service.call('GET', '/nous/learn/metrics'))
    figures.push(...loadFigures(`c${width}`, report, 'entries/s', ENTRIES), {
      name: `c${width} learned after`,
      value: performance.now() - answeredAt,
      unit: 'ms',
    })
    say(`c${width}: ${Math.round(report.perSecond * ENTRIES)} entries/s`)
  }
  return figures
}
