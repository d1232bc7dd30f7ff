import type { Static, TObject, TSchema } from 'typebox'
import type { App } from '../app.ts'
import type { ErrorCode } from '../errors.ts'
import { isHeavy, jsonText } from '../json/gradual-text.ts'
import type { Content } from '../json/unkeepable.ts'
import type { NoteDone } from '../schema/answer.ts'
import type { Bytes } from './bytes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** How a request's body reaches the handler. */
export type BodyKind = 'none' | 'json' | 'stream'

/** One request as a handler sees it: everything checked against the route's schemas. */
export interface Call<Params, Query, Body> {
  app: App
  params: Params
  query: Query
  /** Names of the parameters in its address, for a route whose answer tells which of them are not read; else none. */
  named: readonly string[]
  body: Body
  /** The body may hold what the service can't keep; for routes that look through it themselves (`content: 'items'`). */
  suspicious: boolean
  /** Chunks of the body as they arrive, for routes with `bodyKind: 'stream'`; applies back-pressure. */
  stream: AsyncIterable<Uint8Array>
  /**
   * Counts bytes of the stream that the handler keeps, negative ones when it keeps them no more. Throws OVERLOADED when
   * the bodies under way would take too much together. Those of a long `answer` are counted until the client has it.
   */
  hold: (bytes: number, of?: 'answer') => void
  /** Set when the request came with an Idempotency-Key. */
  noteDone: NoteDone | undefined
  /** A request header by lower-case name; undefined when it was not sent. */
  header: (name: string) => string | undefined
  requestId: string
  /** When the request's head had been read, by `sharedMs`. */
  receivedMs: number
  /** Gives what is aborted when the client left or the request ran out of time; made when first asked for. */
  signal: () => AbortSignal
  /** Whether the client has left, or was told that it took too long. */
  isLeft: () => boolean
  /** Whether it was told that it took too long: what is not written by then must not be written behind that answer. */
  isLate: () => boolean
}

/** A request of any route. */
export type AnyCall = Call<unknown, unknown, unknown>

/** What a handler may answer besides a plain data object. */
export interface Answer {
  kind: 'answer'
  /** The envelope's `data`: an object, or its JSON in UTF-8 ready to be written out. */
  data: object | Bytes
  /** Default 200. Health reports answer 503 with `success: false` and their full data. */
  status?: number
  /** Added beside `success` and `data` (session creation: `cached: true`). */
  top?: Record<string, unknown>
  headers?: Record<string, string>
  /** The sentence of a failure that comes with data. */
  error?: string
  /** The code of a refusal; default UNHEALTHY. */
  code?: ErrorCode
}

/** A whole reply outside the JSON envelope, never a refusal: metrics text, OpenAPI document, the page. */
export interface RawReply {
  kind: 'raw'
  body: string | Uint8Array
  contentType: string
  status?: number
  headers?: Record<string, string>
}

/** A reply that goes on until the client leaves, its pieces end, or the service stops. */
export interface StreamReply {
  kind: 'stream'
  contentType: string
  /**
   * The pieces to send; the next one is asked for when the client has taken the one before. `signal` is aborted
   * when nobody takes any more: the pieces must then end.
   */
  pieces: (signal: AbortSignal) => AsyncIterable<string>
  /** A text that means nothing between two pieces. Written while the client is waited for, it keeps the connection open. */
  filler: string
}

export type Reply = object | Answer | RawReply | StreamReply

/** The literal that carries a route's whole contract: validators, handler types and OpenAPI come from it. */
export interface RouteContract<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
> {
  method: Method
  /** Under the base address (/api) unless `root` is set; parameters as {name}. */
  path: string
  /** Other paths that answer the same; `METHOD path` when the method differs. */
  aliases?: string[]
  /**
   * The last word of the path can be no id: methods that other routes have for ids in its place are refused, and no Allow
   * header lists them.
   */
  reserved?: true
  /** A POST that writes nothing. */
  readsOnly?: boolean
  /** True for operations that live at the root as well as not under /api (livez, openapi.json, docs). */
  root?: boolean
  summary: string
  /** What the summary leaves open, as Markdown. */
  description?: string
  tag: 'search' | 'documents' | 'indices' | 'sessions' | 'learning' | 'operations'
  params?: P
  query?: Q
  body?: B
  /** Default: 'json' when a body schema is given, else 'none'. */
  bodyKind?: BodyKind
  /** Content types read besides application/json (bulk: application/x-ndjson). */
  consumes?: string[]
  /** A body need not be sent (`{}` is then assumed). */
  bodyOptional?: boolean
  /** Which named limit of the configuration bounds the body; default bodyBytesMax. */
  bodyLimit?: 'bodyBytesMax' | 'feedbackBytesMax' | 'documentBytesMax' | 'modelBytesMax'
  /** What of the body is content; `items`: the handler looks through each item by itself. Default: nothing is. */
  content?: Content | 'items'
  /**
   * Has a large body read on another thread, which takes the memory of its pieces. Gives what stands for the body where it
   * is checked and handled: its outline (`outlineOf`). Throws what reading it throws.
   */
  readLarge?: (app: App, pieces: Uint8Array<ArrayBuffer>[]) => Promise<unknown>
  /** Warnings about what its address says and most likely does not mean; for a route whose answer has a place for them. */
  doubts?: (query: Static<Q>) => string[]
  /** What is said of a part of the body or the address that is missing, where its name alone does not say how it is sent. */
  missing?: Readonly<Record<string, string>>
  /** A body that works, shown in the API document. */
  example?: object
  /** Schema of the envelope's `data`; of the whole body when `produces` is set. */
  reply: TSchema
  /** What the answer has beside `success`, `data` and `meta`. */
  top?: TObject
  /** Content type of a reply outside the envelope. */
  produces?: string
  /** Content type of the stream that the route gives instead to clients that ask for it by name. */
  streams?: string
  /** The codes of its refusals, besides those that openapi.ts names for every route, or every one of a method. */
  errors?: ErrorCode[]
  handle: (call: Call<Static<P>, Static<Q>, Static<B>>) => Reply | Promise<Reply>
}

/** A route of any shape, as the server mounts it. */
// biome-ignore lint/suspicious/noExplicitAny: the table holds contracts of different shapes; each was checked where it stands
export type Route = RouteContract<any, any, any>

/** Declares a route; only ties the handler's types to the schemas. */
export function route<
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(contract: RouteContract<P, Q, B>): Route {
  return contract
}

/** An answer with more than plain data. */
export function answer(data: object | Bytes, more: Omit<Answer, 'kind' | 'data'> = {}): Answer {
  return { kind: 'answer', data, ...more }
}

/** An answer that repeats what a client sent: a large one is made into JSON with turns for others. */
export async function longAnswer(data: object): Promise<Answer> {
  return answer(isHeavy(data) ? Buffer.from(await jsonText(data)) : data)
}

/** A reply outside the envelope. */
export function raw(
  body: string | Uint8Array,
  contentType: string,
  more: Omit<RawReply, 'kind' | 'body' | 'contentType'> = {},
): RawReply {
  return { kind: 'raw', body, contentType, ...more }
}

/** A reply that goes on; has no time limit. */
export function stream(
  contentType: string,
  filler: string,
  pieces: StreamReply['pieces'],
): StreamReply {
  return { kind: 'stream', contentType, filler, pieces }
}
