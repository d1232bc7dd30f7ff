/** The closed table of errors: code → HTTP status. Every failure of the service is one of these. */
export const ERRORS = {
  MALFORMED_JSON: 400,
  VALIDATION_FAILED: 400,
  JSON_TOO_DEEP: 400,
  BODY_INCOMPLETE: 400,
  MALFORMED_ENCODING: 400,
  UNKNOWN_ANALYZER: 400,
  UNKNOWN_FIELD: 400,
  MAPPING_CONFLICT: 400,
  INVALID_CURSOR: 400,
  VECTOR_DIMENSIONS: 400,
  UNAUTHORIZED: 401,
  ROUTE_NOT_FOUND: 404,
  INDEX_NOT_FOUND: 404,
  DOCUMENT_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  SEARCH_NOT_FOUND: 404,
  TEST_NOT_FOUND: 404,
  EXPERIMENT_NOT_FOUND: 404,
  MODEL_NOT_FOUND: 404,
  ADAPTATION_NOT_FOUND: 404,
  SUGGESTION_NOT_FOUND: 404,
  RULE_NOT_FOUND: 404,
  SIGNAL_NOT_FOUND: 404,
  SUBJECT_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  INDEX_EXISTS: 409,
  DOCUMENT_EXISTS: 409,
  NAME_TAKEN: 409,
  NOT_ACTIVE: 409,
  LIMIT_REACHED: 409,
  INVALID_TRANSITION: 409,
  MODEL_NOT_SERVABLE: 409,
  TRAINING_RUNNING: 409,
  ADAPTATION_CONFLICT: 409,
  AMBIGUOUS_ID: 409,
  IDEMPOTENCY_CONFLICT: 409,
  GENERATION_GONE: 409,
  VERSION_MISMATCH: 412,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_SERIES: 429,
  TOO_MANY_MODELS: 429,
  INTERNAL: 500,
  METRICS_FAILED: 500,
  OVERLOADED: 503,
  STARTING: 503,
  STOPPING: 503,
  UNHEALTHY: 503,
  TIMED_OUT: 503,
  EMBEDDER_UNAVAILABLE: 503,
  STORE_UNAVAILABLE: 503,
  DISK_FULL: 507,
} as const

export type ErrorCode = keyof typeof ERRORS

/** One place in the input that was wrong: a JSON path and a sentence about it. */
export interface ErrorDetail {
  path: string
  message: string
}

interface ErrorOptions {
  details?: ErrorDetail[]
  cause?: unknown
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  retryAfterS?: number
  /** Codings in which the body may come; sent as Accept-Encoding. */
  codings?: readonly string[]
}

/** A failure that the service knows how to name. Anything else is INTERNAL: logged whole, shown as nothing. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterS: number | undefined
  readonly codings: readonly string[] | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    const status = ERRORS[code]
    const { stackTraceLimit } = Error
    // What a client did wrong is told to the client alone. A bulk may be wrong a hundred thousand times, and to walk down
    // the stack is most of what an error takes.
    if (status < 500) Error.stackTraceLimit = 0
    super(message, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ServiceError'
    this.code = code
    this.status = status
    this.details = options.details
    this.retryAfterS = options.retryAfterS
    this.codings = options.codings
  }
}

/** Why the service can't start, in one sentence for whoever starts it: a stack would tell them nothing. */
export class StartError extends Error {
  /** Whether starting again, with the same settings, would not help either. */
  readonly lasts: boolean

  constructor(
    message: string,
    { cause, lasts = false }: { cause?: unknown; lasts?: boolean } = {},
  ) {
    super(message, { cause })
    this.name = 'StartError'
    this.lasts = lasts
  }
}

/** Makes the error to throw; `message` is one sentence that names what was wrong and what to do. */
export function serviceError(
  code: ErrorCode,
  message: string,
  options: ErrorOptions = {},
): ServiceError {
  return new ServiceError(code, message, options)
}

/** VALIDATION_FAILED about one place in the input: `path` and what it must be ("must be …", "has …"). */
export function invalid(
  path: string,
  message: string,
  code: ErrorCode = 'VALIDATION_FAILED',
): ServiceError {
  return serviceError(code, `${path} ${message}.`, { details: [{ path, message }] })
}

/** INVALID_CURSOR about a place in a list that none of our answers has named. */
export function unknownCursor(path = 'cursor'): ServiceError {
  return invalid(path, 'is not one that this service gave', 'INVALID_CURSOR')
}

/** What the Rust core calls its failures, and their name on the wire; other words are INTERNAL. */
const CORE_WORDS: Record<string, ErrorCode> = {
  BAD_REQUEST: 'VALIDATION_FAILED',
  BAD_DEFINITION: 'MAPPING_CONFLICT',
  NOT_OPEN: 'STARTING',
}

/** What a parser of the core says about JSON that was made here: our mistake, and no sentence for a client. */
const PARSE_ERROR = / at line \d+ column \d+$/

/**
 * The ServiceError behind an exception that crossed a wall as `CODE: sentence` (from the Rust core,
 * or from a worker thread: an error keeps only its message on that way). Others come back as they are.
 */
export function namedError(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof ServiceError) return cause
  const [, word = '', sentence = ''] = /^([A-Z_]+): (.*)$/s.exec(cause.message) ?? []
  const code = CORE_WORDS[word] ?? (word in ERRORS ? (word as ErrorCode) : undefined)
  // INTERNAL has no sentence for the wire: what it says is for the log.
  if (code === undefined || code === 'INTERNAL' || PARSE_ERROR.test(sentence)) return cause
  return serviceError(code, sentence, { cause })
}
