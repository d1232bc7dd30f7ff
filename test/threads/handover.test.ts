import { Piscina } from 'piscina'
import { expect, it } from 'vitest'
import { handOver } from '../../src/threads/handover.ts'

it('memory that is handed over is named to the pool, and the result stays what it is', () => {
  const bytes = new Uint8Array(10)
  const result = [{ value: bytes }]
  const handed = handOver(result, [bytes.buffer])
  expect(handed).toBe(result)
  expect(handed).toMatchObject({
    [Piscina.transferableSymbol]: [bytes.buffer],
    [Piscina.valueSymbol]: result,
  })
  expect(structuredClone(handed, { transfer: [bytes.buffer] })).toEqual([
    { value: new Uint8Array(10) },
  ])
  expect(bytes.length).toBe(0)
})
