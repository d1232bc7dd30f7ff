import { describe, expect, it } from 'vitest'
import { type Reading, readSent } from '../../src/http/reading.ts'
import { LARGE_BYTES } from '../../src/json/gradual.ts'

/** A route whose large bodies another thread reads; `taken` is what it was given, once it comes to read. */
function openReading(): { reading: Reading; taken: () => Promise<string> } {
  let given: Promise<string> | undefined
  const readLarge = (_app: unknown, pieces: Uint8Array[]): Promise<string> => {
    given = new Promise((resolve) => {
      setImmediate(() => resolve(Buffer.concat(pieces).toString()))
    })
    return given
  }
  const reading = { entry: { route: { readLarge } }, call: {}, hashed: false } as unknown as Reading
  return { reading, taken: () => given ?? Promise.resolve('') }
}

describe('a large body', () => {
  it('is read as it was sent, whatever comes into the memory of its last piece meanwhile', async () => {
    const { reading, taken } = openReading()
    const first = new Uint8Array(LARGE_BYTES).fill(0x61)
    // The HTTP library lends it for the length of the call, and receives the next bytes of anybody there.
    const lent = new Uint8Array(1000).fill(0x62)
    const read = readSent(reading, [first, lent])
    lent.fill(0x21)
    await read
    expect((await taken()).slice(-1000)).toBe('b'.repeat(1000))
  })
})
