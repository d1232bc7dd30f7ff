import { invalid } from '../../errors.ts'
import { oneSpelling } from '../../ids.ts'
import type { Replay, ShownSearch } from '../../schema/impression.ts'
import type { Impression, ReplayRecord, StoredImpression } from '../facts.ts'
import type { Log } from '../loop/log.ts'
import { propensitiesOf } from './draw.ts'

/** What searches showed, to be read and run again. */
export interface Searches {
  /** Throws SEARCH_NOT_FOUND. */
  read: (queryId: string) => ShownSearch
  /** Runs a search again over the view that it saw. Throws SEARCH_NOT_FOUND, GENERATION_GONE. */
  replay: (queryId: string) => Promise<Replay>
}

export interface SearchesOptions {
  log: Pick<Log, 'find'>
  /** Names of the features in a row, and of an index. */
  featureNames: () => readonly string[]
  indexName: (indexId: number) => string
  run: (
    shown: Impression & ReplayRecord,
  ) => Promise<{ hits: { id: string; index: string; score: number }[]; total: number }>
}

const UNKNOWN = 'is not that of a search that is kept; searches are kept for RETENTION_MS'

export function openSearches(options: SearchesOptions): Searches {
  const { log, run } = options

  function find(queryId: string): StoredImpression {
    const found = log.find(oneSpelling(queryId))
    if (found === undefined) throw invalid('queryId', UNKNOWN, 'SEARCH_NOT_FOUND')
    return found
  }
  return {
    read: (queryId) => showSearch(find(queryId), options),
    replay: async (queryId) => {
      const { impression, replay } = find(queryId)
      const { hits, total } = await run({ ...impression, ...replay() })
      const same =
        hits.length === impression.page.hits.length &&
        hits.every(({ id }, at) => id === impression.page.hits[at]?.id)
      return { queryId, generation: impression.generation, same, total, hits }
    },
  }
}

type Names = Pick<SearchesOptions, 'indexName' | 'featureNames'>

function showSearch(found: StoredImpression, { indexName, featureNames }: Names): ShownSearch {
  const { impression } = found
  const { indices, request, added = [] } = found.replay()
  const { timeMs, tookMs, page, scores, features: width, ...same } = impression
  const names = featureNames()
  const rows = found.features()
  const propensityOf = propensityByPlace(impression)
  const named = (value: number, at: number) => [names[at] ?? `feature${at}`, value]
  return {
    ...same,
    model: same.model ?? null,
    timestamp: new Date(timeMs).toISOString(),
    took: tookMs,
    indices: indices.map(indexName),
    request,
    added: added
      .map(([indexId, id, value]) => ({ index: indexName(indexId), id, value }))
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value)),
    hits: page.hits.map(({ indexId, id }, at) => ({
      id,
      index: indexName(indexId),
      position: same.from + at + 1,
      score: scores[at] ?? 0,
      propensity: propensityOf(at),
      features: Object.fromEntries(Array.from(rows.subarray(at * width, (at + 1) * width), named)),
    })),
    features: names.slice(0, width),
  }
}

/** Of each place of a page; of a page that was dealt it is not known. */
function propensityByPlace(impression: Impression): (at: number) => number | null {
  if (impression.interleaved !== undefined) return () => null
  const chances = propensitiesOf(impression)
  return (at) => chances[at] ?? 1
}
