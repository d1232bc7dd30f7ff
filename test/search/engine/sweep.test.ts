import { expect, it } from 'vitest'
import { native } from '../../../src/native.ts'
import { clearSuperseded } from '../../../src/search/engine/sweep.ts'
import { encodeRecord } from '../../../src/search/record.ts'
import { temporaryStore } from '../../store/open.ts'

it('a document goes on being known by those of its earlier numbers whose records are kept', async () => {
  const store = temporaryStore()
  const { records, superseded, earlierOrds } = store.tables
  await store.write(() => {
    for (const ord of [1, 2]) {
      const source = JSON.stringify({ title: `version ${ord}` })
      const record = { id: 'a', version: ord, createdMs: 0, updatedMs: 0, source }
      records.put([1, ord], encodeRecord(record))
      superseded.put([1000 * ord, 1, ord], true)
    }
    earlierOrds.put([1, 'a'], [2, 1])
  })
  const keptMs = 120_000 + native.heldMs()
  await clearSuperseded(store, 1500 + keptMs)
  expect([...records.keys()]).toEqual([[1, 2]])
  expect(earlierOrds.get([1, 'a'])).toEqual([2])
  await clearSuperseded(store, 2500 + keptMs)
  expect(records.count() + superseded.count() + earlierOrds.count()).toBe(0)
})
