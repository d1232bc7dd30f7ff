import { native, type SearchResult } from '../src/native.ts'
import { encodeCursor } from '../src/search/cursor.ts'
import { type PageIndex, writePage } from '../src/search/page.ts'
import { sourceJson } from '../src/search/record.ts'
import type { LentBytes } from '../src/search/slab.ts'
import type { Outcome } from '../src/shared-hops.ts'
import { openReader, type Reader } from '../src/store/reader.ts'

// The main thread, which all answers pass through, goes first.
native.giveWay(3)

export interface SearchInput {
  dataDir: string
  indices: PageIndex[]
  /** The core's request as JSON. */
  request: string
  vector?: Float32Array
  fields?: string[]
  /** The core's highlight request as JSON. */
  highlight?: string
  /** What a cursor of this list is tied to. */
  cursorHash: string
  startedMs: number
  context: string
}

export interface SearchOutput {
  /** The envelope's `data` as UTF-8 JSON. */
  data: LentBytes
  total: number
  hits: number
}

/** Searches that share a hop, each by itself: what goes wrong with one does not touch the others. */
export function search(inputs: SearchInput[]): Outcome<SearchOutput>[] {
  return inputs.map((input) => {
    try {
      return { value: searchOne(input) }
    } catch (cause) {
      return { error: cause instanceof Error ? cause.message : String(cause) }
    }
  })
}

/** One search from the core's answer to the bytes of the reply: the only hop that a search makes. */
function searchOne(input: SearchInput): SearchOutput {
  const reader = openReader(input.dataDir)
  const engineIds = Float64Array.from(input.indices, ({ engineId }) => engineId)
  const result = native.search(engineIds, input.request, input.vector)
  const data = writePage(reader, result, {
    indices: input.indices,
    startedMs: input.startedMs,
    context: input.context,
    ...(input.fields === undefined ? {} : { fields: input.fields }),
    ...(input.highlight === undefined
      ? {}
      : { highlights: highlightHits(reader, result, input, input.highlight) }),
    ...(result.next === undefined
      ? {}
      : {
          nextCursor: encodeCursor({
            generation: result.generation,
            after: result.next,
            queryHash: input.cursorHash,
          }),
        }),
  })
  return { data, total: result.total, hits: result.ords.length }
}

/** Fragments per hit, asked for once an index. */
function highlightHits(
  reader: Reader,
  result: SearchResult,
  { indices }: SearchInput,
  request: string,
): (string | undefined)[] {
  const highlights: (string | undefined)[] = []
  for (const { engineId, indexId } of indices) {
    const places: number[] = []
    const sources: string[] = []
    for (let at = 0; at < result.ords.length; at++) {
      if (result.ids[at] !== engineId) continue
      const record = reader.record(indexId, result.ords[at] ?? -1)
      if (record === undefined) continue
      places.push(at)
      sources.push(sourceJson(record).toString())
    }
    if (places.length === 0) continue
    native.highlight(engineId, request, sources).forEach((fragments, n) => {
      const place = places[n]
      if (place !== undefined) highlights[place] = fragments
    })
  }
  return highlights
}
