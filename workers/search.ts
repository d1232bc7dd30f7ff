import { dealTeams, drawOrder } from '../src/learn/impressions/draw.ts'
import { type Found, writeFound } from '../src/learn/impressions/found.ts'
import { native, type SearchResult } from '../src/native.ts'
import type { AddedScores } from '../src/schema/plan.ts'
import { askCore, inView, openView, type View } from '../src/search/query/core-answer.ts'
import { cursorAfter } from '../src/search/query/cursor.ts'
import { type Evidence, showEvidence } from '../src/search/query/evidence.ts'
import { highlightHits } from '../src/search/query/highlights.ts'
import { type HitPlace, pickHits } from '../src/search/query/hits.ts'
import { indexIdsOf, scoreParts } from '../src/search/query/logged-hits.ts'
import { type Appended, type PageIndex, writePage } from '../src/search/query/page.ts'
import { pinnedHits } from '../src/search/query/pinned-hits.ts'
import type { LentBytes } from '../src/search/query/slab.ts'
import type { Warned } from '../src/search/query/warnings/told.ts'
import { toldContext } from '../src/search/query/warnings/unkept-words.ts'
import { sharedMs } from '../src/shared-clock.ts'
import { openReader, type Reader } from '../src/store/reader.ts'
import { handOver } from '../src/threads/handover.ts'
import type { Outcome } from '../src/threads/shared-hops.ts'

// The main thread, which all answers pass through, goes first.
native.giveWay(3)

/**
 * What a worker is told of a search. Every search has all fields in this order, because code that meets a single
 * shape is the fastest.
 */
export interface SearchInput {
  dataDir: string
  indices: PageIndex[]
  /** The core's request as JSON. */
  request: string
  vector: Float32Array | undefined
  fields: string[] | undefined
  /** The core's highlight request as JSON. */
  highlight: string | undefined
  /** What a cursor of this list is tied to. */
  listText: string
  /** The list's number, for its cursor. */
  list: number
  /** Hits on the pages before this one. */
  shownBefore: number
  /** For its cursor: the list was begun without the vectors of an endpoint that failed. */
  lacksVector: boolean
  startedMs: number
  /** When nobody waits for it any more, by `sharedMs`: whatever it is doing ends then. */
  endsMs: number
  /** JSON of the searchContext without its last brace, and the warnings in it but those of the query's words. */
  context: string
  told: Warned | undefined
  /** What learning and ranking changes add to scores. */
  added: AddedScores | undefined
  /** What explanations show of learned scores. */
  evidence: Evidence[] | undefined
  /** The page's order is drawn; `relative` when scores have no common span. */
  draw: { seed: number; temperature: number; relative: boolean } | undefined
  /** Another ranking that is dealt into the list; `request` is then for its first hits, not for the page. */
  interleaved: Dealt | undefined
  /** Whether the impression is written down. */
  recorded: boolean
}

/** A ranking that is dealt, by its request for any view, into the first `depth` hits of another; a page of them is shown. */
interface Dealt {
  testId: string
  /** Whose the two rankings are, if that is known: explanations tell. */
  variantIds: readonly [string, string] | undefined
  seed: number
  depth: number
  from: number
  size: number
  request: string
  added: AddedScores | undefined
  evidence: Evidence[] | undefined
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
  let memory: ArrayBuffer[] | undefined
  const outcomes = inputs.map((input): Outcome<SearchOutput> => {
    try {
      const value = searchOne(input)
      const { pieces } = value.data
      if (pieces !== undefined) memory = [...(memory ?? []), ...pieces.map(({ buffer }) => buffer)]
      return { value }
    } catch (cause) {
      return { error: cause instanceof Error ? cause.message : String(cause) }
    }
  })
  return memory === undefined ? outcomes : handOver(outcomes, memory)
}

/** One search from the core's answer to the bytes of the reply: the only hop that a search makes. */
function searchOne(input: SearchInput): SearchOutput {
  native.endWithin(input.endsMs - sharedMs())
  const view = openView(input.dataDir)
  const { reader } = view
  const result = explain(askCore(view, input), reader, input)
  const logged = drawPage(result, view, input)
  const { indices, startedMs, endsMs, fields, recorded } = input
  const { data, dataLength } = writePage(reader, result, {
    indices,
    fields,
    highlights: highlightHits(reader, result, input),
    nextCursor: result.next === undefined ? undefined : cursorAfter(result, result.next, input),
    startedMs,
    endsMs,
    context: toldContext(input, result),
    appendix: recorded
      ? (appended) => writeFoundOf(result, { input, logged }, appended)
      : undefined,
  })
  return { data, dataLength, total: result.total, hits: result.ords.length }
}

function explain(
  result: SearchResult,
  reader: Reader,
  { evidence, indices }: Pick<SearchInput, 'evidence' | 'indices'>,
): SearchResult {
  if (evidence === undefined || evidence.length === 0) return result
  const engines = new Map(indices.map(({ indexId, engineId }) => [indexId, engineId]))
  return showEvidence(result, evidence, (indexId, id) => {
    const engineId = engines.get(indexId)
    if (engineId === undefined) return []
    return reader.ordsOf(indexId, id).map((ord) => ({ engineId, ord }))
  })
}

type Logged = Pick<Found, 'order' | 'teams' | 'pinned'>

const AS_IT_IS: Logged = { order: undefined, teams: undefined, pinned: undefined }

/** Makes the page what is shown: in greedy order, drawn, or dealt from two rankings. */
function drawPage(page: SearchResult, view: View, input: SearchInput): Logged {
  const { draw, interleaved, recorded } = input
  if (interleaved !== undefined) return dealPage(page, interleaved, input)
  if (draw === undefined && !recorded) return AS_IT_IS
  const pinned = pinnedHits(page, view, input)
  if (page.ords.length < 2 || draw === undefined) return { ...AS_IT_IS, pinned }
  const order = drawOrder(page.scores, { ...draw, pinned })
  const places = order.map((at): HitPlace => [0, at])
  pickHits([page], places)
  return { order, teams: undefined, pinned }
}

/**
 * Turns the first hits of a list into the page that the dealt list has at this place, and says how it goes on behind
 * them.
 */
function dealPage(first: SearchResult, dealt: Dealt, input: SearchInput): Logged {
  const hits = first.ords.length
  // One hit has no order: it is nobody's.
  const other = hits < 2 ? first : askOther(first, dealt, input)
  const deal = dealTeams(namesOf(first), namesOf(other), dealt)
  const end = dealt.from + dealt.size
  const teams = deal.teams.slice(dealt.from, end)
  pickHits([first, other], deal.places.slice(dealt.from, end))
  // Neither ranking has a position of its own among dealt hits: there the list goes on by their number.
  if (end < hits) first.next = ''
  if (hits < 2) return AS_IT_IS
  if (first.explain !== undefined)
    first.explain = first.explain.map((json, at) => ofTeam(json, teams[at], dealt))
  return { ...AS_IT_IS, teams }
}

/** The other ranking, of the view that the first one saw: something may have been published since. */
function askOther(
  { generation }: SearchResult,
  { request, added, evidence }: Dealt,
  input: SearchInput,
): SearchResult {
  const same = { reader: openReader(input.dataDir), generation }
  const other = askCore(same, input, { request: inView(request, generation), added })
  return explain(other, same.reader, { evidence, indices: input.indices })
}

/** An explanation with the variant whose ranking supplied the hit. */
function ofTeam(json: string, team: string | undefined, { variantIds }: Dealt): string {
  if (variantIds === undefined || (team !== 'a' && team !== 'b')) return json
  const [a, b] = variantIds
  return `${json.slice(0, -1)},"variant":${JSON.stringify(team === 'a' ? a : b)}}`
}

/** A name for each hit that two results share. */
function namesOf({ ids, ords }: SearchResult): string[] {
  return Array.from(ords, (ord, at) => `${ids[at]}/${ord}`)
}

/** Writes down what was shown and why, for the learning side. */
function writeFoundOf(
  result: SearchResult,
  { input, logged }: { input: SearchInput; logged: Logged },
  { write, idsBytes, tookMs }: Appended,
): void {
  const { total, generation, scores, ids, shadowScores, features = scoreParts(result) } = result
  const indexIds = indexIdsOf(ids, input.indices)
  const from = input.shownBefore
  writeFound(
    { total, generation, tookMs, from, scores, indexIds, features, shadowScores, ...logged },
    idsBytes,
    write,
  )
}
