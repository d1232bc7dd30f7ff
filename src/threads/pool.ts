import type { Piscina } from 'piscina'
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
import { type LaneParts, openLane, runOn } from './lane.ts'
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
  /** Time that jobs spent with the threads, in seconds; a thread that is given two at a time counts both. */
  busyS: number
  /** The same since the start, as a share of what the threads could have taken, 0..1. */
  busyShare: number
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

export interface PoolOptions extends LaneParts {
  searchThreads: number
  workThreads: number
  searchQueueMax: number
}

/** Piscina's own `utilization` takes milliseconds for microseconds, and tells a thousandth. */
function busyOf(lane: Piscina): Pick<LaneFigures, 'busyS' | 'busyShare'> {
  const { maxThreads, concurrentTasksPerWorker } = lane.options
  const busyMs = lane.completed === 0 ? 0 : lane.histogram.runTime.mean * lane.completed
  const mostMs = lane.duration * maxThreads * concurrentTasksPerWorker
  return { busyS: busyMs / 1000, busyShare: busyMs / mostMs }
}

/** Each thread of searches is given one hop to work on and the next one already, so that it need not wait for it. */
const HOPS_EACH = 2

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
        ...busyOf(piscina),
      })),
    close: async () => {
      await Promise.all(Object.values(lanes).map((lane) => lane.destroy()))
    },
  }
}
