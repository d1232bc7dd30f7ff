import { expect, it } from 'vitest'
import { bodyBytes, openParts, PART_BYTES, wholeBody } from '../../src/http/bytes.ts'

const piecesFrom = (lengths: number[]) =>
  lengths.map((length, at) => new Uint8Array(length).fill(at + 1))

it.each([
  ['of one piece', new Uint8Array(3 * PART_BYTES + 1).fill(7)],
  ['in an envelope', { head: '{"a":', data: new Uint8Array(PART_BYTES).fill(7), tail: ',"b":1}' }],
  [
    'in pieces of all lengths',
    {
      head: '{é',
      data: piecesFrom([1, 0, 5 * PART_BYTES, PART_BYTES - 1, 3, 4, 90_000]),
      tail: '}',
    },
  ],
])('the parts of a body %s are the whole, from any place on', (_, body) => {
  const whole = Buffer.from(wholeBody(body))
  expect(whole.length).toBe(bodyBytes(body))
  for (const step of [PART_BYTES, 100_000]) {
    const partFrom = openParts(body)
    for (let place = 0; place < whole.length; place += step) {
      const part = partFrom(place)
      expect(part.length).toBe(Math.min(PART_BYTES, whole.length - place))
      expect(whole.subarray(place, place + part.length).equals(part)).toBe(true)
    }
  }
})
