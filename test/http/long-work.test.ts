import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { route } from '../../src/http/route.ts'
import { waitUntil } from '../wait-until.ts'
import { connectRaw, type Stub, startStub } from './stub.ts'

/** Longer than the library lets a connection be idle. */
const WORK_MS = 13_000
const BYTES = 3 << 20

const lines = route({
  method: 'POST',
  path: '/lines',
  summary: '',
  tag: 'operations',
  bodyKind: 'stream',
  consumes: ['application/x-ndjson'],
  reply: Type.Object({}, { additionalProperties: true }),
  handle: async ({ stream }) => {
    // The client has to wait meanwhile.
    await sleep(500)
    let bytes = 0
    for await (const chunk of stream) bytes += chunk.length
    await sleep(WORK_MS)
    return { bytes }
  },
})

let stub: Stub
beforeAll(async () => {
  stub = await startStub([lines])
})
afterAll(() => stub.close())

it('who was made to wait with a body gets the answer, however long the work on its last lines takes', async () => {
  const { socket, received, closed } = await connectRaw(stub.server.port)
  socket.write(
    `POST /api/lines HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\ncontent-length: ${BYTES}\r\n\r\n`,
  )
  socket.write(Buffer.alloc(BYTES, '\n'))
  await waitUntil(() => closed() || received().endsWith('}'), WORK_MS + 60_000)
  expect(received()).toContain(`{"bytes":${BYTES}}`)
  socket.destroy()
})
