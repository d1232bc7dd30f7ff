import { isDeepStrictEqual } from 'node:util'
import { must, type Service } from '../../bench/service.ts'
import { decide, type Entry, type Oracle } from './oracle.ts'

const LANES = 12
const PAGE = 500
const DEAD_CHECKED_MAX = 400
const SESSIONS_CHECKED_MAX = 400
/** The whole text of a document as the query lies far above this beside its own vector, and a wrong vector far below. */
const OWN_SIMILARITY_MIN = 0.6

interface FoundHit {
  id: string
  source: { tags?: string[] }
}

/**
 * Holds the server against everything it has promised. First reads each document by id, which also decides the writes
 * that were cut off; then every page of everything, each document by its stamp, each by its vector, and what must be gone.
 * Resolves to one sentence per broken promise.
 */
export async function findBroken(oracle: Oracle, service: Service): Promise<string[]> {
  const broken: string[] = []
  const say = (sentence: string) => void broken.push(sentence)
  await settleNameless(oracle, service, say)
  await each(oracle.entries.values(), (entry) => readById(oracle, service, entry, say))
  const indices = new Set([...oracle.entries.values()].map(({ index }) => index))
  for (const index of indices) await readEverything(oracle, service, index, say)
  const live = [...oracle.entries.values()].filter(({ settled }) => settled !== undefined)
  await each(live, async (entry) => {
    await findByText(service, entry, say)
    await findByVector(service, entry, say)
  })
  oracle.dead.splice(0, Math.max(0, oracle.dead.length - DEAD_CHECKED_MAX))
  await each(oracle.dead, ({ index, stamp }) => mustBeGone(service, index, stamp, say))
  await each(sample(oracle), async (id) => {
    const { status } = await service.call('GET', `/cortex/sessions/${id}`)
    if (status !== 200) say(`session ${id}: status ${status}`)
  })
  await each(oracle.droppedIndices, async (index) => {
    const { status } = await service.call('GET', `/cortex/indices/${index}`)
    if (status !== 404) say(`index ${index} was deleted and answers ${status}`)
  })
  return broken
}

type Say = (sentence: string) => void

async function settleNameless(oracle: Oracle, service: Service, say: Say): Promise<void> {
  for (const [stamp, { index, source }] of oracle.nameless) {
    const hits = await search(service, index, { query: stamp, searchType: 'text' })
    if (hits.length > 1) say(`${stamp} was sent once and is there ${hits.length} times`)
    const [hit] = hits
    if (hit !== undefined)
      oracle.entries.set(hit.id, { index, id: hit.id, settled: source, pending: undefined })
  }
  oracle.nameless.clear()
}

async function readById(oracle: Oracle, service: Service, entry: Entry, say: Say): Promise<void> {
  const { index, id, settled, pending } = entry
  const { status, data } = await service.call('GET', `/cortex/documents/${id}?index=${index}`)
  const read = status === 200 ? data.source : undefined
  if (status !== 200 && status !== 404) return say(`${id}: status ${status}`)
  const states = pending === undefined ? [settled] : [settled, pending.outcome]
  const state = states.find((one) => isDeepStrictEqual(one, read))
  if (!states.some((one) => isDeepStrictEqual(one, read)))
    return say(
      `${id}: by id ${JSON.stringify(read)} instead of ${states.map((one) => JSON.stringify(one)).join(' or ')}`,
    )
  if (status === 200 && data.vectorized !== true) say(`${id}: not vectorized`)
  decide(oracle, entry, state)
}

/** Walks all pages to the end: the documents must be exactly those that live, each once. */
async function readEverything(
  oracle: Oracle,
  service: Service,
  index: string,
  say: Say,
): Promise<void> {
  const expected = new Set<string>()
  for (const entry of oracle.entries.values())
    if (entry.index === index && entry.settled !== undefined) expected.add(entry.id)
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const data = await must(
      service.call('POST', '/cortex/search', {
        query: '',
        index,
        searchType: 'text',
        size: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      }),
    )
    if (data.total !== expected.size)
      say(`${index}: total ${data.total}, ${expected.size} documents live`)
    for (const { id } of data.hits as FoundHit[]) {
      if (seen.has(id)) say(`${id}: twice among everything`)
      if (!expected.has(id)) say(`${id}: found though it must not be there`)
      seen.add(id)
    }
    cursor = data.nextCursor as string | undefined
  } while (cursor !== undefined)
  for (const id of expected) if (!seen.has(id)) say(`${id}: missing among everything`)
}

async function findByText(service: Service, entry: Entry, say: Say): Promise<void> {
  const { index, id, settled } = entry
  const stamp = settled?.tags[1] ?? ''
  const hits = await search(service, index, { query: stamp, searchType: 'text' })
  mustBeOnly(hits, id, stamp, 'by text', say)
}

async function findByVector(service: Service, entry: Entry, say: Say): Promise<void> {
  const { index, id, settled } = entry
  if (settled === undefined) return
  const { title, content, abstract, tags } = settled
  const hits = await search(service, index, {
    query: [title, content, abstract].filter((text) => typeof text === 'string').join(' '),
    searchType: 'vector',
    filters: { tags: tags[0] },
    similarity: OWN_SIMILARITY_MIN,
  })
  mustBeOnly(hits, id, tags[1], 'by vector', say)
}

function mustBeOnly(hits: FoundHit[], id: string, stamp: string, how: string, say: Say): void {
  const [hit] = hits
  if (hits.length !== 1 || hit === undefined) say(`${id}: found ${hits.length} times ${how}`)
  else if (hit.id !== id) say(`${id}: ${how} ${hit.id} was found`)
  else if (hit.source.tags?.[1] !== stamp) say(`${id}: ${how} an older version was found`)
}

async function mustBeGone(service: Service, index: string, stamp: string, say: Say): Promise<void> {
  const hits = await search(service, index, { query: stamp, searchType: 'text' })
  if (hits.length > 0) say(`${stamp}: a replaced or deleted version is still found`)
}

async function search(
  service: Service,
  index: string,
  request: Record<string, unknown>,
): Promise<FoundHit[]> {
  const data = await must(service.call('POST', '/cortex/search', { index, ...request }))
  return data.hits as FoundHit[]
}

/** The newest sessions, which a crash endangers most, and some of all. */
function sample({ sessions, random }: Oracle): string[] {
  const half = SESSIONS_CHECKED_MAX / 2
  const older = Array.from({ length: half }, () => sessions[Math.floor(random() * sessions.length)])
  return [...new Set([...sessions.slice(-half), ...older])].filter((id) => id !== undefined)
}

/** Runs `work` on all items, some at a time. */
export async function each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const source = items[Symbol.iterator]()
  const lane = async () => {
    for (let { value, done } = source.next(); done !== true; { value, done } = source.next())
      await work(value)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
