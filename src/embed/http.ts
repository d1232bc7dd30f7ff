import { Agent, request } from 'undici'
import type { Config } from '../config.ts'
import { serviceError } from '../errors.ts'
import { openGate } from '../gate.ts'
import { openQueryCache } from './query-cache.ts'
import { endpointError, retrying } from './retry.ts'
import { badReply, readVectors } from './vectors.ts'

/** Vectors from an OpenAI-compatible /embeddings endpoint. */
export interface HttpEmbedder {
  /**
   * One vector for each text, in their order, each of the configured length and finite. Texts go out in
   * batches, a few at a time; what can pass (429, 5xx, time-outs, lost connections) is tried again.
   * Throws EMBEDDER_UNAVAILABLE, or the signal's reason when it was aborted.
   */
  embedTexts: (texts: readonly string[], options: EmbedOptions) => Promise<Float32Array[]>
  close: () => Promise<void>
}

export interface EmbedOptions {
  /** Vectors of queries are remembered for a while; those of documents are not. */
  kind: 'document' | 'query'
  signal?: AbortSignal
}

export type HttpEmbedderConfig = Pick<
  Config,
  'embedderUrl' | 'embedderModel' | 'embedderKey' | 'embedderDimensions' | 'embedderTimeoutMs'
>

const BATCH_TEXTS = 64
const CALLS_MAX = 4
const REPLY_BYTES_MAX = 64 << 20
const QUERIES_KEPT = 1000
/** A searcher waits for a query's vector; a document's can take its time. */
const ATTEMPTS = { query: 2, document: 5 }

/** Opens the client; nothing is sent before the first text. */
export function openHttpEmbedder(config: HttpEmbedderConfig): HttpEmbedder {
  const agent = new Agent({ connections: 2 * CALLS_MAX, maxResponseSize: REPLY_BYTES_MAX })
  // Two lanes: a bulk load can't stand in front of a search.
  const gates = { document: openGate(CALLS_MAX), query: openGate(CALLS_MAX) }
  const queries = openQueryCache(QUERIES_KEPT)
  const post = openPost(config, agent)

  async function embedBatch(
    texts: readonly string[],
    { kind, signal }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const send = () => gates[kind](() => post(texts, signal))
    const reply = await retrying(send, ATTEMPTS[kind], signal)
    return readVectors(reply, texts.length, config.embedderDimensions)
  }
  async function embedAll(
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<Float32Array[]> {
    const batches: Promise<Float32Array[]>[] = []
    for (let from = 0; from < texts.length; from += BATCH_TEXTS)
      batches.push(embedBatch(texts.slice(from, from + BATCH_TEXTS), options))
    return (await Promise.all(batches)).flat()
  }
  async function embedTexts(texts: readonly string[], options: EmbedOptions) {
    options.signal?.throwIfAborted()
    if (config.embedderUrl === '')
      throw serviceError('EMBEDDER_UNAVAILABLE', 'No embedder is set up: set EMBEDDER_URL.')
    if (options.kind === 'document') return embedAll(texts, options)
    return queries.through(texts, (missing) => embedAll(missing, options))
  }
  return { embedTexts, close: () => agent.destroy() }
}

interface Reply {
  status: number
  text: string
  retryAfter: string | undefined
}

/** Makes the function that sends one batch; it answers with the parsed JSON or throws an EndpointError. */
function openPost(config: HttpEmbedderConfig, agent: Agent) {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (config.embedderKey !== '') headers.authorization = `Bearer ${config.embedderKey}`
  // Base64 is a quarter of the bytes; an endpoint that refuses the word is asked for numbers from then on.
  let encoding: string | undefined = 'base64'

  async function send(input: readonly string[], signal: AbortSignal | undefined): Promise<Reply> {
    const model = config.embedderModel === '' ? undefined : config.embedderModel
    const body = JSON.stringify({ model, input, encoding_format: encoding })
    const timeout = AbortSignal.timeout(config.embedderTimeoutMs)
    const response = await request(config.embedderUrl, {
      method: 'POST',
      headers,
      body,
      dispatcher: agent,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const text = await response.body.text()
    const retryAfter = response.headers['retry-after']
    return { status: response.statusCode, text, retryAfter: retryAfter?.toString() }
  }
  return async (input: readonly string[], signal: AbortSignal | undefined): Promise<unknown> => {
    let reply = await send(input, signal)
    if ((reply.status === 400 || reply.status === 422) && encoding !== undefined) {
      const before = encoding
      encoding = undefined
      const plain = await send(input, signal)
      // Refused both ways: it wasn't the encoding.
      if (plain.status >= 400) encoding = before
      reply = plain
    }
    if (reply.status >= 400) throw endpointError(reply.status, reply.retryAfter)
    return parse(reply.text)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw badReply('is not JSON', cause)
  }
}
