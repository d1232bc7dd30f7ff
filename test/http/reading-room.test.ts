import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { openReadingRoom } from '../../src/http/reading-room.ts'
import { type Route, route } from '../../src/http/route.ts'
import { LARGE_BYTES } from '../../src/json/gradual.ts'
import { waitUntil } from '../wait-until.ts'
import { startStub, WIRE_MS } from './stub.ts'

/** A heap of 1600 bytes has room for 100. */
const HEAP_BYTES = 1600

function openTold() {
  const room = openReadingRoom(HEAP_BYTES)
  const told: string[] = []
  const enter = (name: string, bytes: number, signal = new AbortController().signal) => {
    const note = (what: string) => () => told.push(`${name} ${what}`)
    void room.enter(bytes, signal).then(note('entered'), note('left'))
  }
  const settled = async () => {
    await new Promise(setImmediate)
    return told.splice(0)
  }
  return { room, enter, settled }
}

describe('room to read large bodies', () => {
  it('is given in the order in which they came, as far as it goes', async () => {
    const { room, enter, settled } = openTold()
    enter('a', 60)
    enter('b', 40)
    enter('c', 50)
    enter('d', 10)
    expect(await settled()).toEqual(['a entered', 'b entered'])
    room.leave(40)
    expect(await settled()).toEqual([])
    room.leave(60)
    expect(await settled()).toEqual(['c entered', 'd entered'])
  })

  it('is there for one body of any length, alone', async () => {
    const { room, enter, settled } = openTold()
    enter('a', 1000)
    enter('b', 1)
    expect(await settled()).toEqual(['a entered'])
    room.leave(1000)
    expect(await settled()).toEqual(['b entered'])
  })

  it('is no longer waited for once nobody wants the answer', async () => {
    const { room, enter, settled } = openTold()
    const [gone, early] = [new AbortController(), new AbortController()]
    early.abort()
    enter('a', 60)
    enter('b', 100, gone.signal)
    enter('c', 40)
    enter('d', 10, early.signal)
    expect(await settled()).toEqual(['a entered', 'd left'])
    gone.abort()
    expect(await settled()).toEqual(['b left', 'c entered'])
    room.leave(40)
    room.leave(60)
    enter('e', 100)
    expect(await settled()).toEqual(['e entered'])
  })
})

describe('large bodies of several requests', () => {
  it('are read one behind the other where the heap has no room for two, each until its answer', async () => {
    const begun: number[] = []
    const ends: (() => void)[] = []
    const slow: Route = route({
      method: 'POST',
      path: '/slow',
      summary: 'Answers when told',
      tag: 'operations',
      body: Type.Object({ n: Type.Integer(), text: Type.String() }),
      reply: Type.Object({}),
      handle: async ({ body }) => {
        begun.push(body.n)
        await new Promise<void>((resolve) => ends.push(resolve))
        return {}
      },
    })
    const stub = await startStub([slow], {}, undefined, { heapBytesMax: 16 * LARGE_BYTES })
    try {
      const send = async (n: number, length: number) => {
        const body = JSON.stringify({ n, text: 'x'.repeat(length) })
        const headers = { 'content-type': 'application/json' }
        const { status } = await fetch(`${stub.url}/slow`, { method: 'POST', headers, body })
        return status
      }
      const large = [send(1, LARGE_BYTES), send(2, LARGE_BYTES)]
      await waitUntil(() => begun.length === 1, WIRE_MS)
      // A small one needs no room.
      const small = send(3, 10)
      await waitUntil(() => begun.length === 2, WIRE_MS)
      expect(begun[1]).toBe(3)
      ends[0]?.()
      await waitUntil(() => begun.length === 3, WIRE_MS)
      for (const end of ends) end()
      expect(await Promise.all([...large, small])).toEqual([200, 200, 200])
    } finally {
      await stub.close()
    }
  })
})
