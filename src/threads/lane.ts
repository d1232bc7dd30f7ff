import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { openBalancer } from './balancer.ts'
import type { Job } from './job.ts'

/** What all lanes have of the service. */
export interface LaneParts {
  /** What every worker gets at start; `answers` is the memory of the room for long ones. */
  dataDir: string
  answers?: SharedArrayBuffer
  /** Hears of each thread that has ended, by its number. */
  ended?: (thread: number) => void
}

const JOB_FILE = fileURLToPath(new URL(`job${extname(import.meta.url)}`, import.meta.url))

const YOUNG_MB = 3
/**
 * How long a thread that is only made for work stays without any: longer than from one count of the click rates to the
 * next (`CLICK_RATES_MS`), since to start one takes a tenth of a second of a processor that searches want.
 */
const IDLE_MS = 90_000

interface LaneShape {
  threads: number
  /** Threads that stay without work; all of them unless given. */
  kept?: number
  /** Jobs that a thread may have been given at a time. */
  each?: number
}

/** Starts the threads of a lane that are kept; others start when there is work for them. */
export function openLane(
  options: LaneParts,
  { threads, kept = threads, each = 1 }: LaneShape,
): Piscina {
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
    // would leave what waits for one, and threads grew by 2 to 4 kB a search.
    atomics: 'disabled',
    // A job leaves little garbage in JavaScript; V8's default would keep 48 MB a thread for it.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    workerData: { dataDir: options.dataDir, answers: options.answers },
    // Sources run through tsx (development); the compiled tree needs no loader.
    ...(extname(import.meta.url) === '.ts' ? { execArgv: ['--import', 'tsx'] } : {}),
  })
  replaceDead(lane)
  tellEnds(lane, options.ended)
  return lane
}

/** What Piscina says when a thread has ended by itself, which none does but between two jobs (`endLater` in job.ts). */
const ENDED = 'worker exited with code: 0'

/** Runs a job; one that was handed to a thread just before that ended was not begun, and another thread does it. */
export function runOn(
  lane: Piscina,
  job: Job,
  given: ArrayBuffer[] = [],
): ReturnType<Piscina['run']> {
  return lane.run(job, { transferList: given }).catch((cause: unknown) => {
    const isUndone = cause instanceof Error && cause.message === ENDED
    // The memory that was given to the thread is gone with it.
    if (!isUndone || given.length > 0) throw cause
    return runOn(lane, job)
  })
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
    // Whatever job comes has a thread started; this one is taken back before any thread does it.
    const leave = new AbortController()
    lane.run(undefined, { signal: leave.signal }).catch(() => undefined)
    leave.abort()
  }
  lane.on('workerDestroy', () => void setTimeout(replace, REPLACED_MS).unref())
}

function tellEnds(lane: Piscina, ended: LaneParts['ended']): void {
  lane.on('workerCreate', ({ id }: { id: number }) => {
    // Asked for now: a thread that has ended has no number any more.
    lane.threads.find(({ threadId }) => threadId === id)?.once('exit', () => ended?.(id))
  })
}
