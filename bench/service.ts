import { Pool } from 'undici'
import type { IndexInfo } from '../src/schema/indices.ts'
import type { BenchDocument } from './beir.ts'
import { Refusal } from './refusal.ts'

/** What an answer's envelope holds. `status` is HTTP's. */
// biome-ignore lint/suspicious/noExplicitAny: replies of every route pass here; the callers know their shapes
export type Reply = { status: number; data: any; error?: string; code?: string }

/** The service as a careful client sees it: one call per request, nothing retried. */
export interface Service {
  call: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** The same with an NDJSON body. */
  sendLines: (path: string, rows: unknown[]) => Promise<Reply>
  close: () => Promise<void>
}

const FAST_POLL_MS = 25

/** Polls until nothing is being learned, merged or linked any more. */
export async function waitUntilSettled(
  service: Service,
  index: string,
  deadlineMs = 600_000,
): Promise<void> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const { settled } = (await must(service.call('GET', `/cortex/indices/${index}`))) as IndexInfo
    if (settled) return
    if (performance.now() > deadline) throw new Error('The index did not come to rest.')
    await new Promise((resolve) => setTimeout(resolve, 10 * FAST_POLL_MS))
  }
}

/** Opens a client for the address that a server printed (it ends in /api). */
export function openService(url: string, connections = 16): Service {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const send = async (
    method: string,
    path: string,
    type: string,
    body?: string,
  ): Promise<Reply> => {
    const reply = await pool.request({
      method: method as 'GET',
      path: pathname + path,
      ...(body === undefined ? {} : { body, headers: { 'content-type': type } }),
    })
    const text = await reply.body.text()
    return { ...(JSON.parse(text) as Reply), status: reply.statusCode }
  }
  return {
    call: (method, path, body) =>
      send(method, path, 'application/json', body === undefined ? undefined : JSON.stringify(body)),
    sendLines: (path, rows) =>
      send(
        'POST',
        path,
        'application/x-ndjson',
        rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      ),
    close: () => pool.destroy(),
  }
}

/** The answer's data; throws an Error with the service's own sentence when the status is not 200. */
export async function must(reply: Promise<Reply>): Promise<Reply['data']> {
  const { status, data, error, code } = await reply
  if (status !== 200) throw new Error(`status ${status} ${code ?? ''}: ${error ?? 'no sentence'}`)
  return data
}

/** Writes documents in NDJSON requests of `batch` each, `lanes` at a time. Throws a Refusal when any is refused. */
export async function loadDocuments(
  service: Service,
  index: string,
  documents: Iterable<BenchDocument & Record<string, unknown>>,
  options: { batch?: number; lanes?: number } = {},
): Promise<void> {
  const { batch = 500, lanes = 2 } = options
  const source = documents[Symbol.iterator]()
  const lane = async () => {
    for (;;) {
      const rows = take(source, batch)
      if (rows.length === 0) return
      const data = await must(service.sendLines(`/cortex/documents/bulk?index=${index}`, rows))
      if (data.failed > 0) throw new Refusal(refusedOf(data))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Characters of an id that is too long. */
const NAME_SHOWN = 64

/** What is read of the answer to a bulk request. */
interface Refused {
  failed: number
  items: { id?: string; error?: string }[]
}

/** The reply names an item that was refused by its id, where it could be read. */
function refusedOf({ failed, items }: Refused): string {
  const first = items.find(({ error }) => error !== undefined)
  const name = first?.id?.slice(0, NAME_SHOWN) ?? 'the first'
  return `The service refused ${failed} documents; ${name}: ${first?.error ?? 'no sentence'}`
}

function take(source: Iterator<BenchDocument & Record<string, unknown>>, count: number): unknown[] {
  const rows: unknown[] = []
  while (rows.length < count) {
    const { value, done } = source.next()
    if (done === true) break
    const { id, vector, ...document } = value
    rows.push(vector === undefined ? { id, document } : { id, vector, document })
  }
  return rows
}

/** Polls until the index holds `documents`, all with a vector of a space that no fit is about to replace. */
export async function waitUntilLearned(
  service: Service,
  index: string,
  documents: number,
  deadlineMs = 600_000,
): Promise<IndexInfo> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const state = (await must(service.call('GET', `/cortex/indices/${index}`))) as IndexInfo
    const { kind, fitting } = state.vectorSpace
    // An index whose documents teach no space, such as one without words, comes to rest without one.
    const learned = kind === 'given' || kind === 'learned' || documents < 300 || state.settled
    if (state.documents >= documents && learned && !fitting) return state
    if (performance.now() > deadline)
      throw new Error(`The index is not ready: ${JSON.stringify(state.vectorSpace)}`)
    await new Promise((resolve) => setTimeout(resolve, FAST_POLL_MS))
  }
}
