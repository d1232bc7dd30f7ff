import { must, type Reply, type Service } from '../../bench/service.ts'
import { ANY, type Promises, type Thing, thingOf } from './promises.ts'
import { biasOf, MODEL, SIGNAL_TYPE } from './steering.ts'
import type { Say } from './verify-learning.ts'

interface Found {
  state: string | undefined
  id?: string
}

const PAGE = 1000

/** Reads the state of signals, tests, adaptations and models, and holds each against what was acknowledged. */
export async function readThings(promises: Promises, service: Service, say: Say): Promise<void> {
  const read = async (path: string) => must(service.call('GET', path))
  const tests = await read(`/cortex/ab-test?limit=${PAGE}`)
  compareAll(promises, 'test', namedBy(tests.tests, 'name', 'testId'), say)
  const changes = await read(`/nous/adaptations?limit=${PAGE}`)
  compareAll(promises, 'adaptation', namedBy(changes.adaptations, 'source', 'adaptationId'), say)
  compareAll(promises, 'signal', await readSignals(service), say)
  if (![...promises.things.values()].some(({ kind }) => kind === 'newest model')) return
  const { status, data } = await service.call('GET', `/nous/learn/models/${MODEL}`)
  const newest = status === 404 ? null : { modelId: MODEL, version: data.version }
  const { active } = await read('/nous/learn/models')
  const model = { service }
  settle(thingOf(promises, 'newest model', MODEL), { state: await biasOf(model, newest) }, say)
  settle(thingOf(promises, 'active model', MODEL), { state: await biasOf(model, active) }, say)
}

function namedBy(rows: Reply['data'][], name: string, id: string): Map<string, Found> {
  return new Map(rows.map((row) => [row[name], { state: row.status, id: row[id] }]))
}

async function readSignals(service: Service): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  let cursor: string | undefined
  do {
    const more = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const path = `/nous/signals?type=${SIGNAL_TYPE}&limit=${PAGE}${more}`
    const page = await must(service.call('GET', path))
    for (const { signalId, status } of page.signals) found.set(signalId, { state: status })
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

/** Lists give the newest first: what is older than a full page is left in peace. */
function compareAll(
  { things }: Promises,
  kind: Thing['kind'],
  found: Map<string, Found>,
  say: Say,
): void {
  const isFull = kind !== 'signal' && found.size >= PAGE
  for (const name of found.keys())
    if (!things.has(`${kind} ${name}`)) say(`${kind} ${name}: is there and nobody made it`)
  for (const [key, thing] of things) {
    if (thing.kind !== kind) continue
    const now = found.get(thing.name)
    if (now === undefined && isFull) continue
    settle(thing, now ?? { state: undefined }, say)
    // A creation that was cut off and came to nothing: its name is not used again.
    if (now === undefined) things.delete(key)
  }
}

function settle(thing: Thing, { state, id }: Found, say: Say): void {
  const { kind, name, settled, pending } = thing
  const isPending = pending === ANY || (pending !== undefined && state === pending)
  if (state !== settled && !isPending)
    say(`${kind} ${name}: ${state} instead of ${pending ?? settled}, was ${settled}`)
  thing.settled = state
  thing.pending = undefined
  if (id !== undefined) thing.id = id
}
