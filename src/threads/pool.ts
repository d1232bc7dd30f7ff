import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { bulk } from '../../workers/bulk.ts'
import type { check } from '../../workers/check.ts'
import type { checkpoint } from '../../workers/checkpoint.ts'
import type { fit } from '../../workers/fit.ts'
import type { gate } from '../../workers/gate.ts'
import type { link } from '../../workers/link.ts'
import type { merge } from '../../workers/merge.ts'
import type { model } from '../../workers/model.ts'
import type { open } from '../../workers/open.ts'
import type { rate } from '../../workers/rate.ts'
import type { SearchInput, SearchOutput, search } from '../../workers/search.ts'
import type { suggest } from '../../workers/suggest.ts'
import type { sync } from '../../workers/sync.ts'
import type { train } from '../../workers/train.ts'
import type { write } from '../../workers/write.ts'
import { namedError } from '../errors.ts'
import { openBalancer } from './balancer.ts'
import type { Job } from './job.ts'
import { openLulls } from './lulls.ts'
import { openSharedHops } from './shared-hops.ts'

export type { ModelOutput } from '../../workers/model.ts'
export type { SearchInput } from '../../workers/search.ts'

/** Every job: its name is its file's name and its function's. */
interface Jobs {
  search: typeof search
  suggest: typeof suggest
  write: typeof write
  bulk: typeof bulk
  open: typeof open
  check: typeof check
  checkpoint: typeof checkpoint
  fit: typeof fit
  merge: typeof merge
  model: typeof model
  sync: typeof sync
  train: typeof train
  gate: typeof gate
  link: typeof link
  rate: typeof rate
}
type JobName = keyof Jobs

/**
 * Which lane a job rides in. Searches never wait behind writes, small writes never behind large ones, neither behind the
 * opening and saving of files, and nothing behind learning, which may take a minute.
 */
const LANES = {
  search: 'search',
  suggest: 'search',
  write: 'write',
  bulk: 'bulk',
  open: 'files',
  check: 'files',
  checkpoint: 'files',
  fit: 'learning',
  merge: 'learning',
  model: 'files',
  sync: 'files',
  train: 'learning',
  gate: 'learning',
  link: 'learning',
  rate: 'learning',
} as const satisfies Record<JobName, string>
type Lane = (typeof LANES)[JobName]

export interface LaneFigures {
  lane: Lane
  threads: number
  queued: number
  completed: number
  /** Share of the threads' time spent in jobs, 0..1. */
  utilization: number
}

/** Jobs that ride alone. */
export type SingleJob = Exclude<JobName, 'search'>

export interface Pool {
  /**
   * Runs one search; those that wait share their hop. Rejects with OVERLOADED when too many wait, with TIMED_OUT when
   * the client left meanwhile.
   */
  search: (input: SearchInput, isLeft?: () => boolean) => Promise<SearchOutput>
  /** Runs a job on its lane. The thread takes the memory in `given`, which is gone here then. */
  run: <Name extends SingleJob>(
    name: Name,
    input: Parameters<Jobs[Name]>[0],
    given?: ArrayBuffer[],
  ) => Promise<Awaited<ReturnType<Jobs[Name]>>>
  /** Resolves when the main thread is free for a moment, as far as searches go: see `Lulls`. */
  lull: () => Promise<void>
  figures: () => LaneFigures[]
  close: () => Promise<void>
}

export interface PoolOptions {
  searchThreads: number
  workThreads: number
  searchQueueMax: number
  /** What every worker gets at start; `answers` is the memory of the room for long ones. */
  dataDir: string
  answers?: SharedArrayBuffer
  /** Hears of each thread that has ended, by its number. */
  ended?: (thread: number) => void
}

/** Hears of a thread that could not be started, or died without a job whose caller would hear of it. */
export type OnDeath = (err: Error, lane: string) => void

/** Starts the worker threads of the lanes; those for large batches and the one that learns are only there while they work. */
export function openPool(options: PoolOptions, onDeath: OnDeath = () => {}): Pool {
  const lanes: Record<Lane, Piscina> = {
    search: openLane(options, { threads: options.searchThreads, each: HOPS_EACH }),
    write: openLane(options, { threads: options.workThreads }),
    bulk: openLane(options, { threads: options.workThreads, kept: 0 }),
    files: openLane(options, { threads: 1 }),
    learning: openLane(options, { threads: 1, kept: 0 }),
  }
  // Unheard, it would end the process: where files may no more be opened, no thread can be started.
  for (const [name, lane] of Object.entries(lanes)) lane.on('error', (err) => onDeath(err, name))
  const { searchThreads, searchQueueMax: waitingMax } = options
  const lulls = openLulls()
  const searches = openSharedHops(
    (inputs: SearchInput[]): Promise<ReturnType<typeof search>> =>
      runOn(lanes.search, { name: 'search', input: inputs }),
    { hopsMax: HOPS_EACH * searchThreads, waitingMax, named: namedError, begun: lulls.note },
  )
  return {
    search: searches.run,
    run: async (name, input, given = []) => {
      try {
        return await runOn(lanes[LANES[name]], { name, input }, given)
      } catch (cause) {
        throw namedError(cause)
      }
    },
    lull: lulls.next,
    figures: () =>
      Object.entries(lanes).map(([lane, piscina]) => ({
        lane: lane as Lane,
        threads: piscina.threads.length,
        queued: piscina.queueSize + (lane === 'search' ? searches.waiting() : 0),
        completed: piscina.completed,
        utilization: piscina.utilization,
      })),
    close: async () => {
      await Promise.all(Object.values(lanes).map((lane) => lane.destroy()))
    },
  }
}

/** How Piscina tells of a thread that ended by itself, which it does between two jobs only; see job.ts. */
const ENDED = 'worker exited with code: 0'

/** A job at the door of a thread that ended was not begun: another thread does it. */
function runOn(lane: Piscina, job: Job, given: ArrayBuffer[] = []): ReturnType<Piscina['run']> {
  return lane.run(job, { transferList: given }).catch((cause: unknown) => {
    const isUndone = cause instanceof Error && cause.message === ENDED
    // What was given away is gone with the thread.
    if (!isUndone || given.length > 0) throw cause
    return runOn(lane, job)
  })
}

const JOB_FILE = fileURLToPath(new URL(`job${extname(import.meta.url)}`, import.meta.url))

/** One hop under way and one at the door of each thread: it need not wait for the main thread to have the next. */
const HOPS_EACH = 2
const YOUNG_MB = 3
/**
 * How long a thread that is only made for work stays without any: while people click, from one count of the click rates
 * to the next (`CLICK_RATES_MS`), since to start one takes a tenth of a second of a processor that searches want.
 */
const IDLE_MS = 90_000

interface LaneShape {
  threads: number
  /** Threads that stay without work; all of them unless given. */
  kept?: number
  /** Jobs that a thread may have been given at a time. */
  each?: number
}

function openLane(options: PoolOptions, { threads, kept = threads, each = 1 }: LaneShape): Piscina {
  const lane = new Piscina({
    // Read when a thread starts, and small; it reads the file of a job when it is given the first one of a kind.
    filename: JOB_FILE,
    name: 'job',
    minThreads: kept,
    maxThreads: threads,
    idleTimeout: kept === 0 ? IDLE_MS : Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: each,
    loadBalancer: openBalancer(each),
    // A thread that waits outside its event loop never runs a timer, a collection's task or a finalizer: each search
    // would leave what waits for one, and threads grew by a kilobyte a search.
    atomics: 'disabled',
    // A job leaves little garbage in JavaScript; V8's default would keep 48 MB a thread for it.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    workerData: { dataDir: options.dataDir, answers: options.answers },
    // Sources run through tsx (tests, development); the compiled tree needs no loader.
    ...(extname(import.meta.url) === '.ts' ? { execArgv: ['--import', 'tsx'] } : {}),
  })
  replaceDead(lane)
  tellEnds(lane, options.ended)
  return lane
}

/** Pause before another thread is started in place of one that died: what kills them all must not keep a core busy. */
const REPLACED_MS = 1000

/**
 * Piscina starts no thread in place of the last one of a lane that keeps none, nor of one that could not be started: jobs
 * that wait would wait for ever, or until another one comes.
 */
function replaceDead(lane: Piscina): void {
  const replace = () => {
    if (lane.queueSize === 0 || lane.threads.length > 0) return
    // A job has a thread started when it comes; this one is gone before that.
    const leave = new AbortController()
    lane.run(undefined, { signal: leave.signal }).catch(() => undefined)
    leave.abort()
  }
  lane.on('workerDestroy', () => void setTimeout(replace, REPLACED_MS).unref())
}

function tellEnds(lane: Piscina, ended: PoolOptions['ended']): void {
  lane.on('workerCreate', ({ id }: { id: number }) => {
    // By then it has no number any more.
    lane.threads.find(({ threadId }) => threadId === id)?.once('exit', () => ended?.(id))
  })
}
