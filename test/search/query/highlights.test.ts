import { afterEach, expect, it, vi } from 'vitest'
import { native, type SearchResult } from '../../../src/native.ts'
import { highlightHits } from '../../../src/search/query/highlights.ts'
import { encodeRecord } from '../../../src/search/record.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const MIB = 1 << 20
const indices = [
  { indexId: 1, engineId: 11, name: 'a' },
  { indexId: 2, engineId: 12, name: 'b' },
]

/** Hits with such long sources, by turns of both indices. */
function hits(...lengths: number[]) {
  const ids = lengths.map((_, at) => 11 + (at % 2))
  const result = { ids, ords: lengths.map((_, at) => at) } as unknown as SearchResult
  const head = { id: 'x', version: 1, createdMs: 0, updatedMs: 0 }
  const record = (_index: number, ord: number) =>
    encodeRecord({ ...head, source: `${ord}`.padEnd(lengths[ord] as number) })
  const reader = { record } as unknown as Parameters<typeof highlightHits>[0]
  return (isWhole: boolean) => {
    const fields = isWhole ? undefined : []
    return highlightHits(reader, result, { indices, highlight: '{}', fields })
  }
}

function markedBy(mark: (source: string) => string) {
  return vi
    .spyOn(native, 'highlight')
    .mockImplementation((_id, _request, sources) => sources.map(mark))
}

it('gives the core a few megabytes of sources at a time, and each hit its fragments', () => {
  const highlight = markedBy((source) => source.trim())
  const marked = hits(3 * MIB, 1, 3 * MIB, 1, 9 * MIB, 1, 1, 1)(false)
  expect(marked).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  const given = highlight.mock.calls.map(([id, , sources]) => [id, sources.length])
  expect(given).toEqual([
    [11, 1],
    [11, 1],
    [11, 1],
    [11, 1],
    [12, 4],
  ])
})

it('refuses a page that is too large before more of it is read', () => {
  const highlight = markedBy(() => '')
  expect(() => hits(...Array.from({ length: 20 }, () => 10 * MIB))(true)).toThrow('64 MiB')
  expect(highlight).not.toHaveBeenCalled()
  expect(() => hits(...Array.from({ length: 60 }, () => 3 * MIB))(true)).toThrow('64 MiB')
  expect(highlight.mock.calls.length).toBeLessThan(2)
  markedBy(() => 'x'.repeat(20 * MIB))
  expect(() => hits(5, 5, 5, 5, 5, 5, 5, 5)(false)).toThrow('64 MiB')
})
