/**
 * The Rust core, as JavaScript sees it. Every call is synchronous; open indices are shared by all
 * threads of the process. A failed call throws an Error whose message is `CODE: sentence`, with
 * CODE one of NOT_OPEN, BAD_REQUEST, BAD_DEFINITION, DAMAGED, IO, DISK_FULL, GENERATION_GONE, TIMED_OUT,
 * INTERNAL. Numbers of indices and documents are whole and under 2^53.
 */

export interface OpenReport {
  /** The files contain the records up to this one; the caller replays everything after it. */
  sequence: number
  /** Why the folder was emptied: it was damaged or made by another definition. */
  rebuild?: string
  /** Documents that can be found now. */
  documents: number
}

/** Ends the process at once, whatever its threads do: nothing is waited for, and nothing tidied up. */
export function endProcess(code: number): never

/**
 * Holds a file until `letGo`, or the end of the process, however that comes. False where somebody holds it already, in
 * this process or another, be that in another container; true, too, where the file system knows no such thing.
 */
export function hold(path: string): boolean

export function letGo(path: string): void

/** Throws BAD_DEFINITION when no index can be opened with this definition. */
export function check(definition: string): void

/**
 * Opens the index in a folder, made if need be; every file is verified before it is used. Files whose mark is not among
 * `known` are of other records and built anew; without `known` all are taken.
 */
export function open(
  id: number,
  directory: string,
  definition: string,
  known?: string[],
): OpenReport

/** Forgets an index without saving; searches that run finish unharmed. */
export function close(id: number): void

/**
 * Gives up what is being merged, now and later; its segments stay. Nothing may be written to the index from then on, but
 * what was committed can be made durable.
 */
export function giveUpMerging(id: number): void

/** After a commit: ends the writer's threads and frees its memory. The next apply makes them again. */
export function release(id: number): void

/**
 * Makes the calling thread give way to others by so many steps of niceness (1 … 19), where the system
 * knows niceness of threads.
 */
export function giveWay(steps: number): void

/**
 * Merges segments of an index at rest, so that searches get faster, and publishes the outcome. Gives how
 * many were merged, 0 when it would not pay or changes wait for a commit.
 */
export function merge(id: number): number

/**
 * Brings the neighbour graph of a large index nearer to its newest vectors, for `timeMs` at most, while searches
 * and writes go on. Gives whether more is left to do. What searches see of it lies less far behind when the index is at
 * rest; views from before go on as they were.
 */
export function growGraph(id: number, timeMs: number, isAtRest: boolean): boolean

/**
 * Adds documents (JSON objects; numbers ascend and are never used twice) and deletes others, added
 * in the same batch or before. Nothing is visible before `commit`. `vectors` holds one row for each
 * of `vectorOrds` (vectors from outside only). Applying a document again replaces it. Gives for
 * each document 1 if it has a vector, and 2 more if it has too many ngrams: those beyond are left out.
 *
 * A document that is no JSON object fails the batch and changes nothing. After any other failure
 * here or in `commit`, what was applied since the last commit is gone and must be applied again.
 */
export function apply(
  id: number,
  ords: Float64Array,
  documents: string[],
  deletes: Float64Array,
  vectorOrds: Float64Array,
  vectors: Float32Array,
): Uint8Array

export interface CommitReport {
  /** Number of the view; ascends over all indices of the process and beyond its end. */
  generation: number
  documents: number
  vectors: number
  /** Whether `fit` would pay: nothing was learned yet, or the index has doubled since. */
  fitWanted: boolean
}

/** Publishes what was applied as the state at a sequence, text and vectors together. */
export function commit(id: number, sequence: number): CommitReport

export interface CheckpointReport {
  /** The sequence that the files now contain. */
  sequence: number
  /** Files written; 0 when nothing had changed. */
  files: number
  bytes: number
}

/**
 * Makes the last commit durable, in files that carry `mark` from then on. Where nothing had changed (`files` is 0) they
 * keep the mark that they have.
 */
export function checkpoint(id: number, mark?: string): CheckpointReport

export interface FitReport {
  space: number
  kind: string
  dimensions: number
  documents: number
  terms: number
  cut: number
  tookMs: number
}

/**
 * Learns a vector space from the documents of the index, gives all of them vectors in it and moves
 * to it in one step. Takes seconds; searches and writes go on.
 */
export function fit(id: number): FitReport

export interface SearchResult {
  /** Index of each hit. */
  ids: Float64Array
  /** Document number of each hit. */
  ords: Float64Array
  /** Final score of each hit. */
  scores: Float64Array
  /**
   * Four per hit: BM25, cosine (NaN outside of that leg), normalised text and vector part; absent beside features, which
   * begin with them.
   */
  parts?: Float32Array
  /** Exact size of the match set. */
  total: number
  /** Words were asked for, and nothing looked for: the query has none, or no analyzer keeps one of them. */
  kept?: 'noWords' | 'nothing'
  /** Names the view that was searched; the same request with it gets the same list. */
  generation: number
  /** Position behind the last hit, absent when the list has ended. */
  next?: string
  /** Facets over the match set, JSON. */
  facets?: string
  /** Why each hit stands where it stands, JSON, one per hit. */
  explain?: string[]
  /** With `"features": true`: a row of `featureNames().length` numbers for each hit. */
  features?: Float32Array
  /** What the model gave each hit, NaN behind those that it ordered; absent when none did. */
  modelScores?: Float32Array
  /** What the shadow model gives each hit; absent when none is loaded under the handle. */
  shadowScores?: Float32Array
  /** The model that was to order the hits could not; they stand as they would without it. */
  rerankFailed?: boolean
}

/**
 * Whatever this thread searches, highlights and suggests from now on fails with TIMED_OUT once so many milliseconds have
 * passed, until the next call; without a number there is no limit.
 */
export function endWithin(leftMs?: number): void

/**
 * Searches one or several indices. The request is JSON. `added` holds three numbers for each document
 * that learning moves, 4096 documents at most: index, document number, and what its score gets on
 * top, where 1 is the span of the fused score (1 in hybrid and vector mode and without a query, the
 * best score in text mode and with rank fusion). Several values for one document are summed;
 * documents outside of the match set are passed over.
 *
 * `"rerank": {"model": handle, "size": 100}` lets a model order the first hits (1000 at most) of a
 * list that is sorted by score: they exchange their places and scores among themselves.
 * `"shadow": handle` scores the hits without moving them. `"device"` is a feature: 1 desktop,
 * 2 mobile, 3 tablet, 0 (when absent) unknown. So is the click rate: `"clickRates": {"prior": 0.05,
 * "edition": 3}` reads the edition of `publishRates` that was the newest at that number, or the oldest
 * that is held, and `prior` for documents without a rate; all have it without an edition. `"agesAt"` is the hour, counted
 * from 1970 on, for which features tell ages, by default this one.
 *
 * `vector` is for all indices, or for those at the places in `"vectorIn": [0, 2]`; the others make their own of the words.
 * `{"ords": [7, 9]}` in a filter is fulfilled by the documents of these numbers.
 */
export function search(
  ids: Float64Array,
  request: string,
  vector?: Float32Array,
  added?: Float64Array,
): SearchResult

/** The newest generation of all indices: it grows with each publication. */
export function generation(): number
/**
 * Moves the generation on, without a publication, and gives the new one: searches that begin later have it or a larger
 * one, those that ended before a smaller one.
 */
export function nextGeneration(): number

/** For how many milliseconds the oldest view that any index holds for later pages has no longer been the newest; 0: none is held. */
export function heldMs(): number

/**
 * Hands over an edition of the click rates of an index: the rate, 0 … 1, of each of these documents (50 000 at
 * most, in any order); others have the prior that a request says. Editions ascend. Rates that no edition from
 * `since` on reads are let go of.
 */
export function publishRates(
  id: number,
  edition: number,
  since: number,
  ords: Float64Array,
  rates: Float32Array,
): void

/** Names of the features of a hit, in their order; units and ranges: native/src/search/features.rs. */
export function featureNames(): string[]

/**
 * Loads a model under a handle, in the place of one that has it already. JSON, either
 * `{"kind": "linear", "features", "weights", "bias"?, "mean"?, "std"?, "logistic"?}` (the sum of
 * weight × (feature − mean) / std, plus bias; a std of 0 reads as 1) or `{"kind": "trees",
 * "features", "xgboost"}` with an XGBoost JSON model. BAD_REQUEST names features that no search
 * computes.
 */
export function loadModel(handle: number, model: string): void

/** Forgets the model of a handle, if there is one; searches that use it finish. */
export function dropModel(handle: number): void

/**
 * Scores of rows by a loaded model, or by one given as JSON, whatever its features are called. Rows
 * hold the model's own features in its own order.
 */
export function predict(model: number | string, features: Float32Array): Float32Array

/**
 * Trains a ranking model from judged lists and gives it as `loadModel` takes it. Takes seconds at
 * most. Options, JSON: `kind` ("linear" or "trees"), `features` (names), `seed`; others and their
 * defaults: native/src/model/train.rs. `features` holds a row for each label (0 and up; the gain is
 * 2^label − 1), `groups` the rows of each query, one query after the other. `weights` are inverse
 * propensities of the rows; trees take their mean over each query.
 */
export function train(
  options: string,
  features: Float32Array,
  labels: Float32Array,
  groups: Uint32Array,
  weights?: Float32Array,
): string

/** For each source document, JSON field → fragments with the words of the request marked. */
export function highlight(id: number, request: string, documents: string[]): string[]

/**
 * `{"prefix" | "query", "limit"}` → completions and corrections, JSON. To show words as documents write them, it calls
 * `read` for the sources of a few, as JSON, which are looked at before the next call.
 */
export function suggest(
  ids: Float64Array,
  request: string,
  read: (id: number, ord: number) => Uint8Array | undefined,
): string

/** Terms of a text as the field's analyzer makes them for the index. Only tests ask, which hold searches against them. */
export function analyze(id: number, field: string, text: string): string[]

/** Rows of unit vectors in the current space, one for each text; zeros where nothing is known. Only tests ask. */
export function embed(id: number, texts: string[]): Float32Array

/** For each document, bit 0: found by text now, bit 1: found by vector now. */
export function located(id: number, ords: Float64Array): Uint8Array

/**
 * For each name, mapped or not, 1 where a document of the newest view has a value by it, 2 where documents have objects alone
 * under it, 3 where no mapping has it and no value is a number, and 0 where they have nothing; one that was deleted counts
 * until its segment is merged. A look or two into a dictionary for each segment.
 */
export function underNames(id: number, names: string[]): Uint8Array

/** The first such names in their order; `most` are looked at in each segment. */
export function fieldNames(id: number, most: number): string[]

/**
 * Figures, JSON: documents, segments, vectors, deleted, bytes, memoryBytes, generation, sequence,
 * space {id, kind, dimensions, cut, documents}, graph, writer.
 */
export function stats(id: number): string
