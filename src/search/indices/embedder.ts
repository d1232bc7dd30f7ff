import type { Config } from '../../config.ts'
import { invalid } from '../../errors.ts'
import type { IndexSettings } from '../../schema/indices.ts'
import { wordOf } from '../../word.ts'

export interface Embedder {
  /** learned: from the index's own documents; http: from an endpoint; given: sent by the caller. */
  kind: 'learned' | 'http' | 'given'
  dimensions: number
  /** The dense_vector field of the mapping that holds each document's vector. */
  field?: string
  /** Similarity cut-off and leg weights of vectors from outside; the learned space measures its own. */
  cut?: number
  weights?: [number, number]
}

const LEARNED_DIMENSIONS = 256

/** Where an index's vectors come from, as its settings or the server's say. Throws VALIDATION_FAILED, naming the place. */
export function readEmbedder(
  settings: IndexSettings,
  config: Pick<Config, 'embedder' | 'embedderDimensions'>,
): Embedder {
  const sent = (settings.embedder ?? {}) as Record<string, unknown>
  const kind = wordOf(sent.kind ?? sent.source ?? config.embedder).toLowerCase()
  if (kind !== 'learned' && kind !== 'http' && kind !== 'given')
    throw invalid('settings.embedder.kind', 'must be learned, http or given')
  if (kind === 'learned') return { kind, dimensions: LEARNED_DIMENSIONS }
  const dimensions = sent.dimensions ?? config.embedderDimensions
  if (!isLength(dimensions))
    throw invalid('settings.embedder.dimensions', 'must be a whole number from 2 to 4096')
  const embedder: Embedder = { kind, dimensions }
  if (typeof sent.cut === 'number') embedder.cut = sent.cut
  if (sent.weights !== undefined) embedder.weights = readLegWeights(sent.weights)
  return embedder
}

function readLegWeights(sent: unknown): [number, number] {
  const [text, vector] = Array.isArray(sent) ? (sent as unknown[]) : []
  if (typeof text !== 'number' || typeof vector !== 'number')
    throw invalid('settings.embedder.weights', 'must be two numbers, for text and for vectors')
  return [text, vector]
}

/** Whether vectors may have this length. */
export function isLength(dimensions: unknown): dimensions is number {
  return (
    typeof dimensions === 'number' &&
    Number.isInteger(dimensions) &&
    dimensions >= 2 &&
    dimensions <= 4096
  )
}

/** Why the endpoint of this server gives an index no vectors, as words behind its name; undefined where it does, or is not asked. */
export type Unserved = (embedder: Embedder) => string | undefined

type Endpoint = Pick<Config, 'embedderUrl' | 'embedderDimensions'>

/** An index outlives the settings that it was made under: a later start may have no endpoint, or another one. */
export function unservedBy({ embedderUrl, embedderDimensions }: Endpoint): Unserved {
  return ({ kind, dimensions }) => {
    if (kind !== 'http') return undefined
    if (embedderUrl === '')
      return 'takes its vectors from an endpoint, and this server has none (EMBEDDER_URL)'
    if (dimensions === embedderDimensions) return undefined
    return `holds vectors of ${dimensions} numbers, and the endpoint of this server gives such of ${embedderDimensions} (EMBEDDER_DIMENSIONS)`
  }
}

/**
 * Throws VALIDATION_FAILED for vectors from an endpoint where the server has none, or one whose vectors are of another
 * length: no document of such an index would ever have a vector.
 */
export function mustBeServed(
  { kind, dimensions }: Embedder,
  { embedderUrl, embedderDimensions }: Endpoint,
): void {
  if (kind !== 'http') return
  if (embedderUrl === '')
    throw invalid(
      'settings.embedder.kind',
      'is http, and this server has no endpoint: start it with EMBEDDER_URL, or choose learned or given',
    )
  if (dimensions !== embedderDimensions)
    throw invalid(
      'settings.embedder.dimensions',
      `must be ${embedderDimensions}, the length of the endpoint’s vectors (EMBEDDER_DIMENSIONS)`,
    )
}
