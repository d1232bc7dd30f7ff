import type { Shot } from '../client.ts'
import { jsonShot } from '../request.ts'
import { must } from '../service.ts'
import type { Figure } from '../workload.ts'
import { cycle, loadFigures, measureLoad, type RunContext } from './run.ts'

const SESSIONS = 200
/** Events of a request. */
export const BATCH = 100

/** Analytics events of known sessions, one a request and a hundred a request; an answer means that they are durable. */
export async function runAnalytics(context: RunContext): Promise<Figure[]> {
  const { workload, say } = context
  const sessions = await openSessions(context)
  const single = sessions.map((sessionId) => send(makeEvent(sessionId, 0)))
  const batches = sessions.map((sessionId) =>
    send({ events: Array.from({ length: BATCH }, (_, number) => makeEvent(sessionId, number)) }),
  )
  const figures: Figure[] = []
  for (const connections of workload.connections)
    for (const [name, shots, events] of [
      ['single', single, 1],
      ['batches', batches, BATCH],
    ] as const) {
      const report = await measureLoad(context, {
        connections,
        next: cycle(shots),
        check: checkReceipt,
      })
      const at = `${name} c${connections}`
      const behind = {
        name: `${at} yet to learn`,
        value: await readBehind(context),
        unit: 'events',
      }
      figures.push(...loadFigures(at, report, 'events/s', events), behind)
      say(`${at}: ${Math.round(report.perSecond * events)} events/s`)
    }
  return figures
}

/** Entries of the journal that learning has yet to take. */
async function readBehind({ server }: RunContext): Promise<number> {
  const page = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^svc_learning_loop_behind (\d+)/m.exec(page)?.[1])
}

async function openSessions({ service }: RunContext): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < SESSIONS; number++)
    ids.push((await must(service.call('POST', '/cortex/sessions', {}))).sessionId)
  return ids
}

/** One event that belongs to the session. */
export function makeEvent(sessionId: string, number: number): object {
  return {
    sessionId,
    eventType: 'results_shown',
    query: `query ${number}`,
    results: [{ id: `document-${number}`, position: 1 }],
    userActions: [{ action: 'scroll', depth: 0.4 }],
    performance: { renderMs: 41 },
  }
}

function send(body: object): Shot {
  return jsonShot('POST', '/api/cortex/analytics/search', body, 'analytics')
}

interface Receipt {
  processed?: boolean
  unmatched?: boolean
}

function checkReceipt(body: unknown): string | undefined {
  const { data } = body as { data: Receipt & { events?: Receipt[] } }
  const receipts = data.events ?? [data]
  return receipts.every(({ processed, unmatched }) => processed === true && unmatched !== true)
    ? undefined
    : 'an event was not processed, or belongs to no session'
}
