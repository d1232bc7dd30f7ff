import { openAudience, type Visit } from '../audience.ts'
import { loadDocuments, must, waitUntilLearned, waitUntilSettled } from '../service.ts'
import type { Figure } from '../workload.ts'
import { BATCH, makeEvent } from './analytics.ts'
import { INDEX, type RunContext } from './run.ts'

const SESSIONS = 1500
/** Requests of feedback for each session that an audience is asked for. */
const PER_SESSION = 4
/** Until what was sent is learned from, and saved. */
const SETTLE_MS = 6000

const NUMBERED = 'in tables of so many rows'
/** What bounds the rows of a table of the record store; for tables that stand in none, `RETENTION_MS` does. */
const BOUNDS: Record<string, string> = {
  impressions: 'for IMPRESSIONS_MAX',
  journal: 'for JOURNAL_BYTES_MAX',
  events: 'for EVENTS_MAX',
  attributions: 'for SESSION_ABSOLUTE_MS',
  lastSearches: NUMBERED,
  clickedSearches: NUMBERED,
  clickMemory: NUMBERED,
  modelStates: NUMBERED,
  queryPatterns: NUMBERED,
  reformulations: NUMBERED,
  feedbackSeen: 'for SESSION_ABSOLUTE_MS',
}
const OTHERS = 'for RETENTION_MS'

/** Bytes of the tables of the record store. */
type Tables = Map<string, number>

/** What a document, and what people do, leave on the disk, and what bounds how long it stays. */
export async function runDisk(context: RunContext): Promise<Figure[]> {
  const { material, service, say } = context
  await loadDocuments(service, INDEX, material.documents())
  await waitUntilLearned(service, INDEX, material.count)
  await waitUntilSettled(service, INDEX)
  const loaded = await settle(context)
  const { bytes } = await must(service.call('GET', `/cortex/indices/${INDEX}`))
  const stored = [...loaded.values()].reduce((sum, own) => sum + own, 0)
  say('the documents are there')
  const audience = await openAudience(service, material.queries, SESSIONS * PER_SESSION)
  const visits = audience.flat()
  const searched = await settle(context)
  say('the searches are made')
  await inLanes(context, visits, (visit) => click(context, visit))
  const clicked = await settle(context)
  say('each has a click')
  await inLanes(context, audience, ([visit]) => tell(context, visit))
  const told = await settle(context)
  return [
    { name: 'document, its index', value: bytes / material.count, unit: 'bytes' },
    { name: 'document, its record', value: stored / material.count, unit: 'bytes' },
    ...grown('search of a session', visits.length, [loaded, searched]),
    ...grown('click', visits.length, [searched, clicked]),
    ...grown('event', audience.length * BATCH, [clicked, told]),
  ]
}

function click({ service }: RunContext, { sessionId, queryId, shown }: Visit): Promise<unknown> {
  const metadata = { userAction: 'click', resultId: shown[0] }
  const feedback = [{ queryId, rating: 1, metadata }]
  return must(service.call('POST', '/cortex/feedback', { sessionId, feedback }))
}

function tell({ service }: RunContext, visit: Visit | undefined): Promise<unknown> {
  const { sessionId = '' } = visit ?? {}
  const events = Array.from({ length: BATCH }, (_, number) => makeEvent(sessionId, number))
  return must(service.call('POST', '/cortex/analytics/search', { events }))
}

async function inLanes<Item>(
  { workload }: RunContext,
  items: Item[],
  send: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await send(item)
  }
  await Promise.all(Array.from({ length: workload.connections[0] ?? 1 }, lane))
}

async function settle(context: RunContext): Promise<Tables> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  return readTables(context)
}

async function readTables({ server }: RunContext): Promise<Tables> {
  const page = await (await fetch(`${server.url}/metrics`)).text()
  const rows = page.matchAll(/^svc_store_table_bytes\{table="(\w+)"\} (\d+)/gm)
  return new Map(Array.from(rows, ([, table = '', bytes]) => [table, Number(bytes)]))
}

/** Growth of the tables by what bounds them, for each of `count`. */
function grown(name: string, count: number, [before, after]: [Tables, Tables]): Figure[] {
  const sums = new Map<string, number>()
  for (const [table, bytes] of after) {
    const bound = BOUNDS[table] ?? OTHERS
    sums.set(bound, (sums.get(bound) ?? 0) + bytes - (before.get(table) ?? 0))
  }
  return [...sums]
    .filter(([, bytes]) => bytes > 0)
    .map(([bound, bytes]) => ({ name: `${name}, ${bound}`, value: bytes / count, unit: 'bytes' }))
}
