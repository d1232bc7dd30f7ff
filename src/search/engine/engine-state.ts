import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { LastingFailures } from '../../lasting-failures.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import type { IndexEntry } from '../indices/index-entry.ts'
import type { Indices } from '../indices/indices.ts'

export interface EngineParts {
  store: Store
  pool: Pool
  config: Config
  indices: Indices
  log: Logger
}

/** What the engine knows of one index that the Rust core has open, or is opening. */
export interface OpenState {
  entry: IndexEntry
  /** Settles when it is open and complete; undefined from then on. */
  opening: Promise<void> | undefined
  /** Position in the order of use when it was open; 0 before. */
  openedAt: number
  /** Position in the order of use, for closing the least used. */
  usedAt: number
  /** The sequence up to which everything is published. */
  published: number
  /** The one up to which the files hold everything. */
  durable: number
  /** A new space, merged segments or a grown graph may be in no file yet, which no sequence tells. */
  reshaped: boolean
  /** Settles when its files are written, as far as anybody has asked for it. */
  saving: Promise<void> | undefined
  /** The mark of a checkpoint that is under way, or did not come to its end. */
  mark: string | undefined
  /** Searches that need it open now. */
  users: number
  /** Called when the last of them is done. */
  onUnused: (() => void) | undefined
  /** On its way to being closed, or to giving up its writer. */
  retiring: Promise<void> | undefined
  /** The former of the two. */
  leaving: boolean
  /** It was written to since it was last tidied up: it may be merged, and hold memory that is free. */
  writer: boolean
  fitting: Promise<void> | undefined
  /** When a batch first found that a new space is due, in the process's own time. */
  wantedSinceMs: number | undefined
  /** Since when it has not been at rest, in the same time. */
  restlessSinceMs: number | undefined
  merging: Promise<void> | undefined
  /** Its neighbour graph is growing. */
  linking: Promise<void> | undefined
  /** The graph has all vectors that there were when something was last published. */
  linked: boolean
  /** Documents of which no space could be learned, 0 if none was refused. */
  refusedAt: number
  /** How often in a row learning failed in passing. */
  fitFailures: number
  /** Until when it is not tried again, in the process's own time. */
  fitFromMs: number
  /** Its segments were merged since something was last published. */
  merged: boolean
  /** What was published when the upkeep last came by; the same again means that the index is at rest. */
  seen: number
}

/** Of an index that begins to open; `usedAt` is its place in the order of use. */
export function newState(entry: IndexEntry, usedAt: number): OpenState {
  return {
    entry,
    opening: undefined,
    openedAt: 0,
    usedAt,
    users: 0,
    retiring: undefined,
    leaving: false,
    onUnused: undefined,
    published: 0,
    durable: 0,
    reshaped: false,
    saving: undefined,
    mark: undefined,
    writer: false,
    fitting: undefined,
    wantedSinceMs: undefined,
    restlessSinceMs: undefined,
    merging: undefined,
    linking: undefined,
    linked: false,
    refusedAt: 0,
    fitFailures: 0,
    fitFromMs: 0,
    merged: false,
    seen: -1,
  }
}

/**
 * False of files that others took the place of, and that only wait for searches under way: their index has the number of
 * those others, which whatever is asked of it here would be done to.
 */
export function isInUse({ states }: Pick<EngineState, 'states'>, state: OpenState): boolean {
  return states.get(state.entry.record.engineId) === state
}

/** An index whose files could not be opened, and when upkeep tries again. */
export interface Unopened {
  entry: IndexEntry
  pauseMs: number
  fromMs: number
}

/** The engine's own state, shared by its files. */
export interface EngineState extends EngineParts {
  /** By engine number. */
  states: Map<number, OpenState>
  /** Indices whose files could not be opened the last time; whoever names one tries again, and so does upkeep. */
  unopened: Map<number, Unopened>
  /** Why, by the same numbers. */
  unread: LastingFailures<number>
  /** Indices whose files could not be written the last time, by the same numbers. */
  unsaved: LastingFailures<number>
  uses: number
  closing: boolean
  /** Switches to new files that are under way, by index. */
  rebuilding: Map<number, Promise<void>>
  /** Has indices opened by turns for what is to be written: no more at the same time than may have a writer. */
  openingToWrite: <T>(open: () => Promise<T>) => Promise<T>
  isBusy: (entry: IndexEntry) => boolean
}
