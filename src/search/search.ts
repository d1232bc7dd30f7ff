import { v7 as uuid } from 'uuid'
import type { Config } from '../config.ts'
import type { Pool, SearchInput } from '../pool.ts'
import type { SearchRequest, SuggestRequest } from '../schema/search.ts'
import type { DocumentName, Tuning } from '../schema/tuning.ts'
import type { Engine } from './engine.ts'
import type { IndexEntry, Indices } from './indices.ts'
import { wellFormedJson } from './json.ts'
import { type CoreRequest, cursorHash, planSearch } from './plan.ts'
import { openLentBytes } from './slab.ts'
import { type Added, tune, tunedScores } from './tune.ts'
import { checkDimensions, readVector } from './vector.ts'

/** What applies to this search besides its own words; the learning side fills it. */
export interface Plan {
  sessionId: string | undefined
  tuning: Tuning
  /** Learned additions to scores. */
  added: readonly { indexId: number; id: string; value: number }[]
  /** The model that ranks the first `rerankSize` candidates, and the one that is only asked. */
  model: { name: string; handle: number } | undefined
  shadow: { name: string; handle: number } | undefined
  rerankSize: number
  /** The page's order may be drawn. */
  exploration: { seed: number; epsilon: number; temperature: number } | undefined
  /** Another ranking that is dealt into the page. */
  interleaved: { testId: string; against: Tuning; seed: number } | undefined
  /** `id@version` */
  adaptations: string[]
  experiments: object[]
  /** What the impression says of who searched; undefined: the search is not recorded. */
  recorded: object | undefined
}

/** A search's answer: the envelope's `data` in UTF-8 JSON, and what the service keeps of it. */
export interface SearchAnswer {
  data: Uint8Array
  queryId: string
  queryHash: string
  total: number
  hits: number
}

export interface Search {
  /** Throws INDEX_NOT_FOUND, VALIDATION_FAILED and the like; a failing leg degrades instead. */
  run: (search: SearchRequest, startedMs: number) => Promise<SearchAnswer>
  suggest: (request: SuggestRequest) => Promise<object>
}

/** The vector of a query from an endpoint. */
export type EmbedQuery = (text: string) => Promise<Float32Array>

interface SearchParts {
  config: Pick<Config, 'dataDir'>
  pool: Pool
  indices: Indices
  engine: Engine
  plan: (search: SearchRequest, queryHash: string) => Plan
  /** Takes what a search showed, as bytes. */
  show: (queryId: string, impression: Uint8Array) => void
  embedQuery: EmbedQuery
}

export function openSearch(parts: SearchParts): Search {
  const { config, pool, engine, indices } = parts
  const bytesOf = openLentBytes()

  function named(index: string | string[] | undefined): IndexEntry[] {
    if (index === undefined) return indices.all()
    const names = Array.isArray(index) ? index : index.split(',')
    return [...new Set(names)].map((name) => indices.get(name))
  }

  return {
    run: async (search, startedMs) => {
      const entries = named(search.index)
      const { request: asked, queryHash, shownBefore } = planSearch(search)
      const plan = parts.plan(search, queryHash)
      const request = tune(asked, search, plan.tuning)
      const { vector, degraded } = await queryVector(search, request, entries, parts)
      const queryId = uuid()
      const searchType = request.mode
      const context = { queryId, queryHash, searchType, ...wirePlan(plan), ...degraded }
      const requestJson = wellFormedJson(coreRequest(request, plan))
      const added = [...plan.added.map(addedOf), ...tunedScores(plan.tuning, indicesOf(entries))]
      const input: SearchInput = {
        dataDir: config.dataDir,
        indices: entries.map(({ record }) => ({
          indexId: record.id,
          engineId: record.engineId,
          name: record.name,
        })),
        request: requestJson,
        cursorHash: cursorHash(search, queryHash),
        shownBefore,
        startedMs,
        context: JSON.stringify(context).slice(0, -1),
        ...(vector === undefined ? {} : { vector }),
        ...(search.fields === undefined ? {} : { fields: search.fields }),
        ...highlightRequest(search, request),
        ...(added.length === 0 ? {} : { added }),
        ...drawn(plan, request, () =>
          wellFormedJson(coreRequest(tune(asked, search, against(plan)), plan)),
        ),
        ...(plan.recorded === undefined
          ? {}
          : { impression: impressionHead({ ...context, plan, search, startedMs }, requestJson) }),
      }
      const found = await engine.using(entries, () => pool.search(input))
      const bytes = bytesOf(found.data)
      if (found.dataLength < bytes.length)
        parts.show(queryId, Uint8Array.prototype.slice.call(bytes, found.dataLength))
      return { ...found, data: bytes.subarray(0, found.dataLength), queryId, queryHash }
    },
    suggest: async ({ index, ...words }) => {
      const entries = named(index)
      const engineIds = Float64Array.from(entries, ({ record }) => record.engineId)
      const request = wellFormedJson(words)
      const found = await engine.using(entries, () => pool.run('suggest', { engineIds, request }))
      return JSON.parse(found) as object
    },
  }
}

function wirePlan({ sessionId, model, adaptations, experiments }: Plan): object {
  return { sessionId: sessionId ?? null, model: model?.name ?? null, adaptations, experiments }
}

/** The request with what the plan asks of the core besides. */
function coreRequest(request: CoreRequest, plan: Plan): CoreRequest {
  const { model, shadow, recorded, rerankSize } = plan
  return {
    ...request,
    ...(model === undefined ? {} : { rerank: { model: model.handle, size: rerankSize } }),
    ...(shadow === undefined ? {} : { shadow: shadow.handle }),
    ...(recorded === undefined ? {} : { features: true }),
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

function against({ tuning, interleaved }: Plan): Tuning {
  return { ...tuning, ...interleaved?.against }
}

/** How the page's order is drawn, if it is. */
function drawn(
  { exploration, interleaved }: Plan,
  { mode, fusion }: CoreRequest,
  otherRequest: () => string,
): Partial<Pick<SearchInput, 'exploration' | 'interleaved'>> {
  if (interleaved !== undefined) {
    const { testId, seed } = interleaved
    return { interleaved: { testId, seed, request: otherRequest() } }
  }
  if (exploration === undefined) return {}
  return { exploration: { ...exploration, relative: mode !== 'hybrid' || fusion === 'rrf' } }
}

const QUERY_LENGTH_MAX = 256

/** JSON of what is known of an impression before the search; the worker adds what was found. */
function impressionHead(
  about: {
    plan: Plan
    search: SearchRequest
    startedMs: number
    queryId: string
    queryHash: string
    searchType: string
  },
  request: string,
): string {
  const { plan, search, startedMs, queryId, queryHash, searchType } = about
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
    request,
  }
  return wellFormedJson(head).slice(0, -1)
}

interface QueryVector {
  vector?: Float32Array
  degraded: { degraded?: string[] }
}

/**
 * The query's vector when it comes from outside: the caller's, or an endpoint's.
 * An endpoint that fails costs a hybrid search its vector leg, not its answer.
 */
async function queryVector(
  search: SearchRequest,
  request: CoreRequest,
  entries: IndexEntry[],
  { embedQuery }: SearchParts,
): Promise<QueryVector> {
  if (search.vector !== undefined && request.mode !== 'text') {
    const vector = readVector(search.vector, 'vector')
    for (const { definition } of entries)
      checkDimensions(vector, definition.embedder.dimensions, 'vector')
    return { vector, degraded: {} }
  }
  const fromEndpoint = entries.some(({ definition }) => definition.embedder.kind === 'http')
  if (!fromEndpoint || request.mode === 'text' || request.query.trim() === '')
    return { degraded: {} }
  try {
    return { vector: await embedQuery(request.query), degraded: {} }
  } catch (cause) {
    if (request.mode === 'vector') throw cause
    request.mode = 'text'
    return { degraded: { degraded: ['vector'] } }
  }
}

function highlightRequest(search: SearchRequest, request: CoreRequest): { highlight?: string } {
  const { highlight } = search
  if (highlight === undefined || highlight === false) return {}
  const options = highlight === true ? {} : highlight
  return { highlight: wellFormedJson({ ...request, highlight: options }) }
}
