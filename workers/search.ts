import type { Impression } from '../src/learn/facts.ts'
import { dealTeams, drawOrder, spanOf } from '../src/learn/impressions/draw.ts'
import { finishImpression } from '../src/learn/impressions/impression.ts'
import { native, type SearchResult } from '../src/native.ts'
import { numberAdded } from '../src/search/added.ts'
import { encodeCursor } from '../src/search/cursor.ts'
import { type Evidence, showEvidence } from '../src/search/evidence.ts'
import { highlightHits } from '../src/search/highlights.ts'
import { pickHits } from '../src/search/hits.ts'
import { type PageIndex, writePage } from '../src/search/page.ts'
import { cursorHash } from '../src/search/plan.ts'
import { replayJson } from '../src/search/shown.ts'
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
  /** The page's order may be drawn; `relative` when scores have no common span. */
  exploration?: { seed: number; epsilon: number; temperature: number; relative: boolean }
  /** Another ranking, by its request, that is dealt into the page. */
  interleaved?: { testId: string; seed: number; request: string }
  /** The impression as far as it is known: JSON without its last brace. */
  impression?: string
}

export interface SearchOutput {
  /** The envelope's `data` as UTF-8 JSON, and behind it the impression's bytes. */
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
  const head = input.impression
  const { data, dataLength } = writePage(reader, explained(result, reader, input), {
    indices: input.indices,
    startedMs: input.startedMs,
    context: input.context,
    ...(input.fields === undefined ? {} : { fields: input.fields }),
    ...(input.highlight === undefined
      ? {}
      : { highlights: highlightHits(reader, result, input.indices, input.highlight) }),
    ...(result.next === undefined ? {} : { nextCursor: cursorAfter(result, result.next, input) }),
    ...(head === undefined
      ? {}
      : { appendix: (ids) => impressionOf(result, ids, { input, head, logged }) }),
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

type Logged = Pick<Impression, 'exploration' | 'interleaved'>

/** The page as it is shown: in greedy order, drawn, or dealt from two rankings. */
function drawPage(
  greedy: SearchResult,
  reader: Reader,
  input: SearchInput,
): { result: SearchResult; logged: Logged } {
  const { exploration, interleaved } = input
  if (greedy.ords.length < 2) return { result: greedy, logged: {} }
  if (interleaved !== undefined) {
    const { testId, seed, request } = interleaved
    const other = askCore(reader, input, request)
    const { places, teams } = dealTeams(namesOf(greedy), namesOf(other), seed)
    return {
      result: pickHits([greedy, other], places),
      logged: { interleaved: { testId, seed, teams } },
    }
  }
  if (exploration === undefined) return { result: greedy, logged: {} }
  const { relative } = exploration
  const { order, logged } = drawOrder(greedy.scores, exploration, () =>
    relative ? spanOf(greedy.scores) : 1,
  )
  const result =
    order === undefined
      ? greedy
      : pickHits(
          [greedy],
          order.map((at) => [0, at]),
        )
  return { result, logged: { exploration: { ...logged, relative } } }
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

/** What was shown and why, for the learning side; `ids` are the hits' ids as JSON. */
function impressionOf(
  result: SearchResult,
  ids: string[],
  { input, head, logged }: { input: SearchInput; head: string; logged: Logged },
): Buffer {
  const byEngine = new Map(input.indices.map(({ indexId, engineId }) => [engineId, indexId]))
  const hits = ids.map((idJson, at) => ({
    indexId: byEngine.get(result.ids[at] ?? -1) ?? -1,
    idJson,
    score: result.scores[at] ?? 0,
  }))
  return finishImpression(
    { head, replay: replayJson(input) },
    {
      hits,
      total: result.total,
      generation: result.generation,
      tookMs: Math.max(0, Math.round(Date.now() - input.startedMs)),
      from: input.shownBefore,
      ...logged,
      ...(result.shadowScores === undefined
        ? {}
        : {
            shadowScores: Array.from(result.shadowScores, (score) => Number(score.toPrecision(6))),
          }),
      features: result.features ?? scoreParts(result),
    },
  )
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
