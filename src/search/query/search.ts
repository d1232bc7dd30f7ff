import type { AnswerRoom } from '../../answer-room.ts'
import type { Config } from '../../config.ts'
import { invalid, ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { wellFormedJson } from '../../json/well-formed.ts'
import type { ListPlace } from '../../schema/plan.ts'
import type { SearchRequest } from '../../schema/search.ts'
import type { SuggestRequest } from '../../schema/suggest.ts'
import { sharedMs } from '../../shared-clock.ts'
import type { Pool, SearchInput } from '../../threads/pool.ts'
import type { Engine } from '../engine/engine.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import type { Indices } from '../indices/indices.ts'
import { refuseAnalysed } from './analysed.ts'
import { answering, named, onThoseLeft, searched } from './answering.ts'
import { refuseMistyped } from './comparable.ts'
import { deadlineOf } from './deadline.ts'
import { type Describe, evidenceOf } from './evidence.ts'
import { pageIndex, searchJob } from './job.ts'
import { type QueryVectors, queryVector } from './query-vector.ts'
import type { Plan } from './ranking-plan.ts'
import { readSearch, type SearchRead } from './read-search.ts'
import { type KeptSearch, type Replayed, replayJob, replayJson } from './replay.ts'
import type { LentSlabs, TakenPage } from './slab.ts'
import { tune } from './tune.ts'
import { type Suggested, searchWarnings, suggestWarnings } from './warnings/warnings.ts'

/** A search's answer. */
export interface SearchAnswer {
  /** The envelope's `data` in UTF-8 JSON. */
  data: TakenPage['data']
  queryId: string
  queryHash: string
}

/** What is known of a search's request. */
interface Around {
  /** A search whose client left while it waited for a thread is not run. */
  isLeft?: () => boolean
  /** Names of parameters in the address that nothing of the search was read from. */
  address?: readonly string[]
  /** It came with a body that nothing of the search was read from. */
  bodyUnread?: boolean
  /** Told how many bytes a long answer has: from then on the request that asked for it holds them. */
  hold?: (bytes: number, of: 'answer') => void
}

export interface Search {
  /**
   * Throws INDEX_NOT_FOUND, VALIDATION_FAILED and the like; a failing leg degrades instead. The start is by `sharedMs`.
   */
  run: (search: SearchRequest, startedMs: number, around?: Around) => Promise<SearchAnswer>
  /** `address` as in `Around`. */
  suggest: (request: SuggestRequest, address?: readonly string[]) => Promise<object>
  /** Runs a search again as it was shown, sources left out. Throws GENERATION_GONE when its view is held no more. */
  replay: (shown: KeptSearch) => Promise<Replayed>
}

interface SearchParts extends QueryVectors {
  config: Pick<Config, 'dataDir' | 'requestTimeoutMs'>
  pool: Pool
  answers: Pick<AnswerRoom, 'made' | 'refused'>
  /** Where threads lend their pages. */
  slabs: Pick<LentSlabs, 'take'>
  indices: Indices
  engine: Engine
  plan: (search: SearchRequest, queryHash: string, place: ListPlace) => Plan
  /** Told of each search that found its answer: one that fails, or is run again, is no other search of its session. */
  answered: (search: SearchRequest) => void
  /** What stands behind a learned score. */
  describe: Describe
  /** Takes what a search of a session, if it names one, showed; bytes are copied. */
  show: (
    queryId: string,
    shown: { head: string; replay: string; found: Uint8Array },
    sessionId: string | undefined,
  ) => void
}

export function openSearch(parts: SearchParts): Search {
  const { config, engine, indices } = parts
  const execute = openExecution(parts)

  function addEvidence(job: SearchInput, plan: Plan, queryHash: string): void {
    job.evidence = evidenceOf(plan, queryHash, parts.describe)
    if (job.interleaved !== undefined && plan.interleaved !== undefined)
      job.interleaved.evidence = evidenceOf(plan.interleaved.against, queryHash, parts.describe)
  }
  async function run(
    all: IndexEntry[],
    search: SearchRequest,
    startedMs: number,
    around: Around,
  ): Promise<SearchAnswer> {
    const { address = [], bodyUnread = false } = around
    const { entries, leftOut } = await answering(all, search, engine)
    const read = readSearch(search, (field) => isMapped(field, entries))
    refuseUnwhole(search, read, { entries, wholeFrom: indices.wholeFrom() })
    refuseAnalysed(read.request, entries)
    refuseMistyped(read.request, entries)
    const path = search.cursor === undefined ? 'generation' : 'cursor'
    refuseReplaced(entries, read.request.generation, path)
    const { queryHash } = read
    const queryId = newId()
    const place = { text: read.listText, list: read.list, queryId }
    const plan = parts.plan(search, queryHash, place)
    const request = tune(read.request, plan.tuning)
    const list = { entries, lacksVector: read.lacksVector }
    const { vector, missed, ...legs } = await queryVector(search, request, list, parts)
    const vain = { search, address, bodyUnread, read, plan, entries, leftOut, missed }
    const told = await searchWarnings(vain, engine)
    const degraded = leftOut.length === 0 ? legs.degraded : [...(legs.degraded ?? []), 'indices']
    const asked = { search, read, plan, request, entries, vector, told, queryId, degraded }
    const { job, head } = searchJob(asked, startedMs, config)
    if (search.explain === true) addEvidence(job, plan, queryHash)
    const { data, appendix: found } = await execute(entries, job, path, around)
    parts.answered(search)
    if (head !== undefined)
      parts.show(queryId, { head, replay: replayJson(job), found }, search.sessionId)
    return { data, queryId, queryHash }
  }
  return {
    run: (search, startedMs, around = NOBODY) =>
      onThoseLeft(
        search,
        () => searched(indices, search),
        (all) => run(all, search, startedMs, around),
      ),
    suggest: openSuggestions(parts),
    replay: async (shown) => {
      const entries = shown.indices
        .map((id) => indices.byId(id))
        .filter((entry) => entry !== undefined)
      if (entries.length < shown.indices.length)
        throw invalid('queryId', INDEX_GONE, 'INDEX_NOT_FOUND')
      refuseReplaced(entries, shown.generation, 'search')
      const job = replayJob(shown, entries, config)
      const { data } = await execute(entries, job, 'search')
      return JSON.parse(textOf(data)) as Replayed
    },
  }
}

function openSuggestions({ config, pool, engine, indices }: SearchParts): Search['suggest'] {
  return (sent, address = []) =>
    onThoseLeft(
      sent,
      () => named(indices, sent.index),
      async (all) => {
        const { index: _, ...words } = sent
        const { entries, leftOut } = await answering(all, sent, engine)
        const job = {
          dataDir: config.dataDir,
          indices: entries.map(pageIndex),
          request: wellFormedJson(words),
          endsMs: deadlineOf(sharedMs(), config),
        }
        const found = await engine.using(entries, () => pool.run('suggest', job))
        const shown = JSON.parse(found) as Suggested
        const warnings = suggestWarnings({ sent, address, leftOut }, shown)
        return warnings.length === 0 ? shown : { ...shown, warnings }
      },
    )
}

/** Runs searches in threads. That a view is gone is told of the field `path`, by which the client named it. */
function openExecution({ pool, answers, slabs, engine }: SearchParts) {
  return async (
    entries: IndexEntry[],
    job: SearchInput,
    path: keyof typeof VIEW_GONE,
    { isLeft, hold }: Around = NOBODY,
  ): Promise<TakenPage> => {
    try {
      const { data, dataLength } = await engine.using(entries, () => pool.search(job, isLeft))
      if (data.claimed !== undefined) {
        answers.made(data.claimed)
        hold?.(dataLength, 'answer')
      }
      return slabs.take(data, dataLength)
    } catch (cause) {
      throw hasNoRoom(cause) ? answers.refused() : retold(cause, path)
    }
  }
}

/**
 * Throws GENERATION_GONE where an index was deleted since the list was begun, or where its files can't be opened any more:
 * without its hits, further pages would repeat some of the others and leave some out.
 */
function refuseUnwhole(
  { index, cursor, generation }: SearchRequest,
  { indexCount }: SearchRead,
  { entries, wholeFrom }: { entries: IndexEntry[]; wholeFrom: number },
): void {
  if (indexCount !== undefined && indexCount !== entries.length)
    throw invalid('cursor', VIEW_GONE.cursor, 'GENERATION_GONE')
  if (index !== undefined || cursor !== undefined || generation === undefined) return
  if (generation < wholeFrom) throw invalid('generation', VIEW_GONE.generation, 'GENERATION_GONE')
}

/** Throws GENERATION_GONE where an index was built again since: its views are none of those before. */
function refuseReplaced(
  entries: readonly IndexEntry[],
  generation: number | undefined,
  path: keyof typeof VIEW_GONE,
): void {
  if (generation === undefined) return
  if (entries.some(({ replacedAt = 0 }) => generation < replacedAt))
    throw invalid(path, VIEW_GONE[path], 'GENERATION_GONE')
}

const NOBODY: Around = {}

function textOf(data: TakenPage['data']): string {
  return Buffer.concat(Array.isArray(data) ? data : [data]).toString()
}

/**
 * Whether a thread found no room for an answer. What comes from a thread has the thread's error as its cause; a search
 * that is OVERLOADED because too many wait was in no thread, and has none.
 */
function hasNoRoom(cause: unknown): boolean {
  return cause instanceof ServiceError && cause.code === 'OVERLOADED' && cause.cause !== undefined
}

const INDEX_GONE = "names a search of an index that is there no more; it can't be run again"

const VIEW_GONE = {
  generation: 'names a view of the indices that is held no more; search again without it',
  cursor: 'goes on in a view of the indices that is held no more; search again from the first page',
  search: "saw a view of the indices that is held no more; it can't be run again",
}

/** The failure as the client is told it: that a view is gone, of the field by which it was named. */
function retold(cause: unknown, path: keyof typeof VIEW_GONE): unknown {
  if (!(cause instanceof ServiceError) || cause.code !== 'GENERATION_GONE') return cause
  return invalid(path, VIEW_GONE[path], 'GENERATION_GONE')
}

function isMapped(field: string, entries: IndexEntry[]): boolean {
  return entries.some(({ definition }) => definition.fields.some(({ name }) => name === field))
}
