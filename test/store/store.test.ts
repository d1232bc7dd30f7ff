import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openReader } from '../../src/store/reader.ts'
import { openStore } from '../../src/store/store.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { waitUntil } from '../wait-until.ts'
import { temporaryStore } from './open.ts'

const bytes = (text: string) => Buffer.from(text)
const quiet = { warn: () => {}, error: () => {} }

describe('one write', () => {
  it('sees what earlier writes and itself have done, and is there when it resolves', async () => {
    const store = temporaryStore()
    const { documents, records } = store.tables
    const first = store.write(() => records.put([1, 1], bytes('one')))
    const second = store.write(() => {
      documents.put([1, 'a'], 7)
      return [records.get([1, 1])?.toString(), documents.get([1, 'a'])]
    })
    expect(await second).toEqual(['one', 7])
    await first
    expect(documents.get([1, 'a'])).toBe(7)
  })

  it('appends rows wherever they belong, and fills pages with those that come last', async () => {
    const store = temporaryStore()
    const { impressions } = store.tables
    const rows = Array.from({ length: 400 }, (_, at) => ({
      key: `row ${String(at).padStart(3, '0')}`,
      value: Buffer.alloc(1900, at),
    }))
    const [early = [], late = []] = [
      rows.filter((_, at) => at % 50 === 7),
      rows.filter((_, at) => at % 50 !== 7),
    ]
    await store.write(() => impressions.append(late))
    const pages = impressions.bytes() / 4096
    expect(pages).toBeLessThan(1.1 * (late.length / 2))
    await store.write(() => {
      impressions.append(early)
      impressions.append([])
    })
    expect([...impressions.range()]).toEqual(rows)
  })

  it('that throws leaves nothing behind and disturbs none of its neighbours', async () => {
    const store = temporaryStore()
    const { meta } = store.tables
    const results = await Promise.allSettled([
      store.write(() => meta.put('before', 1)),
      store.write(() => {
        meta.put('thrown', 1)
        throw new Error('mine')
      }),
      store.write(() => meta.put('after', meta.get('thrown') ?? 'nothing')),
      store.put('meta', 'single', 1),
    ])
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect((results[1] as PromiseRejectedResult).reason.message).toBe('mine')
    expect([meta.get('before'), meta.get('thrown'), meta.get('after')]).toEqual([
      1,
      undefined,
      'nothing',
    ])
    expect(meta.get('single')).toBe(1)
  })

  it('that fails on a key leaves the store in working order', async () => {
    const store = temporaryStore()
    await expect(store.write(() => store.tables.meta.put('x'.repeat(5000), 1))).rejects.toThrow(
      'Key size',
    )
    await store.write(() => store.tables.meta.put('good', 1))
    expect(store.failure()).toBeUndefined()
    expect(store.tables.meta.get('good')).toBe(1)
  })

  it('is the only place where tables can be changed', () => {
    const store = temporaryStore()
    expect(() => store.tables.meta.put('a', 1)).toThrow('inside store.write')
    expect(() => store.tables.meta.remove('a')).toThrow('inside store.write')
  })
})

describe('the store', () => {
  it('holds after reopening what it acknowledged before', async () => {
    const dataDir = temporaryFolder()
    const before = openStore({ dataDir, bytesMax: 2 ** 30, log: quiet })
    await Promise.all(
      Array.from({ length: 500 }, (_, n) => before.put('records', [3, n], bytes(`record ${n}`))),
    )
    await before.close()
    const after = temporaryStore({ dataDir })
    expect(after.tables.records.count()).toBe(500)
    expect(after.tables.records.get([3, 499])?.toString()).toBe('record 499')
  })

  it('refuses a second writer in one process with one sentence, and takes one after closing', async () => {
    const dataDir = temporaryFolder()
    const first = openStore({ dataDir, bytesMax: 2 ** 30, log: quiet })
    await first.put('meta', 'kept', 1)
    expect(() => openStore({ dataDir, bytesMax: 2 ** 30, log: quiet })).toThrow(
      `The data folder is in use by process ${process.pid}; stop it or choose another DATA_DIR.`,
    )
    // The refusal took nothing from the one that works.
    await first.put('meta', 'still', 1)
    await first.close()
    expect(temporaryStore({ dataDir }).tables.meta.get('still')).toBe(1)
  })

  it('refuses a folder that a newer version wrote', async () => {
    const dataDir = temporaryFolder()
    const newer = openStore({ dataDir, bytesMax: 2 ** 30, log: quiet })
    await newer.put('meta', 'format', 99)
    await newer.close()
    expect(() => openStore({ dataDir, bytesMax: 2 ** 30, log: quiet })).toThrow('newer version')
  })

  it('marks a folder of before as its own, so that the version that wrote it no longer takes it', async () => {
    const dataDir = temporaryFolder()
    const before = openStore({ dataDir, bytesMax: 2 ** 30, log: quiet })
    // The last one that kept the sums of tests as lists.
    await before.put('meta', 'format', 2)
    await before.close()
    expect(temporaryStore({ dataDir }).tables.meta.get('format')).toBeGreaterThan(2)
  })

  it('reports reader slots, sizes and transactions as LMDB counts them', async () => {
    const store = temporaryStore()
    const before = await store.health()
    await store.put('records', [1, 1], Buffer.alloc(100_000))
    const after = await store.health()
    expect(after.transactions).toBe(before.transactions + 1)
    expect(after.liveBytes - before.liveBytes).toBeGreaterThanOrEqual(100_000)
    expect(after.fileBytes).toBeGreaterThanOrEqual(after.liveBytes)
    expect(after.mapBytes).toBe(2 ** 30)
    expect(after.connections.active + after.connections.idle).toBeGreaterThanOrEqual(1)
    expect(after.pending).toBe(0)
  })

  it('copies itself while it is written to', async () => {
    const store = temporaryStore()
    await store.put('meta', 'copied', 'yes')
    const copyDir = temporaryFolder()
    await Promise.all([store.backup(copyDir), store.put('records', [1, 1], bytes('later'))])
    expect(temporaryStore({ dataDir: copyDir }).tables.meta.get('copied')).toBe('yes')
  })
})

describe('a full store', () => {
  it('answers DISK_FULL and reads on, lets removals pass, and writes again when there is room', async () => {
    const store = temporaryStore({ bytesMax: 1 << 20 })
    const { records } = store.tables
    let written = 0
    const failure = await (async () => {
      for (; written < 200; written++)
        await store.write(() => records.put([1, written], Buffer.alloc(20_000, 1)))
    })().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'DISK_FULL', status: 507 })
    expect(written).toBeGreaterThan(30)
    expect(written).toBeLessThan(60)
    await expect(store.put('meta', 'x', 1)).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect(records.get([1, 0])?.length).toBe(20_000)
    expect(store.failure()).toBeUndefined()
    expect(store.hasRoom()).toBe(false)
    await store.health()
    await store.release(() => {
      for (let n = 0; n < 10; n++) records.remove([1, n])
    })
    await store.write(() => records.put([1, 1000], bytes('room again')))
    expect(records.get([1, 1000])?.toString()).toBe('room again')
    expect(store.hasRoom()).toBe(true)
  })
})

describe('a table', () => {
  it('keeps every kind of document id, and orders numbers by value', async () => {
    const store = temporaryStore()
    const { documents } = store.tables
    const ids = [
      'a',
      'a\0b',
      '\0',
      '\u0001',
      'é',
      '😀',
      '\uffff',
      'x'.repeat(512),
      '漢'.repeat(170),
    ]
    await store.write(() => {
      ids.forEach((id, at) => {
        documents.put([1, id], at)
      })
      documents.put([2, 'other'], 9)
      documents.put([10, 'third'], 10)
    })
    expect(ids.map((id) => documents.get([1, id]))).toEqual(ids.map((_, at) => at))
    expect([...documents.keys({ start: [2, ''] })].map(([index]) => index)).toEqual([2, 10])
    expect(new Set([...documents.keys({ end: [2, ''] })].map(([, id]) => id))).toEqual(new Set(ids))
  })

  it('walks ranges both ways with a limit, the end not included', async () => {
    const store = temporaryStore()
    await store.write(() => {
      for (let n = 1; n <= 9; n++) store.tables.removals.put([1, n], [n])
    })
    const walk = (range: object) => [...store.tables.removals.range(range)].map(({ key }) => key[1])
    expect(walk({ start: [1, 3], end: [1, 6] })).toEqual([3, 4, 5])
    expect(walk({ start: [1, 6], reverse: true, limit: 2 })).toEqual([6, 5])
  })

  it('peeks at bytes as an ordinary buffer of the right length, small and large', async () => {
    const store = temporaryStore()
    const sizes = [0, 1, 5000, 70_000, 3_000_000]
    await store.write(() => {
      sizes.forEach((size, at) => {
        store.tables.records.put([1, at], Buffer.alloc(size, at + 1))
      })
    })
    for (const round of [0, 1])
      sizes.forEach((size, at) => {
        const peeked = store.tables.records.peek([1, at])
        expect([round, peeked?.length, peeked?.byteLength]).toEqual([round, size, size])
        expect(peeked?.equals(Buffer.alloc(size, at + 1))).toBe(true)
      })
    expect(store.tables.records.peek([1, 99])).toBeUndefined()
    expect([...store.tables.records.range()].map(({ value }) => value.length)).toEqual(sizes)
  })
})

describe('a reader', () => {
  it('reads records, vectors and removals of one index, the newest commit at each opening', async () => {
    const dataDir = temporaryFolder()
    const store = temporaryStore({ dataDir })
    expect(openReader(dataDir).record(1, 5)).toBeUndefined()
    await store.write(() => {
      for (const index of [1, 2])
        for (const ord of [5, 6, 7])
          store.tables.records.put([index, ord], bytes(`${index}/${ord}`))
      store.tables.documents.put([1, 'a'], 7)
      store.tables.vectors.put([1, 7], Buffer.from(Float32Array.of(0.5, -1).buffer))
      store.tables.removals.put([1, 6], [5])
      store.tables.removals.put([1, 8], [2, 3])
    })
    const reader = openReader(dataDir)
    expect(reader.record(1, 5)?.toString()).toBe('1/5')
    expect(reader.ordOf(1, 'a')).toBe(7)
    expect(reader.vector(1, 7)).toEqual(Float32Array.of(0.5, -1))
    expect(reader.vector(1, 6)).toBeUndefined()
    expect([...reader.recordsAfter(1, 5)].map(({ ord, bytes }) => [ord, bytes.toString()])).toEqual(
      [
        [6, '1/6'],
        [7, '1/7'],
      ],
    )
    expect([...reader.removalsAfter(1, 6)]).toEqual([[2, 3]])
    expect([reader.lastRemoval(1), reader.lastRemoval(2)]).toEqual([8, undefined])
  })
})

describe('a data folder that has indices and no records', () => {
  it.each(['missing', 'empty'])('is refused when they are %s, and left as it is', (how) => {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'indices', '7'), { recursive: true })
    if (how === 'empty') {
      mkdirSync(join(dataDir, 'records'))
      writeFileSync(join(dataDir, 'records', 'data.mdb'), '')
    }
    const open = () => openStore({ dataDir, bytesMax: 2 ** 30, log: quiet })
    expect(open).toThrow(/holds indices, but .*data\.mdb.* is missing or empty/)
    expect(existsSync(join(dataDir, 'indices', '7'))).toBe(true)
  })

  it('is none when what lies there is not called as indices are', () => {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'indices', 'Xk3qQ9aVTbeP'), { recursive: true })
    temporaryStore({ dataDir })
  })
})

describe.each<[string, (records: string) => void]>([
  ['removed', (records) => rmSync(records, { recursive: true })],
  ['moved away', (records) => renameSync(records, `${records}-before`)],
  [
    'replaced by a copy',
    (records) => {
      renameSync(records, `${records}-before`)
      cpSync(`${records}-before`, records, { recursive: true })
    },
  ],
])('a folder that was %s under the store', (_how, takeAway) => {
  it('makes the next write fail, since no start would find it', async () => {
    const dataDir = temporaryFolder()
    const failures: unknown[] = []
    const store = temporaryStore({ dataDir, onFailure: (cause) => failures.push(cause) })
    await store.write(() => store.tables.meta.put('before', 1))
    takeAway(join(dataDir, 'records'))
    const refused = { code: 'STORE_UNAVAILABLE' }
    await expect(store.put('meta', 'after', 1)).rejects.toMatchObject(refused)
    await expect(store.write(() => {})).rejects.toMatchObject(refused)
    await expect(store.health()).rejects.toMatchObject(refused)
    expect(failures.map(String)).toEqual([expect.stringContaining('no longer where it was opened')])
  })

  it('is noticed without a write, too', async () => {
    const dataDir = temporaryFolder()
    const store = temporaryStore({ dataDir, commitMsMax: 50 })
    takeAway(join(dataDir, 'records'))
    await waitUntil(() => store.failure() !== undefined)
  })
})
