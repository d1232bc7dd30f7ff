import type { Reply, Service } from '../../bench/service.ts'
import { type Lanes, startLanes } from './lanes.ts'
import { begin, type Entry, merge, type Oracle, type Source, settle } from './oracle.ts'

/** One run of mixed writes; it ends by itself when the server dies, or when `stop` is called. */
export interface Writing extends Lanes {
  /** Answers other than 200 and 404, by their code. */
  refused: Record<string, number>
  /** Answers that must not be. */
  wrong: string[]
}

interface Lane {
  oracle: Oracle
  service: Service
  index: string
  /** The entries that this lane alone writes, so that each document has at most one write under way. */
  own: Entry[]
  refused: Record<string, number>
  wrong: string[]
}

interface BulkItem {
  status: number
}

const ENTRIES_MAX = 60
const LATER = '&refresh=false'
const BULK_MAX = 30

/** Starts `lanes` clients, each with its own documents, that create, update, patch, delete, bulk-load and open sessions. */
export function startWriting(oracle: Oracle, service: Service, index: string, lanes = 8): Writing {
  const refused: Record<string, number> = {}
  const wrong: string[] = []
  const started = startLanes(lanes, (number) => {
    const mine = [...oracle.entries.values()].filter(
      (entry) => entry.index === index && laneOf(entry.id, lanes) === number,
    )
    const lane: Lane = { oracle, service, index, own: mine, refused, wrong }
    return () => writeOnce(lane, `${index}-${number}`)
  })
  return { ...started, refused, wrong }
}

/** Ids of one lane end in its number; those that the server made belong to no lane and are not written again. */
function laneOf(id: string, lanes: number): number {
  const [, number] = /^t\d+-(\d+)-/.exec(id) ?? []
  return number === undefined ? -1 : Number(number) % lanes
}

async function writeOnce(lane: Lane, prefix: string): Promise<void> {
  const draw = lane.oracle.random()
  if (draw < 0.1) await createNameless(lane)
  else if (draw < 0.2) await createSession(lane)
  else if (draw < 0.3) await writeBulk(lane, prefix)
  else if (draw < 0.45) await remove(lane, pick(lane, prefix))
  else if (draw < 0.7) await patch(lane, pick(lane, prefix))
  else await put(lane, pick(lane, prefix))
}

/** One of the lane's entries: a new one while there is room for more. */
function pick({ oracle, own, index }: Lane, prefix: string, taken?: Set<Entry>): Entry {
  const old = own[Math.floor(oracle.random() * ENTRIES_MAX)]
  if (old !== undefined && old.pending === undefined && taken?.has(old) !== true) return old
  const entry: Entry = {
    index,
    id: `${prefix}-${own.length}-${oracle.freshWord()}`,
    settled: undefined,
    pending: undefined,
  }
  own.push(entry)
  oracle.entries.set(entry.id, entry)
  return entry
}

/** Not all writes wait until they are searchable. */
function address(lane: Lane, entry: Entry): string {
  const refresh = lane.oracle.random() < 0.3 ? LATER : ''
  return `/cortex/documents/${entry.id}?index=${lane.index}${refresh}`
}

async function put(lane: Lane, entry: Entry): Promise<void> {
  const sent = lane.oracle.freshSource(wordOf(entry.id))
  begin(entry, entry.settled === undefined ? sent : merge(entry.settled, sent))
  await save(lane, entry, 'PUT', sent)
}

/** Changes a number and the stamp alone, or adds and removes a text; each must leave the rest as it was. */
async function patch(lane: Lane, entry: Entry): Promise<void> {
  const { oracle } = lane
  if (entry.settled === undefined) return put(lane, entry)
  const sent: Record<string, unknown> = { tags: [wordOf(entry.id), oracle.freshWord()] }
  const draw = oracle.random()
  if (draw < 0.4) sent.n = Math.floor(draw * 1e6)
  else if (draw < 0.7) sent.abstract = oracle.freshSource('').title
  else sent.abstract = null
  begin(entry, merge(entry.settled, sent))
  await save(lane, entry, 'PATCH', sent)
}

/** Whoever waits until the document is searchable is told that it is. */
async function save(lane: Lane, entry: Entry, method: string, sent: object): Promise<void> {
  const path = address(lane, entry)
  const reply = await lane.service.call(method, path, sent)
  const { status, data } = reply
  if (status === 200 && !path.endsWith(LATER) && data.vectorized !== true)
    lane.wrong.push(`${entry.id}: answered ${JSON.stringify(data)}`)
  acknowledge(lane, entry, method.toLowerCase(), reply)
}

async function remove(lane: Lane, entry: Entry): Promise<void> {
  if (entry.settled === undefined) return put(lane, entry)
  begin(entry, undefined)
  acknowledge(lane, entry, 'delete', await lane.service.call('DELETE', address(lane, entry)))
}

function acknowledge(lane: Lane, entry: Entry, what: string, { status, code }: Reply): void {
  if (status === 200) settle(lane.oracle, entry, what)
  else refuse(lane, code ?? String(status))
}

/** A refused write may or may not have been done: its entry stays pending, and is read after the restart. */
function refuse({ refused }: Lane, code: string): void {
  refused[code] = (refused[code] ?? 0) + 1
}

async function createNameless(lane: Lane): Promise<void> {
  const { oracle, service, index } = lane
  const source = oracle.freshSource(oracle.freshWord())
  const [, stamp] = source.tags
  oracle.nameless.set(stamp, { index, source })
  const { status, data, code } = await service.call('POST', '/cortex/documents', {
    index,
    document: source,
  })
  if (status !== 200) return refuse(lane, code ?? String(status))
  oracle.nameless.delete(stamp)
  const entry: Entry = { index, id: data.id as string, settled: undefined, pending: undefined }
  oracle.entries.set(entry.id, entry)
  begin(entry, source)
  settle(oracle, entry, 'create')
}

async function createSession(lane: Lane): Promise<void> {
  const { oracle, service } = lane
  const { status, data, code } = await service.call('POST', '/cortex/sessions', {
    userId: oracle.freshWord(),
  })
  if (status !== 200) return refuse(lane, code ?? String(status))
  oracle.sessions.push(data.sessionId as string)
  oracle.acknowledged += 1
  oracle.log('session', data.sessionId as string, '-')
}

async function writeBulk(lane: Lane, prefix: string): Promise<void> {
  const { oracle, service, index } = lane
  const entries = new Set<Entry>()
  const rows: unknown[] = []
  const count = 1 + Math.floor(oracle.random() * BULK_MAX)
  for (let item = 0; item < count; item++) {
    const entry = pick(lane, prefix, entries)
    if (entries.has(entry)) continue
    entries.add(entry)
    if (entry.settled !== undefined && oracle.random() < 0.2) {
      begin(entry, undefined)
      rows.push({ op: 'delete', id: entry.id })
    } else {
      const source: Source = oracle.freshSource(wordOf(entry.id))
      begin(entry, source)
      rows.push({ id: entry.id, document: source })
    }
  }
  const { status, data, code } = await service.sendLines(
    `/cortex/documents/bulk?index=${index}`,
    rows,
  )
  if (status !== 200) return refuse(lane, code ?? String(status))
  const items = data.items as BulkItem[]
  for (const [at, entry] of [...entries].entries()) {
    const item = items[at]
    if (item?.status === 200) settle(oracle, entry, 'bulk')
    else refuse(lane, `bulk item ${item?.status}`)
  }
}

/** The id's last part: a word of its own, sent as a tag so that a filter finds this document alone. */
function wordOf(id: string): string {
  return id.split('-').at(-1) ?? id
}
