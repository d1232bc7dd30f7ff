import { native, type SearchResult } from '../../native.ts'
import type { AddedScores } from '../../schema/plan.ts'
import { openReader, type Reader } from '../../store/reader.ts'
import { numberAdded } from './added-scores.ts'
import { namesIds, numberIds } from './filter-ids.ts'
import type { PageIndex } from './page.ts'

/** What a thread reads for one search. */
export interface View {
  reader: Reader
  /** One whose documents the store holds: the newest before it was opened. */
  generation: number
}

/** A search, and what it says of documents whose numbers in the core are still to be looked up. */
interface Asking {
  dataDir: string
  indices: readonly PageIndex[]
  vector: Float32Array | undefined
  request: string
  added: AddedScores | undefined
}

/** In this order: the store then holds what the newest generation shows. */
export function openView(dataDir: string): View {
  const generation = native.generation()
  return { reader: openReader(dataDir), generation }
}

/** A request for the view of a generation. */
export function inView(request: string, generation: number): string {
  return `${request.slice(0, -1)},"generation":${generation}}`
}

/**
 * The core's answer. Where something was published since the store was opened, documents may have numbers that were not
 * looked up: then they are looked up anew for the view that was just searched, which is held. The newest one could be
 * followed by the next without end.
 */
export function askCore(
  view: View,
  asking: Asking,
  { request, added }: Pick<Asking, 'request' | 'added'> = asking,
): SearchResult {
  const { dataDir, indices, vector } = asking
  const engineIds = new Float64Array(indices.map(({ engineId }) => engineId))
  const byIds = namesIds(request)
  if (added === undefined && !byIds) return native.search(engineIds, request, vector)
  const ask = ({ reader, generation }: View, json: string) => {
    const triples = added && numberAdded(reader, added, { indices, generation })
    const numbered = byIds ? numberIds(reader, json, indices) : json
    return native.search(engineIds, numbered, vector, triples)
  }
  const first = ask(view, request)
  const { generation } = first
  if (generation <= view.generation) return first
  try {
    return ask({ reader: openReader(dataDir), generation }, inView(request, generation))
  } catch (cause) {
    // Very many views are wanted at once.
    if (!isGone(cause)) throw cause
    return askCore(openView(dataDir), asking, { request, added })
  }
}

function isGone(cause: unknown): boolean {
  return cause instanceof Error && cause.message.startsWith('GENERATION_GONE')
}
