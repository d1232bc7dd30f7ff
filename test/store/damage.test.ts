import {
  closeSync,
  cpSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StartError } from '../../src/errors.ts'
import type { SessionRecord } from '../../src/schema/session.ts'
import { isDamage, plainDamage } from '../../src/store/failure.ts'
import { readPages } from '../../src/store/pages.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { temporaryStore } from './open.ts'
import { wipePages } from './wipe.ts'

const PAGE_BYTES = 4096
const fileOf = (dataDir: string) => join(dataDir, 'records', 'data.mdb')

/** Opens a store and answers what it says of it. */
function openAndHear(dataDir: string) {
  const log = { warn: vi.fn(), error: vi.fn() }
  const store = openStore({ dataDir, bytesMax: 2 ** 30, log })
  onTestFinished(() => store.close())
  return log
}

function fill(store: Store, rows = 300): Promise<void> {
  return store.write(() => {
    for (let n = 1; n <= rows; n += 1)
      store.tables.records.put([1, n], Buffer.alloc(n % 3 === 0 ? 9000 : 1500, `record ${n};`))
  })
}

/** A folder with a store that was stopped. */
async function stopped(work: (store: Store) => Promise<void> = fill): Promise<string> {
  const dataDir = temporaryFolder()
  const log = { warn: () => {}, error: () => {} }
  const store = openStore({ dataDir, bytesMax: 2 ** 30, log })
  await work(store)
  await store.close()
  return dataDir
}

/** Such a folder as a copy has it that was made while the store was open. */
async function copied(work: (store: Store) => Promise<void> = fill): Promise<string> {
  const copy = temporaryFolder()
  await stopped(async (store) => {
    await work(store)
    await store.backup(copy)
  })
  return copy
}

it('a page that can not be read keeps no other from being read, whoever walks over it', async () => {
  const dataDir = await stopped(async (store) => {
    await fill(store)
    await store.put('meta', 'kept', 1)
  })
  wipePages(dataDir, 'record 1;')
  const { meta, records } = temporaryStore({ dataDir }).tables
  for (const walk of [() => [...records.range()], () => [...records.keys()]]) {
    expect(walk).toThrow(expect.toSatisfy(isDamage))
    // Reads of one turn see the same, until a timer that was set with the first comes round.
    await pause(20)
    expect(meta.get('kept')).toBe(1)
    expect(records.peek([1, 20])?.length).toBe(1500)
  }
})

describe('a store is refused before LMDB meets it', () => {
  it.each([
    ['stamp', 0],
    ['version', 4],
    ['size of pages', 24],
    ['number of pages', 124],
  ])('where the %s of its first or second page is wrong', async (_what, offset) => {
    const dataDir = await stopped()
    const whole = readFileSync(fileOf(dataDir))
    for (const page of [0, PAGE_BYTES]) {
      const bytes = Buffer.from(whole)
      bytes.writeUInt16LE(4097, page + 24 + offset)
      writeFileSync(fileOf(dataDir), bytes)
      const refused = /data\.mdb is damaged: it does not begin .* Put a whole copy in its place/
      expect(() => openAndHear(dataDir)).toThrow(refused)
    }
  })

  it('where it was cut', async () => {
    const dataDir = await stopped()
    const { size } = statSync(fileOf(dataDir))
    truncateSync(fileOf(dataDir), size / 2)
    expect(() => openAndHear(dataDir)).toThrow(/data\.mdb is damaged: .* the file ends before/)
  })

  it.each(['kept', 'meta', 'journal'])(
    'where the page with "%s" is gone, on which all hangs',
    async (text) => {
      const dataDir = await stopped(async (store) => {
        await fill(store)
        await store.put('meta', 'kept', 1)
      })
      wipePages(dataDir, text)
      expect(() => openAndHear(dataDir)).toThrow(StartError)
    },
  )

  it('where a copy holds pages of two moments', async () => {
    const dataDir = temporaryFolder()
    const store = temporaryStore({ dataDir })
    await fill(store)
    const begun = readFileSync(fileOf(dataDir)).subarray(0, 2 * PAGE_BYTES)
    for (let round = 0; round < 5; round += 1) await fill(store, 50)
    const copy = temporaryFolder()
    cpSync(dataDir, copy, { recursive: true })
    const bytes = readFileSync(fileOf(copy))
    begun.copy(bytes)
    writeFileSync(fileOf(copy), bytes)
    expect(() => openAndHear(copy)).toThrow(
      /data\.mdb is damaged: .* (a later page|something else)/,
    )
  })
})

it('tables are looked through from the least to the largest: the others do not hide what is wrong in small ones', async () => {
  const dataDir = await stopped(async (store) => {
    await fill(store)
    await store.put('sessions', 'one', { userId: 'ann' } as SessionRecord)
  })
  const descriptor = openSync(fileOf(dataDir), 'r')
  onTestFinished(() => closeSync(descriptor))
  const pages = readPages(descriptor)
  expect(pages?.listsProblem()).toBeUndefined()
  const names = pages?.tables() ?? []
  expect(names.at(-1)).toBe('records')
  expect(names.slice(-4)).toContain('sessions')
})

it('a read that meets a wrong page is told of by the health of the store from then on', async () => {
  const store = temporaryStore()
  store.noteDamage(new Error('something else'))
  expect(await store.health()).toMatchObject({ pending: 0 })
  store.noteDamage(new Error('MDB_CORRUPTED: Located page was wrong type'))
  await expect(store.health()).rejects.toThrow(/^Some of the records are damaged/)
})

it('a store that lacks only free pages at its end is sound', async () => {
  const dataDir = await stopped(async (store) => {
    await fill(store)
    await store.write(() => store.tables.records.clear())
    for (let n = 0; n < 5; n += 1) await store.put('meta', 'kept', n)
  })
  truncateSync(fileOf(dataDir), statSync(fileOf(dataDir)).size - 5 * PAGE_BYTES)
  expect(openAndHear(dataDir).error).not.toHaveBeenCalled()
})

describe('a table with a wrong page', () => {
  it('is told of after an end that was no stop, and the others are served', async () => {
    const dataDir = await copied()
    wipePages(dataDir, 'record 200;')
    const { error } = openAndHear(dataDir)
    const damage = [
      expect.stringMatching(/^its table records has something else in place of page \d+$/),
    ]
    expect(error.mock.calls).toEqual([
      [{ file: fileOf(dataDir), damage }, expect.stringContaining('Put a whole copy in its place')],
    ])
  })

  it('is told of before anybody meets it, by its health, also after a stop', async () => {
    const dataDir = await stopped()
    wipePages(dataDir, 'record 200;')
    const log = { warn: vi.fn(), error: vi.fn() }
    const store = temporaryStore({ dataDir, log })
    expect(log.error).toHaveBeenCalledTimes(1)
    expect(log.warn).not.toHaveBeenCalled()
    await expect(store.health()).rejects.toThrow(/^Some of the records are damaged/)
  })

  it.each(['record 3;', 'record 150;'])(
    'is found also where the page holds a part of one value: %s',
    async (text) => {
      const dataDir = await copied()
      wipePages(dataDir, text)
      expect(openAndHear(dataDir).error).toHaveBeenCalledTimes(1)
    },
  )
})

it('a sound store is never taken for a damaged one, whatever was written and removed', async () => {
  const store = temporaryStore()
  const copies: string[] = []
  for (let round = 0; round < 6; round += 1) {
    await fill(store, 400)
    await store.write(() => {
      for (let n = round; n < 400; n += 2 + round) store.tables.records.remove([1, n])
      store.tables.documents.put([1, 'd'.repeat(round * 100)], round)
    })
    const copy = temporaryFolder()
    await store.backup(copy)
    copies.push(copy)
  }
  for (const copy of copies) {
    const log = openAndHear(copy)
    expect(log.error).not.toHaveBeenCalled()
    expect(log.warn).toHaveBeenCalledTimes(1)
  }
})

it('what is written meanwhile is no damage', async () => {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  await fill(store)
  const descriptor = openSync(fileOf(dataDir), 'r')
  onTestFinished(() => closeSync(descriptor))
  const pages = readPages(descriptor)
  expect(pages?.isUnchanged()).toBe(true)
  await fill(store)
  expect(pages?.isUnchanged()).toBe(false)
})

it('a table is looked through until a moment, and no longer', async () => {
  const dataDir = await stopped()
  wipePages(dataDir, 'record 7;')
  const descriptor = openSync(fileOf(dataDir), 'r')
  onTestFinished(() => closeSync(descriptor))
  const pages = readPages(descriptor)
  expect(pages?.listsProblem()).toBeUndefined()
  expect(pages?.tableProblem('records')).toContain('something else in place of page')
  const untilMs = performance.now() - 1
  expect(pages?.tableProblem('records', { untilMs })).toBeUndefined()
})

it('damage is told in words that stay the same, and once', () => {
  const words = 'MDB_CORRUPTED: Located page was wrong type'
  const plain = plainDamage(new Error(`${words}: ${words}: Attempting to setup locks after open`))
  expect([plain.message, plain.cause]).toEqual([words, undefined])
})
