import { native, type SearchResult } from '../../native.ts'
import type { Reader } from '../../store/reader.ts'
import { sourceJson } from '../record.ts'
import { type PageIndex, refuseLargePage } from './page.ts'

/**
 * Bytes of sources that the core gets at a time, or one source of more. All of a page at once took as much memory as they
 * have: of a thousand large documents, more than there is. What is marked may be many times as long as its text.
 */
const GROUP_BYTES = 4 << 20

/** What is to be marked, and what of each hit is shown. */
interface Marking {
  indices: PageIndex[]
  /** The core's highlight request. */
  highlight: string | undefined
  fields: string[] | undefined
}

/** Fragments of each hit as JSON, if any are asked for. Throws what a page does that is too large. */
export function highlightHits(
  reader: Reader,
  result: SearchResult,
  { indices, highlight, fields }: Marking,
): (string | undefined)[] | undefined {
  if (highlight === undefined) return undefined
  const highlights: (string | undefined)[] = []
  const weigh = fields === undefined ? openScales(reader, result, indices) : () => {}
  let pageBytes = 0
  for (const { engineId, indexId } of indices) {
    let places: number[] = []
    let sources: string[] = []
    let bytes = 0
    const mark = (): void => {
      native.highlight(engineId, highlight, sources).forEach((fragments, n) => {
        highlights[places[n] as number] = fragments
        pageBytes += fragments.length
      })
      refuseLargePage(pageBytes)
      places = []
      sources = []
      bytes = 0
    }
    for (let at = 0; at < result.ords.length; at++) {
      if (result.ids[at] !== engineId) continue
      const record = reader.record(indexId, result.ords[at] ?? -1)
      if (record === undefined) continue
      const stored = sourceJson(record)
      const { length } = stored
      // Weighing reads other records, after which these bytes are others.
      const source = stored.toString()
      if (sources.length > 0 && bytes + length > GROUP_BYTES) {
        weigh()
        mark()
      }
      bytes += length
      if (fields === undefined) pageBytes += length
      refuseLargePage(pageBytes)
      places.push(at)
      sources.push(source)
    }
    if (sources.length > 0) mark()
  }
  return highlights
}

/** Refuses, once, a page whose sources alone are too large: to mark them first takes seconds. */
function openScales(reader: Reader, { ids, ords }: SearchResult, indices: PageIndex[]): () => void {
  let isWeighed = false
  return () => {
    if (isWeighed) return
    isWeighed = true
    const byEngine = new Map(indices.map(({ engineId, indexId }) => [engineId, indexId]))
    let bytes = 0
    for (let at = 0; at < ords.length; at++) {
      const record = reader.record(byEngine.get(ids[at] ?? -1) ?? -1, ords[at] ?? -1)
      if (record !== undefined) bytes += sourceJson(record).length
      refuseLargePage(bytes)
    }
  }
}
