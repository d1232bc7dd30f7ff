import { newId } from '../../../src/ids.ts'
import type { Impression, ReplayRecord, ShownHit } from '../../../src/learn/facts.ts'
import { writeFound } from '../../../src/learn/impressions/found.ts'
import type { ImpressionParts } from '../../../src/learn/impressions/impression.ts'
import { pageOf } from '../../../src/learn/impressions/shown-page.ts'

const NO_REPLAY: ReplayRecord = { indices: [], request: {} }

/** What an impression says of the hits that it shows. */
export function showing(
  hits: readonly (ShownHit & { score: number })[],
): Pick<Impression, 'page' | 'scores'> {
  const page = pageOf(hits.map(({ indexId, id }) => ({ indexId, id })))
  return { page, scores: hits.map(({ score }) => score) }
}

/** An impression of nobody's search, which showed three documents of one index; `more` says what is otherwise. */
export function impressionOf(more: Partial<Impression> = {}): Impression {
  return {
    queryId: newId(),
    queryHash: 'h',
    query: 'q',
    searchType: 'hybrid',
    timeMs: 2000,
    tookMs: 1,
    total: 3,
    from: 0,
    generation: 1,
    ...showing(['a', 'b', 'c'].map((id) => ({ indexId: 1, id, score: 1 }))),
    adaptations: [],
    variants: [],
    features: 0,
    ...more,
  }
}

/** The parts of an impression that is known as a whole. */
export function partsOf(
  impression: Impression,
  features: Float32Array,
  replay = NO_REPLAY,
): ImpressionParts {
  const { page, scores, total, generation, tookMs, from, ...more } = impression
  const { exploration, interleaved, ...rest } = more
  const { shadowScores, pinned, features: _, ...known } = rest
  const { explored, order, ...drawn } = exploration ?? { explored: false }
  const { teams, ...dealt } = interleaved ?? {}
  const head = {
    ...known,
    ...(exploration === undefined ? {} : { exploration: drawn }),
    ...(interleaved === undefined ? {} : { interleaved: dealt }),
  }
  const ids = Buffer.from(page.hits.map(({ id }) => JSON.stringify(id)).join())
  const found: Uint8Array[] = []
  writeFound(
    {
      ...{ total, generation, tookMs, from, features, teams, pinned },
      scores: Float64Array.from(scores),
      indexIds: Int32Array.from(page.hits, ({ indexId }) => indexId),
      shadowScores: shadowScores && Float32Array.from(shadowScores),
      order: explored ? order : undefined,
    },
    ids.length,
    (bytes) => found.push(bytes.slice()),
  )
  return {
    head: JSON.stringify(head),
    replay: JSON.stringify(replay),
    found: Buffer.concat([...found, ids]),
  }
}
