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
  const { log, indexName, featureNames } = options

  function find(queryId: string): StoredImpression {
    const found = log.find(oneSpelling(queryId))
    if (found === undefined) throw invalid('queryId', UNKNOWN, 'SEARCH_NOT_FOUND')
    return found
  }
  return {
    read: (queryId) => {
      const found = find(queryId)
      const { impression, replay } = found
      const features = found.features()
      const { indices, request, added = [] } = replay()
      const { timeMs, tookMs, page, scores, from, ...same } = impression
      const names = featureNames()
      const width = impression.features
      const chances = propensitiesOf(impression)
      const { interleaved } = impression
      return {
        ...same,
        model: same.model ?? null,
        timestamp: new Date(timeMs).toISOString(),
        took: tookMs,
        from,
        indices: indices.map(indexName),
        request,
        added: added
          .map(([indexId, id, value]) => ({ index: indexName(indexId), id, value }))
          .sort((a, b) => Math.abs(b.value) - Math.abs(a.value)),
        hits: page.hits.map(({ indexId, id }, at) => ({
          id,
          index: indexName(indexId),
          position: from + at + 1,
          score: scores[at] ?? 0,
          propensity: interleaved === undefined ? (chances[at] ?? 1) : null,
          features: Object.fromEntries(
            Array.from(features.subarray(at * width, (at + 1) * width), (value, n) => [
              names[n] ?? `feature${n}`,
              value,
            ]),
          ),
        })),
        features: names.slice(0, width),
      }
    },
    replay: async (queryId) => {
      const { impression, replay } = find(queryId)
      const { hits, total } = await options.run({ ...impression, ...replay() })
      const same =
        hits.length === impression.page.hits.length &&
        hits.every(({ id }, at) => id === impression.page.hits[at]?.id)
      return { queryId, generation: impression.generation, same, total, hits }
    },
  }
}
