import type { Config } from '../../config.ts'
import { wellFormedJson } from '../../json/well-formed.ts'
import { type AddedScores, orderedBy } from '../../schema/plan.ts'
import type { SearchRequest } from '../../schema/search.ts'
import { epochMs } from '../../shared-clock.ts'
import type { SearchInput } from '../../threads/pool.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import { type Added, joinAdded } from './added-scores.ts'
import type { CoreRequest } from './core-request.ts'
import { deadlineOf } from './deadline.ts'
import type { PageIndex } from './page.ts'
import { contextOf, modelOf, type Plan, type Ranking } from './ranking-plan.ts'
import type { SearchRead } from './read-search.ts'
import { tune } from './tune.ts'
import { packTuned } from './tuned-scores.ts'
import type { Warned } from './warnings/told.ts'

/** One search as it is known on the main thread. */
interface Asked {
  search: SearchRequest
  read: SearchRead
  plan: Plan
  /** The request as it was read, with the plan's tuning under it. */
  request: CoreRequest
  entries: IndexEntry[]
  vector: Float32Array | undefined
  told: Warned
  queryId: string
  /** The legs that are missing, if any are. */
  degraded: string[] | undefined
}

/** What a replay needs of a search. */
export interface Replayable {
  /** Ids of the indices. */
  indices: number[]
  /** The core's request, and the other ranking's. */
  request: object
  otherRequest?: object
  /** What was added to the other ranking's scores, where it is something else. */
  otherAdded?: Omit<AddedScores, 'pins'>
  /** Which hits of the list that both were dealt into, so deep, the page shows; earlier versions did not keep whose they are. */
  dealt?: { from: number; size: number; depth: number; variantIds?: readonly [string, string] }
  /** The query's own vector, base64 of float32. */
  vector?: string
  added?: Added[]
}

/**
 * The worker's job for a search that started then, by `sharedMs`, and JSON of what its impression says before it runs, if
 * it is recorded.
 */
export function searchJob(
  sent: Asked,
  startedMs: number,
  config: Pick<Config, 'dataDir' | 'requestTimeoutMs'>,
): { job: SearchInput; head: string | undefined } {
  const asked = ordered(sent)
  const { search, read, plan, request, entries, vector, told, queryId, degraded } = asked
  const { queryHash } = read
  const added = addedOf(plan, entries)
  const interleaved = dealtOf(asked)
  const job: SearchInput = {
    dataDir: config.dataDir,
    indices: entries.map(pageIndex),
    request: requestJson(interleaved === undefined ? request : fromTop(request, interleaved), plan),
    vector,
    fields: search.fields,
    highlight: highlightOf(search, request),
    listText: read.listText,
    list: plan.list,
    shownBefore: read.shownBefore,
    lacksVector: degraded?.includes('vector') === true,
    startedMs,
    endsMs: deadlineOf(startedMs, config),
    // As it was asked for, also where a leg is missing.
    context: contextOf(plan, { queryId, queryHash, searchType: read.request.mode, degraded }),
    told: told.texts.length === 0 ? undefined : told,
    added,
    evidence: undefined,
    draw: drawOf(plan, request),
    interleaved,
    recorded: plan.recorded !== undefined,
  }
  return { job, head: job.recorded ? impressionHead(asked, job) : undefined }
}

/** A list in the order of fields is no model's: none is asked, and none is named. */
function ordered(asked: Asked): Asked {
  const { model, shadow } = asked.plan
  const isUnasked = model === undefined && shadow === undefined
  if (isUnasked || orderedBy(asked.request) === 'score') return asked
  return { ...asked, plan: { ...asked.plan, model: undefined, shadow: undefined } }
}

export function pageIndex({ record }: IndexEntry): PageIndex {
  return { indexId: record.id, engineId: record.engineId, name: record.name }
}

/** The request as JSON, with what the plan, and one of its rankings, ask of the core besides. */
function requestJson(request: CoreRequest, plan: Plan, ranking: Ranking = plan): string {
  const { shadow, featured, device, agesAt } = plan
  const { model, rerankSize, clickRates } = ranking
  let json = wellFormedJson(request).slice(0, -1)
  if (model !== undefined) json += `,"rerank":{"model":${model.handle},"size":${rerankSize}}`
  if (shadow !== undefined) json += `,"shadow":${shadow.handle}`
  if (featured) json += ',"features":true'
  const asksFeatures = featured || model !== undefined || shadow !== undefined
  if (asksFeatures) json += `,"clickRates":${JSON.stringify(clickRates)},"agesAt":${agesAt}`
  if (asksFeatures && device > 0) json += `,"device":${device}`
  return `${json}}`
}

/** What rankings changes and learning add to scores, if they add anything. */
function addedOf({ tuning, added }: Ranking, entries: IndexEntry[]): AddedScores | undefined {
  const all = joinAdded(packTuned(tuning, entries), added)
  return all.count > 0 ? all : undefined
}

/** How the page's order is drawn, if it is: one that is dealt is not. */
function drawOf({ interleaved, exploration }: Plan, request: CoreRequest): SearchInput['draw'] {
  if (interleaved !== undefined || exploration?.explored !== true) return undefined
  const { seed, temperature } = exploration
  return { seed, temperature, relative: isRelative(request) }
}

/** The ranking that is dealt into the list, if one is, and which of the dealt hits the page shows. */
function dealtOf({ read, plan, request, entries }: Asked): SearchInput['interleaved'] {
  const { interleaved } = plan
  const { shownBefore: from } = read
  // Behind the hits that are dealt, the list is that of the first ranking.
  if (interleaved === undefined || from >= interleaved.depth) return undefined
  const { testId, variantIds, seed, depth, against } = interleaved
  const { facets: _, generation: __, ...other } = tune(read.request, against.tuning)
  const whole: CoreRequest = { ...other, mode: request.mode, from: 0, size: depth }
  if (request.vectorIn !== undefined) whole.vectorIn = request.vectorIn
  return {
    testId,
    variantIds,
    seed,
    depth,
    from,
    size: request.size,
    request: requestJson(whole, plan, against),
    added: addedOf(against, entries),
    evidence: undefined,
  }
}

/** The request for all hits that are dealt, and the page's own. */
function fromTop(request: CoreRequest, page: { from: number; size: number; depth: number }) {
  return { ...request, from: 0, size: Math.max(page.depth, page.from + page.size) }
}

/** Whether the scores of a request have no common span. */
function isRelative({ mode, fusion }: CoreRequest): boolean {
  return mode !== 'hybrid' || fusion === 'rrf'
}

function highlightOf({ highlight }: SearchRequest, request: CoreRequest): string | undefined {
  if (highlight === undefined || highlight === false) return undefined
  const options = highlight === true ? {} : highlight
  // What is marked are words: which documents are found says nothing of them.
  const { filter: _, ...words } = request
  return wellFormedJson({ ...words, highlight: options })
}

/** As much of a query's words as is written down, in UTF-16 units; `queryHash` stands for all of them. */
const LOGGED_CHARACTERS_MAX = 256

/** JSON of what is known of an impression before the search; the worker adds what was found. */
function impressionHead(
  { plan, search, read, request, queryId }: Asked,
  { interleaved, added, startedMs }: SearchInput,
): string {
  const { recorded, shadow, adaptations } = plan
  const model = modelOf(plan)
  const query = wellFormedJson((search.query ?? '').slice(0, LOGGED_CHARACTERS_MAX))
  // Ids, hashes and words of our own need no escapes.
  let head = `{"queryId":"${queryId}","queryHash":"${read.queryHash}","query":${query}`
  head += `,"searchType":"${request.mode}","timeMs":${Math.floor(epochMs(startedMs))}`
  head +=
    adaptations.length === 0 ? ',"adaptations":[]' : `,"adaptations":${wellFormedJson(adaptations)}`
  if (model !== undefined) head += `,"model":${wellFormedJson(model)}`
  if (shadow !== undefined) head += `,"shadowModel":${wellFormedJson(shadow.name)}`
  if (added !== undefined) head += `,"addedScores":${added.count}`
  if (interleaved !== undefined) {
    const { testId, seed } = interleaved
    head += `,"interleaved":{"testId":${wellFormedJson(testId)},"seed":${seed}}`
  } else if (plan.exploration !== undefined) {
    const { seed, epsilon, temperature } = plan.exploration
    head += `,"exploration":{"seed":${seed},"epsilon":${epsilon},"temperature":${temperature}`
    head += `,"relative":${isRelative(request)}}`
  }
  const said = wellFormedJson(recorded ?? {}).slice(1)
  return said === '}' ? `${head}}` : `${head},${said}`
}
