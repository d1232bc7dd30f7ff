import type { Reply } from '../../bench/service.ts'
import { accept, type Client } from './client.ts'
import { ANY, type Promises, type Thing, thingOf } from './promises.ts'

/** The one model whose states are sent; each state's bias is a number of its own. */
export const MODEL = 'torture'
export const SIGNAL_TYPE = 'TORTURE'

/** Things of one kind that may still change, so that old ones are left in peace. */
const OPEN_MAX = 4

/** A signal goes from PENDING through PROCESSING to COMPLETED. */
export async function steerSignal(client: Client): Promise<void> {
  const { promises, service, number } = client
  const thing = next(promises, 'signal', `s-${number}-`, ['PENDING', 'PROCESSING'])
  const status =
    thing.settled === undefined
      ? 'PENDING'
      : thing.settled === 'PENDING'
        ? 'PROCESSING'
        : 'COMPLETED'
  thing.pending = status
  const body = { signalId: thing.name, type: SIGNAL_TYPE, status }
  take(client, thing, await service.call('POST', '/nous/signals/process', body))
}

/** Syncs a state, or lets the newest rank, or goes back. */
export async function steerModel(client: Client): Promise<void> {
  const { promises, service, random } = client
  const newest = thingOf(promises, 'newest model', MODEL)
  const active = thingOf(promises, 'active model', MODEL)
  if (newest.pending !== undefined || active.pending !== undefined) return
  const draw = random()
  if (newest.settled === undefined || draw < 0.6) {
    const bias = promises.numbers++
    const activate = draw < 0.1
    newest.pending = String(bias)
    if (activate) active.pending = newest.pending
    const body = { modelId: MODEL, state: stateOf(bias), activate }
    const reply = await service.call('POST', '/nous/learn/models/sync', body)
    take(client, newest, reply)
    if (activate && reply.status === 200) settle(active)
  } else if (draw < 0.85) {
    active.pending = newest.settled
    take(client, active, await service.call('POST', `/nous/learn/models/${MODEL}/activate`))
  } else if (active.settled !== undefined) {
    active.pending = ANY
    const reply = await service.call('POST', `/nous/learn/models/${MODEL}/rollback`)
    if (!accept(client, reply)) return
    active.settled = await biasOf(client, reply.data.active)
    active.pending = undefined
  }
}

function stateOf(bias: number): object {
  return {
    weights: [0.8, 0.3, 0.1],
    bias,
    scaler: { mean: [0.5, 0.5, 0], std: [0.2, 0.2, 0.5] },
    featureNames: ['textScore', 'vectorScore', 'clickMemory'],
    trainingProgress: 1,
  }
}

/** The state of a version, by the number that it was sent with. */
export async function biasOf(
  { service }: Pick<Client, 'service'>,
  named: { modelId: string; version: number } | null,
): Promise<string | undefined> {
  if (named === null) return undefined
  const { modelId, version } = named
  const path = `/nous/learn/models/${modelId}?version=${version}&state=true`
  const { data } = await service.call('GET', path)
  return String(data?.state?.bias)
}

/** A change to one query that nobody asks comes into force at once, and is taken back later. */
export async function steerAdaptation(client: Client): Promise<void> {
  const { promises, service, random } = client
  const thing = next(promises, 'adaptation', 'a-', ['ACTIVE'])
  if (thing.settled === undefined) {
    thing.pending = 'ACTIVE'
    const reply = await service.call('POST', '/nous/adapt/apply', {
      type: 'ranking',
      queryHash: `hash-${thing.name}`,
      changes: { fieldWeights: { title: 1 + random() } },
      source: thing.name,
      immediate: true,
    })
    if (reply.status === 200) thing.id = reply.data.adaptationId
    take(client, thing, reply)
  } else if (random() < 0.5) {
    thing.pending = 'ROLLED_BACK'
    take(client, thing, await service.call('POST', `/nous/adaptations/${thing.id}/rollback`))
  }
}

/** A test starts, pauses, goes on and ends. */
export async function steerTest(client: Client): Promise<void> {
  const { promises, service, random } = client
  const thing = next(promises, 'test', 't-', ['ACTIVE', 'PAUSED'])
  if (thing.settled === undefined) {
    thing.pending = 'ACTIVE'
    const reply = await service.call('POST', '/cortex/ab-test/create', {
      name: thing.name,
      variants: [{ id: 'control' }, { id: 'titles', config: { fieldWeights: { title: 3 } } }],
    })
    if (reply.status === 200) thing.id = reply.data.testId
    return take(client, thing, reply)
  }
  const verb = random() < 0.3 ? 'stop' : thing.settled === 'ACTIVE' ? 'pause' : 'resume'
  thing.pending = { stop: 'STOPPED', pause: 'PAUSED', resume: 'ACTIVE' }[verb]
  take(client, thing, await service.call('POST', `/cortex/ab-test/${thing.id}/${verb}`))
}

/** One of the newest that may still change, or a new one. */
function next(
  promises: Promises,
  kind: Thing['kind'],
  prefix: string,
  open: readonly string[],
): Thing {
  const own = [...promises.things.values()].filter(
    (thing) => thing.kind === kind && thing.name.startsWith(prefix) && thing.pending === undefined,
  )
  const changing = own.filter(({ settled }) => settled !== undefined && open.includes(settled))
  const number = promises.numbers++
  const known = changing[number % OPEN_MAX]
  return known ?? thingOf(promises, kind, `${prefix}${number}`)
}

function take(client: Client, thing: Thing, reply: Reply): void {
  if (accept(client, reply)) settle(thing)
}

function settle(thing: Thing): void {
  thing.settled = thing.pending
  thing.pending = undefined
}
