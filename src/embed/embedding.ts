import type { Config } from '../config.ts'
import { serviceError } from '../errors.ts'
import { type EmbedOptions, type HttpEmbedderConfig, inBatches, openHttpEmbedder } from './http.ts'

/** Vectors from the endpoint, for those who need them: none of them fails because it does. */
export interface Embedding {
  /** Of documents that are written now: undefined for those that could not be made, and are asked for again later. */
  written: (texts: string[]) => Promise<(Float32Array | undefined)[]>
  /** The same, of documents that wait for theirs, so that nobody waits for the answer; until it stops. */
  waiting: (texts: string[]) => Promise<(Float32Array | undefined)[]>
  /** Of a query. Throws EMBEDDER_UNAVAILABLE. */
  query: (text: string) => Promise<Float32Array>
  /** Nothing more is asked for documents that wait. */
  stop: () => void
  close: () => Promise<void>
}

interface Log {
  warn: (about: object, message: string) => void
}

/** Of the time of a request: the rest is for what it is about. */
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
