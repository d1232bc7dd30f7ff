import {
  checkFeedback,
  ENTRIES,
  feedbackShots,
  openAudience,
  type Visit,
  visit,
} from '../audience.ts'
import { runLoad } from '../client.ts'
import { readHistogram } from '../histogram.ts'
import { percentile } from '../measures.ts'
import {
  loadDocuments,
  must,
  type Service,
  waitUntilLearned,
  waitUntilSettled,
} from '../service.ts'
import type { Figure } from '../workload.ts'
import { checkSearch, cycle, INDEX, type RunContext, refuseFailures, searchShots } from './run.ts'

/** Half of the queries carry the load, the other half is for probes: nobody else teaches those. */
const PROBE_SHARE = 0.5
/** Added to a query it makes another one that nobody has asked yet. */
const ENDINGS = ['', ' evidence', ' study', ' effects', ' patients', ' cells']
const POLL_MS = 5
const PROBE_MS_MAX = 30_000
/** A hit that was read for so long was a good one. */
const DWELL_MS = 60_000

/**
 * Feedback at a steady rate beside searches in a closed loop. Meanwhile one session after another says of the last
 * hit of a query of its own that it was good, and another session searches until it sees another order.
 */
export async function runLearningLag(context: RunContext): Promise<Figure[]> {
  const { workload, material, server, service, say } = context
  const { warmupMs, measureMs, connections, entriesPerSecond = 1000 } = workload
  await loadDocuments(service, INDEX, material.documents())
  await waitUntilLearned(service, INDEX, material.count)
  await waitUntilSettled(service, INDEX)
  const split = Math.floor(material.queries.length * PROBE_SHARE)
  const loadQueries = material.queries.slice(split)
  const probes = ENDINGS.flatMap((ending) =>
    material.queries.slice(0, split).map((query) => query + ending),
  )
  const perSecond = entriesPerSecond / ENTRIES
  const requests = ((warmupMs + measureMs) / 1000) * perSecond + 1
  const audience = await openAudience(service, loadQueries, requests)
  const { shots } = feedbackShots(audience)
  say(`${audience.length} sessions have searched`)
  const common = { port: server.port, host: server.host, warmupMs, measureMs }
  const [told, searched, lags] = await Promise.all([
    runLoad({
      ...common,
      connections: 16,
      next: () => shots.shift(),
      ratePerSecond: perSecond,
      checkEvery: 1,
      check: checkFeedback,
    }),
    runLoad({
      ...common,
      connections: connections[0] ?? 4,
      next: cycle(searchShots(loadQueries, { sessionId: audience[0]?.[0]?.sessionId })),
      check: checkSearch,
    }),
    probe(service, probes, performance.now() + warmupMs + measureMs),
  ])
  refuseFailures(told)
  refuseFailures(searched)
  const page = await (await fetch(`${server.url}/metrics`)).text()
  const loop = readHistogram(page, 'svc_learning_loop_lag_seconds')
  const search = searched.kinds[0]
  say(`${lags.length} probes`)
  return [
    { name: 'lag p50', value: percentile(lags, 0.5), unit: 'ms' },
    { name: 'lag p99', value: percentile(lags, 0.99), unit: 'ms' },
    { name: 'lag max', value: lags.at(-1) ?? 0, unit: 'ms' },
    { name: 'probes', value: lags.length, unit: '' },
    {
      name: 'loop lag p50, as the service counts it',
      value: 1000 * loop.quantile(0.5),
      unit: 'ms',
    },
    {
      name: 'loop lag p99, as the service counts it',
      value: 1000 * loop.quantile(0.99),
      unit: 'ms',
    },
    { name: 'feedback rate', value: told.perSecond * ENTRIES, unit: 'entries/s' },
    { name: 'feedback p99', value: told.kinds[0]?.p99Ms ?? 0, unit: 'ms' },
    { name: 'search rate', value: searched.perSecond, unit: 'q/s' },
    { name: 'search p99', value: search?.p99Ms ?? 0, unit: 'ms' },
  ]
}

/** Probes one query after another until the time is over; answers the lags in milliseconds, ascending. */
async function probe(service: Service, queries: string[], until: number): Promise<number[]> {
  const lags: number[] = []
  for (const query of queries) {
    if (performance.now() > until) break
    const lag = await probeOnce(service, query)
    if (lag !== undefined) lags.push(lag)
  }
  if (lags.length === 0) throw new Error('No probe came to its end.')
  return lags.sort((a, b) => a - b)
}

/** From the moment the feedback is sent until another session sees another order; undefined: too few hits. */
async function probeOnce(service: Service, query: string): Promise<number | undefined> {
  const teller = await visit(service, await openSession(service), query)
  const watcher = await openSession(service)
  const before = (await visit(service, watcher, query)).shown.join()
  if (teller.shown.length < 2) return undefined
  const sentAt = performance.now()
  await must(service.call('POST', '/cortex/feedback', praise(teller)))
  for (;;) {
    const now = (await visit(service, watcher, query)).shown.join()
    const lag = performance.now() - sentAt
    if (now !== before) return lag
    if (lag > PROBE_MS_MAX) throw new Error(`"${query}" kept its order for ${PROBE_MS_MAX} ms`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function praise({ sessionId, queryId, shown }: Visit): object {
  const customMetadata = { position: shown.length, dwellTime: DWELL_MS }
  const metadata = { userAction: 'click', resultId: shown.at(-1), customMetadata }
  return { sessionId, feedback: [{ queryId, rating: 1, metadata }] }
}

async function openSession(service: Service): Promise<string> {
  return (await must(service.call('POST', '/cortex/sessions', {}))).sessionId
}
