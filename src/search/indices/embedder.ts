import type { Config } from '../../config.ts'
import { invalid } from '../../errors.ts'
import { DIMENSIONS_MAX, DIMENSIONS_MIN, type IndexSettings } from '../../schema/indices.ts'
import { lowerWord, shownName } from '../../word.ts'

export interface Embedder {
  /** learned: from the index's own documents; http: from an endpoint; given: sent by the caller. */
  kind: 'learned' | 'http' | 'given'
  dimensions: number
  /** The dense_vector field of the mapping that holds each document's vector. */
  field?: string
  /**
   * Name of the endpoint's model that made the vectors, since those of another can't be compared with them; absent where
   * none was named.
   */
  model?: string
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
  const kind = lowerWord(sent.kind ?? sent.source ?? config.embedder)
  if (kind !== 'learned' && kind !== 'http' && kind !== 'given')
    throw invalid('settings.embedder.kind', 'must be learned, http or given')
  if (kind === 'learned') return { kind, dimensions: LEARNED_DIMENSIONS }
  const dimensions = mustBeDimensions(
    sent.dimensions ?? config.embedderDimensions,
    'settings.embedder.dimensions',
  )
  const embedder: Embedder = { kind, dimensions }
  if (kind === 'http' && sent.model !== undefined) embedder.model = readModel(sent.model)
  if (typeof sent.cut === 'number') embedder.cut = sent.cut
  if (sent.weights !== undefined) embedder.weights = readLegWeights(sent.weights)
  return embedder
}

function readModel(sent: unknown): string {
  if (typeof sent === 'string' && sent !== '') return sent
  throw invalid('settings.embedder.model', 'must be a text that is not empty')
}

function readLegWeights(sent: unknown): [number, number] {
  const [text, vector] = Array.isArray(sent) ? (sent as unknown[]) : []
  if (typeof text !== 'number' || typeof vector !== 'number')
    throw invalid('settings.embedder.weights', 'must be two numbers, for text and for vectors')
  return [text, vector]
}

/**
 * That the vectors come from elsewhere than was sent, or have another length: a field for them holds all that there are, and
 * has its own; learned ones always have the same.
 */
export function unheldVectors({ embedder: sent = {} }: IndexSettings, held: Embedder): string[] {
  const { dimensions, field } = held
  const kind = lowerWord(sent.kind ?? sent.source ?? held.kind)
  const told: string[] = []
  if (kind !== held.kind)
    told.push(
      `settings.embedder.kind: not honoured; the vectors are yours, those of "${shownName(field ?? '')}", a dense_vector of the mapping.`,
    )
  if (sent.dimensions !== undefined && sent.dimensions !== dimensions)
    told.push(`settings.embedder.dimensions: not honoured; the vectors have ${dimensions} numbers.`)
  return told
}

/** Gives back how many numbers vectors have; throws VALIDATION_FAILED about its place where that is out of bounds. */
export function mustBeDimensions(sent: unknown, path: string): number {
  const isWhole = typeof sent === 'number' && Number.isInteger(sent)
  if (isWhole && sent >= DIMENSIONS_MIN && sent <= DIMENSIONS_MAX) return sent
  throw invalid(path, `must be a whole number from ${DIMENSIONS_MIN} to ${DIMENSIONS_MAX}`)
}

/**
 * Why the endpoint of this server gives an index no vectors, as words behind its name; undefined
 * where it does, or is not asked.
 */
export type Unserved = (embedder: Embedder) => string | undefined

type Endpoint = Pick<Config, 'embedderUrl' | 'embedderDimensions' | 'embedderModel'>

/** What of the endpoint of a server does not fit an index; undefined where all does, or it is not asked. */
function misfitOf(
  { kind, dimensions, model }: Embedder,
  { embedderUrl, embedderDimensions, embedderModel }: Endpoint,
): 'address' | 'dimensions' | 'model' | undefined {
  if (kind !== 'http') return undefined
  if (embedderUrl === '') return 'address'
  if (dimensions !== embedderDimensions) return 'dimensions'
  return model === undefined || model === embedderModel ? undefined : 'model'
}

/** An index outlives the settings that it was made under: a later start may have no endpoint, or another one. */
export function unservedBy(endpoint: Endpoint): Unserved {
  const { embedderDimensions, embedderModel } = endpoint
  return (embedder) => {
    const { dimensions, model = '' } = embedder
    const misfit = misfitOf(embedder, endpoint)
    if (misfit === undefined) return undefined
    if (misfit === 'address')
      return 'takes its vectors from an endpoint, and this server has none (EMBEDDER_URL)'
    if (misfit === 'dimensions')
      return `holds vectors of ${dimensions} numbers, and the endpoint of this server gives such of ${embedderDimensions} (EMBEDDER_DIMENSIONS)`
    const asked = embedderModel === '' ? 'no model by name' : `"${shownName(embedderModel)}"`
    return `holds vectors of the model "${shownName(model)}", and this server asks its endpoint for ${asked} (EMBEDDER_MODEL)`
  }
}

/**
 * Throws VALIDATION_FAILED for vectors from an endpoint where the server has none, or one whose vectors are of another
 * length or model: no document of such an index would ever have a vector.
 */
export function refuseUnserved(embedder: Embedder, endpoint: Endpoint): void {
  const misfit = misfitOf(embedder, endpoint)
  if (misfit === undefined) return
  if (misfit === 'address')
    throw invalid(
      'settings.embedder.kind',
      'is http, and this server has no endpoint: start it with EMBEDDER_URL, or choose learned or given',
    )
  if (misfit === 'dimensions')
    throw invalid(
      'settings.embedder.dimensions',
      `must be ${endpoint.embedderDimensions}, the length of the endpoint's vectors (EMBEDDER_DIMENSIONS)`,
    )
  throw invalid('settings.embedder.model', otherModel(endpoint.embedderModel))
}

function otherModel(asked: string): string {
  return asked === ''
    ? 'must be left out: this server names no model to its endpoint (EMBEDDER_MODEL)'
    : `must be "${shownName(asked)}", the model that the endpoint is asked for (EMBEDDER_MODEL)`
}

/** As an index is made: with the model that the endpoint is asked for then, if that has a name. */
export function underModel(
  embedder: Embedder,
  { embedderModel }: Pick<Config, 'embedderModel'>,
): Embedder {
  if (embedder.kind !== 'http' || embedderModel === '') return embedder
  return { ...embedder, model: embedderModel }
}
