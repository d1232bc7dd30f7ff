import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { isDamage } from '../../src/store/failure.ts'
import { openStore } from '../../src/store/store.ts'
import { temporaryFolder, temporaryStore } from './open.ts'
import { wipePage } from './wipe.ts'

const quiet = { warn: () => {}, error: () => {} }

it('a page that can not be read keeps no other from being read, whoever walks over it', async () => {
  const dataDir = temporaryFolder()
  const before = openStore({ dataDir, bytesMax: 2 ** 30, log: quiet })
  await before.write(() => {
    before.tables.meta.put('kept', 1)
    for (let n = 1; n <= 20; n += 1)
      before.tables.records.put([1, n], Buffer.alloc(1500, `record ${n};`))
  })
  await before.close()
  wipePage(dataDir, 'record 1;')
  const { meta, records } = temporaryStore({ dataDir }).tables
  for (const walk of [() => [...records.range()], () => [...records.keys()]]) {
    expect(walk).toThrow(expect.toSatisfy(isDamage))
    // Reads of one turn see the same, until a timer that was set with the first comes round.
    await pause(20)
    expect(meta.get('kept')).toBe(1)
    expect(records.peek([1, 20])?.length).toBe(1500)
  }
})
