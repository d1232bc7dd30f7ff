import { expect, it } from 'vitest'
import { locate, mustLocate } from '../../../src/search/documents/locate.ts'
import type { IndexEntry } from '../../../src/search/indices/index-entry.ts'
import { temporaryStore } from '../../store/open.ts'

/** Indices of these names, all with a document `everywhere` and each with one of its own name. */
async function holding(...names: string[]) {
  const store = temporaryStore()
  const entries = names.map((name, at) => ({ record: { id: at + 1, name } }) as IndexEntry)
  await store.write(() => {
    for (const { record } of entries)
      for (const id of ['everywhere', record.name]) store.tables.documents.put([record.id, id], 7)
  })
  const get = (name: string) =>
    entries.find(({ record }) => record.name === name) ?? expect.fail(name)
  return { entries, parts: { store, indices: { all: () => entries, get } } }
}

it('a document is found in the one index that holds it, or in the one that is named', async () => {
  const { entries, parts } = await holding('river', 'sea')
  expect(locate(parts, 'sea', undefined)).toEqual({ entry: entries[1], ord: 7 })
  expect(locate(parts, 'everywhere', 'river')).toEqual({ entry: entries[0], ord: 7 })
  expect(locate(parts, 'sea', 'river')).toBeUndefined()
  expect(locate(parts, 'nowhere', undefined)).toBeUndefined()
})

it('an id that several indices hold is refused with the names of some of them', async () => {
  const { parts } = await holding('river', 'sea', 'lake', 'pond')
  const message = 'must name one of "river", "sea", "lake" and others'
  expect(() => locate(parts, 'everywhere', undefined)).toThrow(
    expect.objectContaining({ code: 'AMBIGUOUS_ID', details: [{ path: 'index', message }] }),
  )
})

it('whoever names the wrong index is told of the right one', async () => {
  const { parts } = await holding('river', 'sea')
  const refusal = (message: RegExp) =>
    expect.objectContaining({
      code: 'DOCUMENT_NOT_FOUND',
      details: [{ path: 'id', message: expect.stringMatching(message) }],
    })
  expect(() => mustLocate(parts, 'sea', 'river')).toThrow(refusal(/but of one of "sea"$/))
  expect(() => mustLocate(parts, 'nowhere', 'river')).toThrow(refusal(/of this index$/))
  expect(() => mustLocate(parts, 'nowhere', undefined)).toThrow(refusal(/in any index$/))
})
