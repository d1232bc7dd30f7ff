import { expect, it } from 'vitest'
import { listJson } from '../../../src/learn/wire/list-json.ts'

/** Rows 0 … count − 1, each under its number. */
function tableOf(count: number) {
  const reads: number[] = []
  const keys = Array.from({ length: count }, (_, n) => String(n).padStart(4, '0')).reverse()
  return {
    reads,
    table: {
      keys: () => keys,
      get: (key: string): number | undefined => {
        reads.push(Number(key))
        return Number(key)
      },
    },
  }
}

const read = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString())
const show = (n: number) => ({ n })

it('lists the newest rows, and reads no others where all are wanted', async () => {
  const { table, reads } = tableOf(500)
  const list = read(await listJson('rows', table, { limit: 2, show }))
  expect(list).toEqual({ rows: [{ n: 499 }, { n: 498 }], total: 500, limit: 2 })
  expect(reads).toEqual([499, 498])
  expect(read(await listJson('rows', tableOf(0).table, { limit: 2, show }))).toEqual({
    ...{ rows: [], total: 0, limit: 2 },
  })
})

it('counts those that are wanted, and leaves out one that went meanwhile', async () => {
  const { table } = tableOf(10)
  const without = { ...table, get: (key: string) => (key === '0008' ? undefined : table.get(key)) }
  const isWanted = (n: number) => n % 2 === 0
  const list = read(await listJson('rows', without, { limit: 2, show, isWanted }))
  expect(list).toEqual({ rows: [{ n: 6 }, { n: 4 }], total: 4, limit: 2 })
})

it('lets others have their turn while rows are many or large', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const large = (n: number) => {
    const untilMs = performance.now() + 1
    while (performance.now() < untilMs);
    return show(n)
  }
  await listJson('rows', tableOf(50).table, { limit: 50, show: large })
  clearImmediate(next)
  expect(turns).toBeGreaterThan(3)
})
