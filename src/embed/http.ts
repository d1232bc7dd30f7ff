import { Agent, request } from 'undici'
import { type Config, variableOf } from '../config.ts'
import { basicCredentials } from '../credentials.ts'
import { serviceError } from '../errors.ts'
import { openSemaphore } from '../semaphore.ts'
import { openBreaker } from './breaker.ts'
import { openQueryCache } from './query-cache.ts'
import { endpointError, lateCall, retrying } from './retry.ts'
import { badReply, readVectors } from './vectors.ts'

/** Vectors from an OpenAI-compatible /embeddings endpoint. */
export interface HttpEmbedder {
  /**
   * One vector for each text, in their order, each of the configured length and finite. Texts go out in
   * batches, a few at a time; what can pass (429, 5xx, time-outs, lost connections) is tried again.
   * Throws EMBEDDER_UNAVAILABLE, at once while the endpoint is left alone (see breaker.ts), or the signal's reason when
   * it was aborted.
   */
  embedTexts: (texts: readonly string[], options: EmbedOptions) => Promise<Float32Array[]>
  close: () => Promise<void>
}

export interface EmbedOptions {
  /** Vectors of queries are remembered for a while; those of documents, written now or waiting for theirs, are not. */
  kind: Kind
  /** Time for all of it, when somebody waits. */
  withinMs?: number
  signal?: AbortSignal
}

type Kind = 'document' | 'query' | 'waiting'

export type HttpEmbedderConfig = Pick<
  Config,
  'embedderUrl' | 'embedderModel' | 'embedderKey' | 'embedderDimensions' | 'embedderTimeoutMs'
>

/** Texts of one call. */
const BATCH_TEXTS = 64
const CALLS_MAX = 4
const REPLY_BYTES_MAX = 64 << 20
const QUERIES_KEPT = 1000
/** A searcher waits for a query's vector; a document's can take its time. */
const ATTEMPTS: Record<Kind, number> = { query: 2, document: 5, waiting: 5 }
/** A call that has less of its time than this is not begun: it would most likely be cut off. */
const TIME_SHARE_MIN = 0.5

/** Opens the client; nothing is sent before the first text. */
export function openHttpEmbedder(config: HttpEmbedderConfig): HttpEmbedder {
  const agent = new Agent({ connections: 3 * CALLS_MAX, maxResponseSize: REPLY_BYTES_MAX })
  // Three lanes: a bulk load can't stand in front of a search, nor what is made up for in front of either.
  const [document, query, waiting] = [
    openSemaphore(CALLS_MAX),
    openSemaphore(CALLS_MAX),
    openSemaphore(CALLS_MAX),
  ]
  const gates = { document, query, waiting }
  const breaker = openBreaker()
  const queries = openQueryCache(QUERIES_KEPT)
  const post = openPost(config, agent)

  async function embedBatch(
    texts: readonly string[],
    { kind, signal, withinMs = Infinity }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const deadlineMs = performance.now() + withinMs
    const wholeMs = Math.min(config.embedderTimeoutMs, withinMs)
    const send = () =>
      gates[kind](() => {
        const timeoutMs = Math.min(wholeMs, deadlineMs - performance.now())
        if (timeoutMs < wholeMs * TIME_SHARE_MIN) throw tooLate()
        // Timers of signals take whole milliseconds only.
        return breaker(() => post(texts, { timeoutMs: Math.ceil(timeoutMs), signal }), signal)
      })
    const reply = await retrying(send, { attemptsMax: ATTEMPTS[kind], deadlineMs, signal })
    return readVectors(reply, texts.length, config.embedderDimensions)
  }
  const embedAll = (texts: readonly string[], options: EmbedOptions) =>
    inBatches(texts, (batch) => embedBatch(batch, options))
  async function embedTexts(texts: readonly string[], options: EmbedOptions) {
    options.signal?.throwIfAborted()
    if (config.embedderUrl === '')
      throw serviceError('EMBEDDER_UNAVAILABLE', 'No embedder is set up: set EMBEDDER_URL.')
    if (options.kind !== 'query') return embedAll(texts, options)
    return queries.through(texts, (missing) => embedAll(missing, options))
  }
  return { embedTexts, close: () => agent.destroy() }
}

/** One vector for each text, in their order, of all that one call takes at a time. */
export async function inBatches<Vector>(
  texts: readonly string[],
  embed: (batch: readonly string[]) => Promise<Vector[]>,
): Promise<Vector[]> {
  const batches: Promise<Vector[]>[] = []
  for (let from = 0; from < texts.length; from += BATCH_TEXTS)
    batches.push(embed(texts.slice(from, from + BATCH_TEXTS)))
  return (await Promise.all(batches)).flat()
}

function tooLate(): Error {
  return serviceError('EMBEDDER_UNAVAILABLE', `The embedder did not answer ${OF_REQUEST}.`)
}

/** What ends a call before its own time. */
const OF_REQUEST = `in the time that a request leaves it, half of the setting ${variableOf('requestTimeoutMs')} with all attempts`

/** How long a call may take; the signal ends it before. */
interface Limits {
  timeoutMs: number
  signal: AbortSignal | undefined
}

interface Reply {
  status: number
  text: string
  retryAfter: string | undefined
}

/** Makes the function that sends one batch; it answers with the parsed JSON or throws an EndpointError. */
function openPost(config: HttpEmbedderConfig, agent: Agent) {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const authorization = authorizationOf(config)
  if (authorization !== undefined) headers.authorization = authorization
  // Base64 is a quarter of the bytes; an endpoint that refuses the word is asked for numbers from then on.
  let encoding: string | undefined = 'base64'
  const { embedderTimeoutMs } = config
  const own = `within ${embedderTimeoutMs} ms, the setting ${variableOf('embedderTimeoutMs')}`

  async function send(input: readonly string[], { timeoutMs, signal }: Limits): Promise<Reply> {
    const model = config.embedderModel === '' ? undefined : config.embedderModel
    const body = JSON.stringify({ model, input, encoding_format: encoding })
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
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
    } catch (cause) {
      if ((cause as Error).name !== 'TimeoutError') throw cause
      throw lateCall(cause, timeoutMs < embedderTimeoutMs ? OF_REQUEST : own)
    }
  }
  return async (input: readonly string[], limits: Limits): Promise<unknown> => {
    let reply = await send(input, limits)
    if ((reply.status === 400 || reply.status === 422) && encoding !== undefined) {
      const before = encoding
      encoding = undefined
      const plain = await send(input, limits)
      // Refused both ways: it wasn't the encoding.
      if (plain.status >= 400) encoding = before
      reply = plain
    }
    // Redirects are not followed: they would take the key elsewhere.
    if (reply.status >= 300) throw endpointError(reply.status, reply.retryAfter)
    return parse(reply.text)
  }
}

/** The key, or else name and password of the address. */
function authorizationOf({ embedderKey, embedderUrl }: HttpEmbedderConfig): string | undefined {
  if (embedderKey !== '') return `Bearer ${embedderKey}`
  return embedderUrl === '' ? undefined : basicCredentials(new URL(embedderUrl))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw badReply('is not JSON', cause)
  }
}
