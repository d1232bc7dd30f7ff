import { v7 as uuid } from 'uuid'
import type { Config } from '../config.ts'
import type { Pool } from '../pool.ts'
import type { SearchRequest, SuggestRequest } from '../schema/search.ts'
import type { Engine } from './engine.ts'
import type { IndexEntry, Indices } from './indices.ts'
import { wellFormedJson } from './json.ts'
import { type CoreRequest, cursorHash, planSearch } from './plan.ts'
import { openLentBytes } from './slab.ts'
import { checkDimensions, readVector } from './vector.ts'

/** What applies to this search besides its own words; the learning side fills it. */
export interface Plan {
  sessionId: string | undefined
  model: string | undefined
  adaptations: string[]
  experiments: object[]
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
  plan: (search: SearchRequest) => Plan
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
      const { request, queryHash } = planSearch(search)
      const { vector, degraded } = await queryVector(search, request, entries, parts)
      const queryId = uuid()
      const plan = parts.plan(search)
      const searchType = request.mode
      const context = { queryId, queryHash, searchType, ...wirePlan(plan), ...degraded }
      const input = {
        dataDir: config.dataDir,
        indices: entries.map(({ record }) => ({
          indexId: record.id,
          engineId: record.engineId,
          name: record.name,
        })),
        request: wellFormedJson(request),
        cursorHash: cursorHash(search, queryHash),
        startedMs,
        context: JSON.stringify(context).slice(0, -1),
        ...(vector === undefined ? {} : { vector }),
        ...(search.fields === undefined ? {} : { fields: search.fields }),
        ...highlightRequest(search, request),
      }
      const found = await engine.using(entries, () => pool.search(input))
      return { ...found, data: bytesOf(found.data), queryId, queryHash }
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
  return { sessionId: sessionId ?? null, model: model ?? null, adaptations, experiments }
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
