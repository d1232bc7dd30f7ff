import { native, type SearchResult } from '../../native.ts'
import type { Reader } from '../../store/reader.ts'
import { sourceJson } from '../record.ts'
import type { PageIndex } from './page.ts'

/** Fragments of each hit as JSON, asked for once an index; `request` is the core's highlight request. */
export function highlightHits(
  reader: Reader,
  result: SearchResult,
  indices: PageIndex[],
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
