import { Type } from 'typebox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { route } from '../../src/http/route.ts'
import { waitUntil } from '../wait-until.ts'
import { connectRaw, type Stub, startStub, WIRE_MS } from './stub.ts'

const WORK_MS = 5
const PIPELINED = 60
const TRIES_MAX = 20

let stub: Stub
/** How many requests were begun in each turn of the event loop. */
let begun: number[] = [0]

const Any = Type.Object({}, { additionalProperties: true })
const common = { path: '/work', summary: '', tag: 'operations', reply: Any } as const

function work(): object {
  begun[begun.length - 1] = (begun.at(-1) ?? 0) + 1
  const until = performance.now() + WORK_MS
  while (performance.now() < until);
  return {}
}

const routes = [
  route({ ...common, method: 'GET', handle: work }),
  route({ ...common, method: 'POST', body: Any, handle: work }),
  route({ ...common, method: 'DELETE', handle: work }),
]

beforeAll(async () => {
  stub = await startStub(routes)
})
afterAll(() => stub.close())

/** Most requests that are begun in one turn, of many that one connection sends at once until it is closed. */
async function crowded(method: string): Promise<number> {
  begun = [0]
  const nextTurn = (): void => {
    begun.push(0)
    counting = setImmediate(nextTurn)
  }
  let counting = setImmediate(nextTurn)
  const { socket, closed } = await connectRaw(stub.server.port)
  socket.write(
    `${method} /api/work HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}`.repeat(PIPELINED),
  )
  await waitUntil(() => closed(), WIRE_MS)
  clearImmediate(counting)
  return Math.max(...begun)
}

it.each(['GET', 'HEAD', 'POST', 'DELETE'])(
  'what one connection asks for at once by %s keeps no others waiting',
  async (method) => {
    let most = 0
    // A machine that is busy may take so long to hand over the first request that the turn is over: then none is begun.
    for (let tries = 0; most === 0 && tries < TRIES_MAX; tries += 1) most = await crowded(method)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(4)

    const response = await fetch(`${stub.url}/work`)
    expect(response.status).toBe(200)
    await waitUntil(() => stub.server.active() === 0, WIRE_MS)
  },
)
