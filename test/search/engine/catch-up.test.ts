import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { native } from '../../../src/native.ts'
import { catchUp } from '../../../src/search/engine/catch-up.ts'
import { compileDefinition, definitionJson } from '../../../src/search/indices/definition.ts'
import { encodeRecord } from '../../../src/search/record.ts'
import { openReader } from '../../../src/store/reader.ts'
import { open } from '../../../workers/open.ts'
import { temporaryStore } from '../../store/open.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** What one job of the core may be handed: the last document is taken whole. */
const CHARACTERS_MAX = 16 << 20
const DOCUMENTS_MAX = 1000

/** Characters of each document that the core was handed, job by job. */
const jobs: number[][] = []

beforeEach(() => {
  jobs.length = 0
  const apply = vi.spyOn(native, 'apply').mockImplementation((_, ords, documents) => {
    jobs.push(documents.map(({ length }) => length))
    return new Uint8Array(ords.length)
  })
  const published = { generation: 1, documents: 0, vectors: 0, fitWanted: false }
  const commit = vi.spyOn(native, 'commit').mockReturnValue(published)
  onTestFinished(() => {
    apply.mockRestore()
    commit.mockRestore()
  })
})

/** An index is caught up with so many records of this length. */
async function catchUpWith(count: number, letters: number, progress = new Int32Array(2)) {
  const dataDir = temporaryFolder()
  const store = temporaryStore({ dataDir })
  const { documents, records } = store.tables
  const source = JSON.stringify({ title: 'x'.repeat(letters) })
  await store.write(() => {
    for (let ord = 1; ord <= count; ord += 1) {
      const record = { id: `d${ord}`, version: 1, createdMs: 0, updatedMs: 0, source }
      records.put([1, ord], encodeRecord(record))
      documents.put([1, `d${ord}`], ord)
    }
  })
  return catchUp(
    openReader(dataDir),
    { indexId: 1, engineId: 1, indexedAs: { times: [] }, progress },
    0,
  )
}

it('hands the core a bounded amount of text at a time, however much there is', async () => {
  const letters = 3 << 20
  const { replayed, sequence } = await catchUpWith(20, letters)
  expect([replayed, sequence]).toEqual([20, 20])
  const characters = jobs.map((own) => own.reduce((sum, each) => sum + each, 0))
  expect(Math.max(...characters)).toBeLessThan(CHARACTERS_MAX + 2 * letters)
  expect(jobs.map(({ length }) => length)).toEqual([6, 6, 6, 2])
})

it('hands it a bounded number of documents, however small they are', async () => {
  const { replayed } = await catchUpWith(2500, 1)
  expect(replayed).toBe(2500)
  expect(jobs.map(({ length }) => length)).toEqual([DOCUMENTS_MAX, DOCUMENTS_MAX, 500])
})

it('tells how far it is: how many documents are in, of how many', async () => {
  const progress = new Int32Array(2)
  const seen: number[][] = []
  vi.mocked(native.apply).mockImplementation((_, ords) => {
    seen.push([...progress])
    return new Uint8Array(ords.length)
  })
  await catchUpWith(2500, 1, progress)
  expect(seen).toEqual([
    [0, 2500],
    [1000, 2500],
    [2000, 2500],
  ])
  expect([...progress]).toEqual([2500, 2500])
})

it('an index whose records can not be read is closed again: the next attempt fails of the same, not of the first', () => {
  const directory = temporaryFolder()
  const settings = { embedder: 'learned', embedderDimensions: 384 } as const
  const definition = definitionJson(compileDefinition({}, {}, settings))
  const index = { indexId: 1, engineId: 9000, directory, definition, marks: [] }
  const input = { ...index, dataDir: temporaryFolder(), indexedAs: { times: [] } }
  for (let time = 0; time < 2; time += 1) expect(() => open(input)).toThrow('No such file')
  expect(() => native.close(index.engineId)).toThrow()
})
