import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { smallDisk } from '../small-disk.ts'
import { temporaryStore } from './open.ts'

it('on a disk that others filled, writes are DISK_FULL until there is room, and reads go on', async ({
  skip,
}) => {
  const disk = smallDisk(64)
  if (disk === undefined) return skip('mounting needs more rights')
  const dataDir = `${disk}/data`
  mkdirSync(dataDir)
  const store = temporaryStore({ dataDir })
  const { records } = store.tables
  const record = Buffer.alloc(100_000, 7)
  await store.put('records', [1, 0], record)
  writeFileSync(`${disk}/ballast`, Buffer.alloc(40 << 20))
  const filled = await (async () => {
    for (let n = 1; n < 1000; n++) await store.write(() => records.put([1, n], record))
  })().catch((error: unknown) => error)
  expect(filled).toMatchObject({ code: 'DISK_FULL', status: 507 })
  await expect(store.put('meta', 'x', 1)).rejects.toMatchObject({ code: 'DISK_FULL' })
  // Nor would removals be written whole.
  writeFileSync(`${disk}/rest`, Buffer.alloc(statfsSync(disk).bavail * statfsSync(disk).bsize))
  await expect(store.release(() => records.remove([1, 1]))).rejects.toMatchObject({
    code: 'DISK_FULL',
  })
  rmSync(`${disk}/rest`)
  await store.release(() => records.remove([1, 1]))
  expect(records.get([1, 0])?.length).toBe(100_000)
  await store.health()
  rmSync(`${disk}/ballast`)
  await store.put('records', [2, 1], record)
  expect(records.get([2, 1])?.length).toBe(100_000)
  expect(store.failure()).toBeUndefined()
})

it('a disk that is full at the start is told once removals are refused, before anybody writes', async ({
  skip,
}) => {
  const disk = smallDisk(64)
  if (disk === undefined) return skip('mounting needs more rights')
  const said: string[] = []
  const log = { warn: (_: object, message: string) => void said.push(message), error: () => {} }
  const store = temporaryStore({ dataDir: disk, log })
  await store.put('meta', 'x', 1)
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(`${disk}/ballast`, Buffer.alloc(bavail * bsize))
  for (const _ of [1, 2])
    await expect(store.release(() => {})).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(said).toEqual([expect.stringMatching(/^no room to write/)])
  // The store still has to write when it is closed.
  rmSync(`${disk}/ballast`)
})

it('the core leaves as much of the disk as the store counts on', () => {
  const root = join(import.meta.dirname, '..', '..')
  const [ours = '', theirs = ''] = ['src/store/space.ts', 'native/src/engine/room.rs'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  )
  const reserve = / RESERVE_BYTES(?:: u64)? = (\d+ << \d+)/
  expect(reserve.exec(ours)?.[1]).toBe('32 << 20')
  expect(reserve.exec(theirs)?.[1]).toBe('32 << 20')
  const share = Number(/ RESERVE_SHARE = ([\d.]+)/.exec(ours)?.[1])
  expect(share * Number(/ RESERVE_PARTS: u64 = (\d+)/.exec(theirs)?.[1])).toBe(1)
  // Else the files of indices would take what removals need.
  const needed = Number(/ REMOVAL_SHARE = ([\d.]+)/.exec(ours)?.[1])
  expect(1 / Number(/ LEFT_PARTS: u64 = (\d+)/.exec(theirs)?.[1])).toBeGreaterThan(needed)
})
