import { expect, it } from 'vitest'
import { listJson } from '../../../src/learn/wire/list-json.ts'
import { countTurns } from '../../count-turns.ts'

const idOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`
const numberOf = (id: string) => Number(id.slice(-12))

/** Rows 0 … count − 1, each under an id that ends with its number. */
function tableOf(count: number) {
  const reads: number[] = []
  const keys = Array.from({ length: count }, (_, n) => idOf(n)).reverse()
  return {
    reads,
    table: {
      keys: () => keys,
      get: (key: string): number | undefined => {
        reads.push(numberOf(key))
        return numberOf(key)
      },
    },
  }
}

interface List {
  rows: { n: number }[]
  total: number
  limit: number
  nextCursor?: string
}

const read = (bytes: Uint8Array): List => JSON.parse(Buffer.from(bytes).toString())
const show = (n: number) => JSON.stringify({ n })

/** The numbers of the rows of each page. */
async function pagesOf(page: (cursor: string | undefined) => Promise<Uint8Array>) {
  const pages: number[][] = []
  for (let cursor: string | undefined; pages.length < 20; ) {
    const { rows, nextCursor } = read(await page(cursor))
    pages.push(rows.map(({ n }) => n))
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return pages
}

it('lists the newest rows, and reads no others where all are wanted', async () => {
  const { table, reads } = tableOf(500)
  const list = read(await listJson('rows', table, { limit: 2, show }))
  const nextCursor = expect.any(String)
  expect(list).toEqual({ rows: [{ n: 499 }, { n: 498 }], total: 500, limit: 2, nextCursor })
  expect(reads).toEqual([499, 498])
  expect(read(await listJson('rows', tableOf(0).table, { limit: 2, show }))).toEqual({
    ...{ rows: [], total: 0, limit: 2 },
  })
})

it('counts those that are wanted, and leaves out one that went meanwhile', async () => {
  const { table } = tableOf(10)
  const without = { ...table, get: (key: string) => (key === idOf(8) ? undefined : table.get(key)) }
  const isWanted = (n: number) => n % 2 === 0
  const list = read(await listJson('rows', without, { limit: 2, show, isWanted }))
  expect(list).toMatchObject({ rows: [{ n: 6 }, { n: 4 }], total: 4, limit: 2 })
})

it('leads on behind each page, to the very end', async () => {
  const { table } = tableOf(5)
  expect(await pagesOf((cursor) => listJson('rows', table, { limit: 2, show, cursor }))).toEqual([
    ...[[4, 3], [2, 1], [0]],
  ])
  const isWanted = (n: number) => n % 2 === 0
  const odd = { limit: 1, show, isWanted }
  const pages = await pagesOf((cursor) => listJson('rows', table, { ...odd, cursor }))
  expect(pages).toEqual([[4], [2], [0]])
})

it('of names, goes on behind the last one, and says what it is given besides', async () => {
  const names = ['a', 'b.c', 'sync', 'é']
  const table = { keys: () => names, get: (name: string) => names.indexOf(name) }
  const listing = { limit: 3, show, byName: true, rest: { active: null } }
  const pages = await pagesOf((cursor) => listJson('rows', table, { ...listing, cursor }))
  expect(pages).toEqual([[0, 1, 2], [3]])
  expect(read(await listJson('rows', table, listing))).toMatchObject({ total: 4, active: null })
})

it('goes on where a page ended though that row is gone by now', async () => {
  const { nextCursor: cursor } = read(await listJson('rows', tableOf(5).table, { limit: 2, show }))
  const { table } = tableOf(3)
  expect(read(await listJson('rows', table, { limit: 2, show, cursor }))).toMatchObject({
    ...{ rows: [{ n: 2 }, { n: 1 }], total: 3 },
  })
})

it('ends a page before it has too many megabytes, and shows one that has more by itself', async () => {
  const { table } = tableOf(9)
  const megabytes = [9, 2, 1, 1, 1, 1, 9, 9, 1]
  const long = (n: number) => JSON.stringify({ n, text: 'x'.repeat((megabytes[n] ?? 0) * 1e6) })
  const pages = await pagesOf((cursor) => listJson('rows', table, { limit: 9, show: long, cursor }))
  expect(pages).toEqual([[8], [7], [6], [5, 4, 3, 2], [1], [0]])
})

it('refuses a cursor that it did not give', async () => {
  const { table } = tableOf(3)
  const ofOthers = ['.5', `others.${idOf(1)}`].map((text) =>
    Buffer.from(text).toString('base64url'),
  )
  for (const byName of [false, true])
    for (const cursor of ['', 'wat', Buffer.from('5').toString('base64url'), ...ofOthers])
      await expect(
        listJson('rows', table, { limit: 2, show, cursor, byName }),
      ).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
})

it('lets others have their turn while rows are many or large', async () => {
  const { table } = tableOf(50)
  const { turns } = await countTurns(() => listJson('rows', table, { limit: 50, show }))
  expect(turns).toBeGreaterThan(3)
})

it('refuses the cursor of another list, and what is none', async () => {
  const { table } = tableOf(10)
  const { nextCursor: cursor } = read(await listJson('rows', table, { limit: 2, show }))
  const refusal = { code: 'INVALID_CURSOR', message: 'cursor belongs to another list.' }
  await expect(listJson('others', table, { limit: 2, show, cursor })).rejects.toMatchObject(refusal)
  const unknown = Buffer.from('rows.x').toString('base64url')
  await expect(listJson('rows', table, { limit: 2, show, cursor: unknown })).rejects.toMatchObject({
    ...{ code: 'INVALID_CURSOR', message: 'cursor is not one that this service gave.' },
  })
})
