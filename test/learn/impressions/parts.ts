import type { Impression, ReplayRecord } from '../../../src/learn/facts.ts'
import { writeFound } from '../../../src/learn/impressions/found.ts'
import type { ImpressionParts } from '../../../src/learn/impressions/impression.ts'

const NO_REPLAY: ReplayRecord = { indices: [], request: {} }

/** The parts of an impression that is known as a whole. */
export function partsOf(
  impression: Impression,
  features: Float32Array,
  replay = NO_REPLAY,
): ImpressionParts {
  const { hits, total, generation, tookMs, from, exploration, interleaved, ...rest } = impression
  const { shadowScores, features: _, ...known } = rest
  const { explored, order, ...drawn } = exploration ?? { explored: false }
  const { teams, ...dealt } = interleaved ?? {}
  const head = {
    ...known,
    ...(exploration === undefined ? {} : { exploration: drawn }),
    ...(interleaved === undefined ? {} : { interleaved: dealt }),
  }
  const ids = Buffer.from(hits.map(({ id }) => JSON.stringify(id)).join())
  const found: Uint8Array[] = []
  writeFound(
    {
      ...{ total, generation, tookMs, from, features, teams },
      scores: Float64Array.from(hits, ({ score }) => score),
      indexIds: Int32Array.from(hits, ({ indexId }) => indexId),
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
