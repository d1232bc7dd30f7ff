import type { SearchInput } from '../pool.ts'
import type { SearchRequest } from '../schema/search.ts'
import type { DocumentName } from '../schema/tuning.ts'
import type { IndexEntry } from './indices.ts'
import { wellFormedJson } from './json.ts'
import type { PageIndex } from './page.ts'
import { type CoreRequest, cursorHash, type PlannedSearch } from './plan.ts'
import type { Plan } from './ranking-plan.ts'
import { type Added, tune, tunedScores } from './tune.ts'

/** One search as it is known on the main thread. */
export interface Asked {
  search: SearchRequest
  planned: PlannedSearch
  plan: Plan
  /** The planned request with the plan's tuning under it. */
  request: CoreRequest
  entries: IndexEntry[]
  vector: Float32Array | undefined
  /** The searchContext so far. */
  context: { queryId: string; queryHash: string; searchType: string }
  startedMs: number
  dataDir: string
}

/** What a replay needs of a search. */
export interface Replayable {
  /** Ids of the indices. */
  indices: number[]
  /** The core's request, and the other ranking's. */
  request: object
  otherRequest?: object
  /** The query's own vector, base64 of float32. */
  vector?: string
  added?: Added[]
}

/** Documents whose score one search may change; the core takes no more. */
const ADDED_MAX = 4096

/** The worker's job for a search. */
export function searchJob(asked: Asked): SearchInput {
  const { search, planned, plan, request, entries, vector } = asked
  const requestJson = wellFormedJson(coreRequest(request, plan))
  const tuned = tunedScores(plan.tuning, indicesOf(entries))
  const added = [...tuned, ...plan.added.map(addedOf)].slice(0, ADDED_MAX)
  const draw = drawOf(asked)
  return {
    dataDir: asked.dataDir,
    indices: entries.map(pageIndex),
    request: requestJson,
    cursorHash: cursorHash(search, planned.queryHash),
    shownBefore: planned.shownBefore,
    startedMs: asked.startedMs,
    context: JSON.stringify(asked.context).slice(0, -1),
    ...(vector === undefined ? {} : { vector }),
    ...(search.fields === undefined ? {} : { fields: search.fields }),
    ...highlightRequest(search, request),
    ...(added.length === 0 ? {} : { added }),
    ...draw,
    ...(plan.recorded === undefined
      ? {}
      : {
          impression: {
            head: impressionHead(asked, added.length),
            replay: replayJson(entries, requestJson, { added, vector, ...draw }),
          },
        }),
  }
}

/** A `Replayable` as JSON, from requests that are JSON already. */
function replayJson(
  entries: IndexEntry[],
  request: string,
  {
    added,
    vector,
    interleaved,
  }: Pick<SearchInput, 'added' | 'interleaved'> & {
    vector: Float32Array | undefined
  },
): string {
  const parts = [`"indices":[${entries.map(({ record }) => record.id)}]`, `"request":${request}`]
  if (interleaved !== undefined) parts.push(`"otherRequest":${interleaved.request}`)
  if (vector !== undefined)
    parts.push(`"vector":"${Buffer.from(vector.buffer).toString('base64')}"`)
  if (added !== undefined && added.length > 0) parts.push(`"added":${wellFormedJson(added)}`)
  return `{${parts}}`
}

export function pageIndex({ record }: IndexEntry): PageIndex {
  return { indexId: record.id, engineId: record.engineId, name: record.name }
}

/** The request with what the plan asks of the core besides. */
function coreRequest(request: CoreRequest, plan: Plan): CoreRequest {
  const { model, shadow, featured, rerankSize } = plan
  return {
    ...request,
    ...(model === undefined ? {} : { rerank: { model: model.handle, size: rerankSize } }),
    ...(shadow === undefined ? {} : { shadow: shadow.handle }),
    ...(featured ? { features: true } : {}),
  }
}

function addedOf({ indexId, id, value }: Plan['added'][number]): Added {
  return [indexId, id, value]
}

/** Which of the searched indices a document's name may mean. */
function indicesOf(entries: IndexEntry[]): (document: DocumentName) => number[] {
  return ({ index }) =>
    entries
      .filter(({ record }) => index === undefined || record.name === index)
      .map(({ record }) => record.id)
}

/** How the page's order is drawn, if it is. */
function drawOf({
  search,
  planned,
  plan,
  request,
}: Asked): Partial<Pick<SearchInput, 'exploration' | 'interleaved'>> {
  const { exploration, interleaved, tuning } = plan
  if (interleaved !== undefined) {
    const { testId, seed, against } = interleaved
    const other = tune(planned.request, search, { ...tuning, ...against })
    return { interleaved: { testId, seed, request: wellFormedJson(coreRequest(other, plan)) } }
  }
  if (exploration === undefined) return {}
  const relative = request.mode !== 'hybrid' || request.fusion === 'rrf'
  return { exploration: { ...exploration, relative } }
}

const QUERY_LENGTH_MAX = 256

/** JSON of what is known of an impression before the search, without its last brace; the worker adds what was found. */
function impressionHead({ plan, search, startedMs, context }: Asked, addedScores: number): string {
  const { queryId, queryHash, searchType } = context
  const head = {
    queryId,
    queryHash,
    query: (search.query ?? '').slice(0, QUERY_LENGTH_MAX),
    searchType,
    timeMs: Math.floor(startedMs),
    ...plan.recorded,
    ...(plan.model === undefined ? {} : { model: plan.model.name }),
    ...(plan.shadow === undefined ? {} : { shadowModel: plan.shadow.name }),
    adaptations: plan.adaptations,
    ...(addedScores === 0 ? {} : { addedScores }),
  }
  return wellFormedJson(head).slice(0, -1)
}

function highlightRequest(search: SearchRequest, request: CoreRequest): { highlight?: string } {
  const { highlight } = search
  if (highlight === undefined || highlight === false) return {}
  const options = highlight === true ? {} : highlight
  return { highlight: wellFormedJson({ ...request, highlight: options }) }
}
