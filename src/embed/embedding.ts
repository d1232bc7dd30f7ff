import type { Config } from '../config.ts'
import { serviceError } from '../errors.ts'
import { type EmbedOptions, type HttpEmbedderConfig, inBatches, openHttpEmbedder } from './http.ts'

/** Vectors from the endpoint, for whoever needs them: writes do not fail because the endpoint does. */
export interface Embedding {
  /**
   * Vectors of documents that are being written: undefined for those that could not be made, which are asked for
   * again later.
   */
  written: (texts: string[]) => Promise<(Float32Array | undefined)[]>
  /** Vectors of documents that still wait for theirs: nobody waits for the answer, so it is tried until `stop`. */
  waiting: (texts: string[]) => Promise<(Float32Array | undefined)[]>
  /** The vector of a query. Throws EMBEDDER_UNAVAILABLE. */
  query: (text: string) => Promise<Float32Array>
  /** Nothing more is asked for documents that wait. */
  stop: () => void
  close: () => Promise<void>
}

interface Log {
  warn: (about: object, message: string) => void
}

/** The share of a request's time that its vectors may take; the rest is for the request itself. */
const TIME_SHARE = 0.5

export function openEmbedding(
  config: HttpEmbedderConfig & Pick<Config, 'requestTimeoutMs'>,
  log: Log,
): Embedding {
  const { embedTexts, close } = openHttpEmbedder(config)
  const withinMs = config.requestTimeoutMs * TIME_SHARE
  const stopping = new AbortController()
  const { signal } = stopping

  /** A batch that fails takes no other with it. */
  async function embedBatches(texts: string[], options: EmbedOptions) {
    let failed = 0
    let err: unknown
    const vectors = await inBatches<Float32Array | undefined>(texts, (batch) =>
      embedTexts(batch, options).catch((cause: unknown) => {
        err ??= cause
        failed += batch.length
        return batch.map(() => undefined)
      }),
    )
    if (failed > 0 && options.signal?.aborted !== true)
      log.warn({ err, texts: failed }, 'the embedder gave no vectors; documents wait for theirs')
    return vectors
  }
  return {
    written: (texts) => embedBatches(texts, { kind: 'document', withinMs }),
    waiting: (texts) => embedBatches(texts, { kind: 'waiting', signal }),
    query: async (text) => {
      const [vector] = await embedTexts([text], { kind: 'query', withinMs })
      if (vector === undefined)
        throw serviceError('EMBEDDER_UNAVAILABLE', 'The embedder gave no vector.')
      return vector
    },
    stop: () => stopping.abort(),
    close,
  }
}
