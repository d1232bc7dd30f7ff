import { dealTeams, drawOrder, spanOf } from '../src/learn/impressions/draw.ts'
import { type Found, writeFound } from '../src/learn/impressions/found.ts'
import { native, type SearchResult } from '../src/native.ts'
import { numberAdded } from '../src/search/added.ts'
import { encodeCursor } from '../src/search/cursor.ts'
import { type Evidence, showEvidence } from '../src/search/evidence.ts'
import { highlightHits } from '../src/search/highlights.ts'
import { type HitPlace, pickHits } from '../src/search/hits.ts'
import { type Appended, type PageIndex, writePage } from '../src/search/page.ts'
import { cursorHash } from '../src/search/query-hash.ts'
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
  cursorText: string
  /** Hits on the pages before this one. */
  shownBefore: number
  startedMs: number
  context: string
  /** What learning and ranking changes add to scores: `Added[]` as JSON. */
  added?: string
  /** What explanations show of learned scores. */
  evidence?: Evidence[]
  /** The page's order is drawn; `relative` when scores have no common span. */
  draw?: { seed: number; temperature: number; relative: boolean }
  /** Another ranking, by its request, that is dealt into the page. */
  interleaved?: { testId: string; seed: number; request: string }
  /** Whether the impression is written down. */
  recorded?: boolean
}

export interface SearchOutput {
  /** The envelope's `data` as UTF-8 JSON, and behind it what was found, for the impression. */
  data: LentBytes
  dataLength: number
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
  const { result, logged } = drawPage(askCore(reader, input), reader, input)
  const { data, dataLength } = writePage(reader, explained(result, reader, input), {
    indices: input.indices,
    startedMs: input.startedMs,
    context: input.context,
    ...(input.fields === undefined ? {} : { fields: input.fields }),
    ...(input.highlight === undefined
      ? {}
      : { highlights: highlightHits(reader, result, input.indices, input.highlight) }),
    ...(result.next === undefined ? {} : { nextCursor: cursorAfter(result, result.next, input) }),
    ...(input.recorded === true
      ? { appendix: (appended) => writeFoundOf(result, { input, logged }, appended) }
      : {}),
  })
  return { data, dataLength, total: result.total, hits: result.ords.length }
}

function explained(result: SearchResult, reader: Reader, input: SearchInput): SearchResult {
  const { evidence = [], indices } = input
  if (evidence.length === 0) return result
  const engines = new Map(indices.map(({ indexId, engineId }) => [indexId, engineId]))
  return showEvidence(result, evidence, (indexId, id) => {
    const engineId = engines.get(indexId)
    const ord = engineId === undefined ? undefined : reader.ordOf(indexId, id)
    return engineId === undefined || ord === undefined ? undefined : { engineId, ord }
  })
}

function askCore(reader: Reader, input: SearchInput, request = input.request): SearchResult {
  const engineIds = Float64Array.from(input.indices, ({ engineId }) => engineId)
  const { added } = input
  if (added === undefined) return native.search(engineIds, request, input.vector)
  const triples = numberAdded(reader, added, input.indices)
  return native.search(engineIds, request, input.vector, triples)
}

type Logged = Pick<Found, 'order' | 'teams'>

/** The page as it is shown: in greedy order, drawn, or dealt from two rankings. */
function drawPage(
  greedy: SearchResult,
  reader: Reader,
  input: SearchInput,
): { result: SearchResult; logged: Logged } {
  const { draw, interleaved } = input
  if (greedy.ords.length < 2) return { result: greedy, logged: {} }
  if (interleaved !== undefined) {
    const { seed, request } = interleaved
    const other = askCore(reader, input, request)
    const { places, teams } = dealTeams(namesOf(greedy), namesOf(other), seed)
    return {
      result: pickHits([greedy, other], places),
      logged: { teams },
    }
  }
  if (draw === undefined) return { result: greedy, logged: {} }
  const order = drawOrder(greedy.scores, draw, draw.relative ? spanOf(greedy.scores) : 1)
  const places = order.map((at): HitPlace => [0, at])
  return { result: pickHits([greedy], places), logged: { order } }
}

/** A name for each hit that two results share. */
function namesOf({ ids, ords }: SearchResult): string[] {
  return Array.from(ords, (ord, at) => `${ids[at]}/${ord}`)
}

function cursorAfter(result: SearchResult, after: string, input: SearchInput): string {
  return encodeCursor({
    generation: result.generation,
    after,
    queryHash: cursorHash(input.cursorText),
    shown: input.shownBefore + result.ords.length,
  })
}

/** Writes down what was shown and why, for the learning side. */
function writeFoundOf(
  result: SearchResult,
  { input, logged }: { input: SearchInput; logged: Logged },
  { write, idsBytes, tookMs }: Appended,
): void {
  const { total, generation, scores, ids, shadowScores, features = scoreParts(result) } = result
  const indexIds = new Int32Array(ids.length)
  for (let hit = 0; hit < ids.length; hit++) indexIds[hit] = indexIdOf(input.indices, ids[hit])
  const from = input.shownBefore
  const found = { total, generation, tookMs, from, scores, indexIds, features, shadowScores }
  writeFound({ ...found, ...logged }, idsBytes, write)
}

function indexIdOf(indices: readonly PageIndex[], engineId: number | undefined): number {
  return indices.find((index) => index.engineId === engineId)?.indexId ?? -1
}

/** The first features, which every search has at hand: normalised text and vector score, BM25, cosine. */
function scoreParts({ parts, ords }: SearchResult): Float32Array {
  const rows = new Float32Array(4 * ords.length)
  for (let at = 0; at < ords.length; at++) {
    const [bm25 = 0, cosine = 0, text = 0, vector = 0] = parts.subarray(4 * at, 4 * at + 4)
    rows.set([text, vector, bm25, Number.isNaN(cosine) ? 0 : cosine], 4 * at)
  }
  return rows
}
