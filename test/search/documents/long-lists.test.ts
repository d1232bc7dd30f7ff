import { describe, expect, it } from 'vitest'
import { ServiceError, serviceError } from '../../../src/errors.ts'
import { openBulk } from '../../../src/search/documents/bulk.ts'
import type { BulkAnswer } from '../../../src/search/documents/bulk-answer.ts'
import type { Documents } from '../../../src/search/documents/documents.ts'

type Sent = Parameters<Documents['bulk']>[0]

/** Writes that are only counted; `refuse` is asked of each group, by its number. */
function openCounted(refuse: (group: number) => Error | undefined = () => undefined) {
  const groups: string[][] = []
  const bulk = async (sent: Sent, _index: unknown, { turn }: Parameters<Documents['bulk']>[2]) => {
    const refusal = refuse(groups.length)
    const ids = sent.map(({ item }) => (item instanceof ServiceError ? '' : (item.id ?? '')))
    groups.push(ids)
    await turn?.come
    turn?.pass()
    if (refusal !== undefined) throw refusal
    return ids.map((id) => ({ id, index: 'one', result: 'created' }))
  }
  const documents = { bulk } as unknown as Documents
  const options = { index: 'one', refresh: true, suspicious: false, check: () => undefined }
  const list = async (items: unknown[], noteDone?: () => void): Promise<BulkAnswer> => {
    const json = await openBulk(documents).list(items, { ...options, noteDone })
    return JSON.parse(Buffer.from(json).toString())
  }
  return { groups, list }
}

const named = Array.from({ length: 4500 }, (_, at) => ({ id: `d${at}`, title: 'x' }))
const full = () => serviceError('DISK_FULL', 'The disk is full.')

describe('a long list', () => {
  it('is written in portions, in its order, so that others have their turns between them', async () => {
    const { groups, list } = openCounted()
    const { items, succeeded } = await list(named)
    expect(groups.map(({ length }) => length)).toEqual([1000, 1000, 1000, 1000, 500])
    expect(groups.flat()).toEqual(named.map(({ id }) => id))
    expect(items.map((item) => item.id)).toEqual(named.map(({ id }) => id))
    expect(succeeded).toBe(4500)
  })

  it('is written at once where a note that it is done goes with what would be there twice', async () => {
    const { groups, list } = openCounted()
    await list([...named, { title: 'without an id' }], () => undefined)
    expect(groups.map(({ length }) => length)).toEqual([4501])
    await list(named, () => undefined)
    expect(groups[1]?.length).toBe(1000)
  })

  it('is refused as a whole where each of its portions is', async () => {
    const { list } = openCounted(full)
    await expect(list(named)).rejects.toMatchObject({ code: 'DISK_FULL' })
  })

  it('tells of each item that was refused when others were written already', async () => {
    const { list } = openCounted((group) => (group === 2 ? full() : undefined))
    const { items, succeeded, failed } = await list(named)
    expect({ succeeded, failed }).toEqual({ succeeded: 3500, failed: 1000 })
    expect(items[2000]).toEqual({
      status: 507,
      id: 'd2000',
      index: 'one',
      code: 'DISK_FULL',
      error: 'The disk is full.',
    })
    expect(items[3000]).toMatchObject({ status: 200, id: 'd3000' })
  })

  it('of nothing is written, too', async () => {
    const { list } = openCounted()
    expect(await list([])).toEqual({ items: [], succeeded: 0, failed: 0 })
  })
})
