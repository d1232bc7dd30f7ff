import { availableParallelism } from 'node:os'

type Kind = 'integer' | 'number' | 'boolean' | 'string' | { oneOf: readonly string[] }

export interface Setting {
  env: string
  kind: Kind
  fallback: number | boolean | string
  min?: number
  max?: number
  /** The default in words, where it depends on the machine. */
  fallbackAbout?: string
  /** A text of parts with commas between them, which a file may give as a list. */
  list?: true
  /** What a text must look like; `means` ends the sentence "NAME must be …". */
  form?: { pattern: RegExp; means: string }
  /** Its value is one that no message shows, or may hold one, as an address may hold a password. */
  secret?: true
  /** One line for docs/settings.md and `attune serve --help`. */
  about: string
}

const cores = availableParallelism()

/**
 * As browsers send it in `Origin` (Fetch standard): without a path, nothing in capitals, no port that its scheme has anyhow;
 * another would never be met.
 */
const OWN_PORT = String.raw`(?!https://[^,\s]*:443(?:[,\s]|$)|http://[^,\s]*:80(?:[,\s]|$))`
const ORIGIN = String.raw`${OWN_PORT}[a-z][a-z\d+.-]*://(?:\[[\d.:a-f]+\]|[a-z\d._-]+)(?::\d{1,5})?`
const ORIGINS = {
  pattern: new RegExp(String.raw`^(\*|${ORIGIN}(\s*,\s*${ORIGIN})*)$`),
  means:
    '* or a comma list of origins as browsers send them, without :443 of https or :80 of http, like https://a.example or http://localhost:8080',
}
/** No header carries a line break, and the library cuts what is not ASCII off the end of one: such a key would never be met. */
const VISIBLE = String.raw`[^,\s\x00-\x1f\x7f]+`
const KEY = String.raw`(?:${VISIBLE}(?:[^\S\n\v\f\r]+${VISIBLE})*\s*)?`
const KEYS = {
  pattern: new RegExp(
    String.raw`^(?=[^]*[^,\s])(?![^]*[^\x00-\x7f\s]\s*(?:,|$))\s*${KEY}(?:,\s*${KEY})*$`,
  ),
  means:
    'a comma list of keys, each in one line and with a character of ASCII at its end, at least one',
}

/** A call with another one would never leave, and be told as an endpoint that can't be reached. */
const TOKEN = {
  pattern: /^[\t\x20-\x7e\x80-\xff]+$/,
  means: 'one line of ASCII, or Latin-1, as a header carries no other characters',
}

/** A unit of systemd or a compose file hands on what a shell would have replaced: a folder of that name would be made. */
const FOLDER = {
  pattern: /^(?!~(?:\/|$)|\$)/,
  means: 'the path of a folder, in which what a shell reads, such as ~ or $HOME, is written out',
}

/** Every setting: its variable, type, default and bounds, in the order of README. Names carry their unit. */
// biome-ignore format: one setting a line reads as the table that it is
export const SETTINGS = {
  port: { env: 'PORT', kind: 'integer', fallback: 3000, min: 0, max: 65535, about: 'port to listen on; 0 picks a free one' },
  host: { env: 'HOST', kind: 'string', fallback: '127.0.0.1', about: 'address to listen on' },
  dataDir: { env: 'DATA_DIR', kind: 'string', fallback: './data', form: FOLDER, about: 'folder that holds everything durable' },
  storeBytesMax: { env: 'STORE_BYTES_MAX', kind: 'integer', fallback: 64 * 2 ** 30, min: 1 << 20, max: 2 ** 45, about: 'size that the record store may grow to (address space, not memory)' },
  logLevel: { env: 'LOG_LEVEL', kind: { oneOf: ['trace', 'debug', 'info', 'warn', 'error', 'silent'] }, fallback: 'info', about: 'least level that is logged' },
  apiKeys: { env: 'API_KEYS', kind: 'string', fallback: '', list: true, form: KEYS, secret: true, about: 'comma list of keys, one of which each request must carry as a bearer token; empty = no authentication' },
  cors: { env: 'CORS', kind: 'string', fallback: '', list: true, form: ORIGINS, about: 'comma list of origins that browsers may call from, scheme://host[:port] each; empty = off, * = any' },
  searchThreads: { env: 'SEARCH_THREADS', kind: 'integer', fallback: Math.max(1, Math.min(16, cores)), fallbackAbout: 'cores, at most 16', min: 1, max: 64, about: 'threads that answer searches' },
  workThreads: { env: 'WORK_THREADS', kind: 'integer', fallback: Math.max(1, Math.min(4, cores >> 1)), fallbackAbout: 'half the cores, at most 4', min: 1, max: 32, about: 'threads that index; as many more come and go for large batches' },
  searchQueueMax: { env: 'SEARCH_QUEUE_MAX', kind: 'integer', fallback: 2048, min: 1, max: 1_000_000, about: 'searches waiting for a thread before 503' },
  writeQueueMax: { env: 'WRITE_QUEUE_MAX', kind: 'integer', fallback: 20_000, min: 1, max: 10_000_000, about: 'documents waiting to be written before 503' },
  autoCreateIndex: { env: 'AUTO_CREATE_INDEX', kind: 'boolean', fallback: true, about: 'create an unknown index when a document names it' },
  defaultIndex: { env: 'DEFAULT_INDEX', kind: 'string', fallback: 'documents', about: 'index of a bulk item, or a new document by PUT, that names none' },
  indicesMax: { env: 'INDICES_MAX', kind: 'integer', fallback: 10_000, min: 1, max: 1_000_000, about: 'indices that there may be; beyond it none is created' },
  openIndicesMax: { env: 'OPEN_INDICES_MAX', kind: 'integer', fallback: 256, min: 1, max: 100_000, about: 'indices held open; the least used is closed beyond it, but for half as many that stay open where others are all in use' },
  openWritersMax: { env: 'OPEN_WRITERS_MAX', kind: 'integer', fallback: 8, min: 1, max: 1024, about: 'indices that were written to and not tidied up since (merges awaited, free memory given back); as many more are tidied up at the same time while others are opened for a write' },
  checkpointMs: { env: 'CHECKPOINT_MS', kind: 'integer', fallback: 5000, min: 50, max: 3_600_000, about: 'longest time between making an index durable; the records are durable at once' },
  embedder: { env: 'EMBEDDER', kind: { oneOf: ['learned', 'http', 'given'] }, fallback: 'learned', about: 'where vectors of new indices come from' },
  embedderUrl: { env: 'EMBEDDER_URL', kind: 'string', fallback: '', secret: true, about: 'address of an OpenAI-compatible /embeddings endpoint (EMBEDDER=http); user:password@ in it is sent as HTTP Basic where there is no EMBEDDER_KEY' },
  embedderModel: { env: 'EMBEDDER_MODEL', kind: 'string', fallback: '', about: 'model name sent to that endpoint' },
  embedderKey: { env: 'EMBEDDER_KEY', kind: 'string', fallback: '', form: TOKEN, secret: true, about: 'its bearer token; never logged' },
  embedderDimensions: { env: 'EMBEDDER_DIMENSIONS', kind: 'integer', fallback: 384, min: 2, max: 4096, about: 'length of vectors that come from outside (EMBEDDER=http or given)' },
  embedderTimeoutMs: { env: 'EMBEDDER_TIMEOUT_MS', kind: 'integer', fallback: 10_000, min: 10, max: 120_000, about: 'time limit of one call to the endpoint' },
  bodyBytesMax: { env: 'BODY_BYTES_MAX', kind: 'integer', fallback: 1 << 20, min: 1024, max: 1 << 30, about: 'largest JSON body' },
  feedbackBytesMax: { env: 'FEEDBACK_BYTES_MAX', kind: 'integer', fallback: 2 << 20, min: 1024, max: 1 << 30, about: 'largest feedback or analytics body' },
  documentBytesMax: { env: 'DOCUMENT_BYTES_MAX', kind: 'integer', fallback: 32 << 20, min: 1024, max: 1 << 30, about: 'largest document or bulk body (NDJSON: largest line)' },
  modelBytesMax: { env: 'MODEL_BYTES_MAX', kind: 'integer', fallback: 16 << 20, min: 1024, max: 1 << 30, about: 'largest model sync body' },
  bodiesBytesMax: { env: 'BODIES_BYTES_MAX', kind: 'integer', fallback: 256 << 20, min: 1 << 20, max: 2 ** 40, about: 'bodies of all requests under way together before 503' },
  answersBytesMax: { env: 'ANSWERS_BYTES_MAX', kind: 'integer', fallback: 256 << 20, min: 1 << 20, max: 2 ** 40, about: 'long answers being made, or yet to be taken by clients, together before 503' },
  jsonDepthMax: { env: 'JSON_DEPTH_MAX', kind: 'integer', fallback: 32, min: 4, max: 64, about: 'deepest nesting of a JSON body' },
  idempotencyMs: { env: 'IDEMPOTENCY_MS', kind: 'integer', fallback: 24 * 3_600_000, min: 1, max: 30 * 86_400_000, about: 'how long an Idempotency-Key is remembered' },
  requestTimeoutMs: { env: 'REQUEST_TIMEOUT_MS', kind: 'integer', fallback: 30_000, min: 100, max: 600_000, about: 'time limit of one request; a search ends with it' },
  healthTimeoutMs: { env: 'HEALTH_TIMEOUT_MS', kind: 'integer', fallback: 15_000, min: 10, max: 60_000, about: 'time limit of each health check' },
  drainTimeoutMs: { env: 'DRAIN_TIMEOUT_MS', kind: 'integer', fallback: 10_000, min: 0, max: 120_000, about: 'time that requests under way get when the service stops' },
  sessionIdleMs: { env: 'SESSION_IDLE_MS', kind: 'integer', fallback: 30 * 60_000, min: 1, max: 30 * 86_400_000, about: 'a session expires when idle for this long' },
  sessionAbsoluteMs: { env: 'SESSION_ABSOLUTE_MS', kind: 'integer', fallback: 24 * 3_600_000, min: 1, max: 365 * 86_400_000, about: 'a session expires this long after its creation' },
  sessionCacheMax: { env: 'SESSION_CACHE_MAX', kind: 'integer', fallback: 100_000, min: 1, max: 10_000_000, about: 'sessions kept in memory' },
  retentionMs: { env: 'RETENTION_MS', kind: 'integer', fallback: 30 * 86_400_000, min: 1000, max: 3650 * 86_400_000, about: 'how long what people did is kept: searches as they were shown, feedback, events, signals that were told of, reports, session analytics, what each session searched last (a day at most), what was searched and clicked how often (by whole days, 32 at most); ended suggestions, with their rules where nobody applied them, and metrics that nobody records any more' },
  learning: { env: 'LEARNING', kind: 'boolean', fallback: true, about: 'record what searches show and let feedback change their ranking' },
  gains: { env: 'GAINS', kind: 'string', fallback: '', list: true, about: 'what actions are worth, from 0 to 1, over the defaults: click=0.3,purchase=1' },
  memoryStrength: { env: 'MEMORY_STRENGTH', kind: 'number', fallback: 6, min: 0, max: 10, about: 'weight of click memory on the scale of the fused score; 0 turns it off' },
  memoryPriorWeight: { env: 'MEMORY_PRIOR_WEIGHT', kind: 'number', fallback: 5, min: 0.01, max: 1000, about: 'examinations that the expectation for an unknown document is worth' },
  memoryPriorRate: { env: 'MEMORY_PRIOR_RATE', kind: 'number', fallback: 0.05, min: 0, max: 1, about: 'gain per examination expected of an unknown document' },
  memoryHalfLifeMs: { env: 'MEMORY_HALF_LIFE_MS', kind: 'integer', fallback: 30 * 86_400_000, min: 60_000, max: 3650 * 86_400_000, about: 'time in which evidence loses half of its weight' },
  memoryPairsMax: { env: 'MEMORY_PAIRS_MAX', kind: 'integer', fallback: 200_000, min: 100, max: 100_000_000, about: 'pairs of query and document that click memory keeps' },
  clickRatesMs: { env: 'CLICK_RATES_MS', kind: 'integer', fallback: 60_000, min: 1000, max: 30 * 86_400_000, about: 'least time between two counts of the click rates of documents, a feature for models' },
  examinationEta: { env: 'EXAMINATION_ETA', kind: 'number', fallback: 1, min: 0, max: 5, about: 'position p is looked at with probability 1/p^η: the η that is expected, until clicks on drawn orders tell how people look' },
  explorationShare: { env: 'EXPLORATION_SHARE', kind: 'number', fallback: 0.05, min: 0, max: 1, about: 'share of the searches with a session whose order within the page is drawn; 0 turns it off' },
  explorationTemperature: { env: 'EXPLORATION_TEMPERATURE', kind: 'number', fallback: 0.1, min: 0.0001, max: 10, about: 'how far a drawn order strays, on the scale of the fused score' },
  rerankSize: { env: 'RERANK_SIZE', kind: 'integer', fallback: 100, min: 1, max: 1000, about: 'candidates that a model ranks anew' },
  modelsMax: { env: 'MODELS_MAX', kind: 'integer', fallback: 1000, min: 1, max: 100_000, about: 'models kept' },
  modelVersionsMax: { env: 'MODEL_VERSIONS_MAX', kind: 'integer', fallback: 50, min: 2, max: 10_000, about: 'versions kept of a model; the oldest that are not in use, and to which no rollback would return, go first' },
  modelTrainAuto: { env: 'MODEL_TRAIN_AUTO', kind: 'boolean', fallback: true, about: 'train a model by itself when enough new clicks have come' },
  modelTrainClicksMin: { env: 'MODEL_TRAIN_CLICKS_MIN', kind: 'integer', fallback: 200, min: 1, max: 10_000_000, about: 'searches with a click that a training needs' },
  modelTrainNewMin: { env: 'MODEL_TRAIN_NEW_MIN', kind: 'integer', fallback: 1000, min: 1, max: 10_000_000, about: 'new searches with a click after which a model is trained by itself, the first time too' },
  modelGateSampleMin: { env: 'MODEL_GATE_SAMPLE_MIN', kind: 'integer', fallback: 100, min: 2, max: 10_000_000, about: 'effective users that a gate needs before it lets a model pass' },
  modelGateLiftMin: { env: 'MODEL_GATE_LIFT_MIN', kind: 'number', fallback: 0, min: -1, max: 1, about: 'the lower bound of the estimated gain per search must be above this' },
  modelShadowSearches: { env: 'MODEL_SHADOW_SEARCHES', kind: 'integer', fallback: 200, min: 1, max: 10_000_000, about: 'searches of a session that a model scores unseen before it is judged again' },
  modelCanaryShare: { env: 'MODEL_CANARY_SHARE', kind: 'number', fallback: 0.1, min: 0.0001, max: 1, about: 'share of the users whom a model on trial ranks' },
  modelCanarySearchesMin: { env: 'MODEL_CANARY_SEARCHES_MIN', kind: 'integer', fallback: 200, min: 1, max: 10_000_000, about: 'searches that a model on trial must have ranked before it ranks all' },
  adaptationConfidence: { env: 'ADAPTATION_CONFIDENCE', kind: 'number', fallback: 0.7, min: 0, max: 1, about: 'least confidence with which a suggestion is accepted' },
  adaptationCanaryShare: { env: 'ADAPTATION_CANARY_SHARE', kind: 'number', fallback: 0.1, min: 0, max: 1, about: 'share of the units that get a ranking change first' },
  adaptationCanaryMs: { env: 'ADAPTATION_CANARY_MS', kind: 'integer', fallback: 60_000, min: 0, max: 30 * 86_400_000, about: 'least time that a ranking change stays in canary, until its triggers have their samples; after ten times as long it no longer waits for searches' },
  adaptationCanarySearchesMin: { env: 'ADAPTATION_CANARY_SEARCHES_MIN', kind: 'integer', fallback: 20, min: 0, max: 1_000_000, about: 'least searches in canary before a ranking change applies to all' },
  experimentsActiveMax: { env: 'EXPERIMENTS_ACTIVE_MAX', kind: 'integer', fallback: 1000, min: 1, max: 10_000, about: 'tests and experiments that may be active at the same time; each in which a session takes part costs its searches about 15 µs' },
  impressionsMax: { env: 'IMPRESSIONS_MAX', kind: 'integer', fallback: 500_000, min: 1000, max: 1_000_000_000, about: 'impressions kept; the oldest go first' },
  impressionQueueMax: { env: 'IMPRESSION_QUEUE_MAX', kind: 'integer', fallback: 20_000, min: 1, max: 1_000_000, about: 'impressions waiting to be written; beyond it they are dropped and counted' },
  anonymousImpressionsMax: { env: 'ANONYMOUS_IMPRESSIONS_MAX', kind: 'integer', fallback: 200, min: 0, max: 1_000_000, about: 'impressions written a second of searches without a session, ten seconds of it at once; beyond it they are dropped and counted' },
  journalBytesMax: { env: 'JOURNAL_BYTES_MAX', kind: 'integer', fallback: 17_179_869_184, min: 1_048_576, max: 35_184_372_088_832, about: 'size of the journal, which holds which searches there were, feedback and analytics events; the oldest go first' },
  eventsMax: { env: 'EVENTS_MAX', kind: 'integer', fallback: 1_000_000, min: 100, max: 1_000_000_000, about: 'learning events kept; the oldest go first' },
  eventStreamsMax: { env: 'EVENT_STREAMS_MAX', kind: 'integer', fallback: 100, min: 0, max: 10_000, about: 'clients that follow the learning events at the same time; beyond it 503' },
  eventStreamStallMs: { env: 'EVENT_STREAM_STALL_MS', kind: 'integer', fallback: 10_000, min: 10, max: 600_000, about: 'a client that follows the events and takes nothing for this long is cut off; one that goes on to take half a megabyte in it stays' },
  eventHeartbeatMs: { env: 'EVENT_HEARTBEAT_MS', kind: 'integer', fallback: 15_000, min: 10, max: 600_000, about: 'longest silence of an event stream' },
  metricNamesMax: { env: 'METRIC_NAMES_MAX', kind: 'integer', fallback: 1000, min: 1, max: 100_000, about: 'names of metrics that clients record' },
  metricSeriesMax: { env: 'METRIC_SERIES_MAX', kind: 'integer', fallback: 1000, min: 1, max: 100_000, about: 'label sets of one such name; beyond it 429' },
  quantiles: { env: 'QUANTILES', kind: { oneOf: ['inline', 'family', 'off'] }, fallback: 'inline', about: 'where the metrics page puts rolling quantiles' },
} as const satisfies Record<string, Setting>

/** Settings by their variables: one that is misspelt would be no setting, and say nothing. */
export type Variables = Partial<Record<(typeof SETTINGS)[keyof typeof SETTINGS]['env'], string>>
