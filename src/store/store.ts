import { open, type RootDatabase } from 'lmdb'
import { type ServiceError, StartError } from '../errors.ts'
import { openCommits } from './commits.ts'
import { refuseDamaged } from './damage.ts'
import { openDatabases, type Tables, wrapTables } from './databases.ts'
import { damaged, diskFull, isDamage, isDenied, wantsRoom } from './failure.ts'
import { indicesDirectory, makeFolder, refuseLostRecords } from './folder.ts'
import { type Hold, openHold, refuseOwned, thisProcess } from './owner.ts'
import { refuseNarrowSpace } from './process-limits.ts'
import {
  deniedRecords,
  openPlaceCheck,
  recordsDirectory,
  recordsFile,
  refuseUnusable,
} from './records-file.ts'
import { openSpace, type SpaceFigures } from './space.ts'
import { FORMAT, READERS_MAX, type Rows, TABLES_MAX, type TableName } from './tables.ts'

/** Where the store says what it did; pino fits. */
export interface StoreLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface StoreOptions {
  dataDir: string
  /** Bytes that live data may take; beyond it writes fail with DISK_FULL and deletions go on. */
  bytesMax: number
  log: StoreLog
  /** Longest time that a commit may take before the disk counts as failed. */
  commitMsMax?: number
  /** Called once when writing has failed for good; the process should then end. */
  onFailure?: (cause: unknown) => void
}

export interface StoreFigures extends SpaceFigures {
  /** Writes that wait for their commit. */
  pending: number
}

/** The truth on disk: every table, one writer, any number of readers. */
export interface Store {
  readonly tables: Tables
  /**
   * Runs `work` inside one transaction: it sees all earlier writes and its own, and either everything it wrote
   * becomes durable or, when it throws, nothing. `work` must be synchronous. Resolves with its value when the
   * commit is on the disk. Throws what `work` threw, DISK_FULL, or STORE_UNAVAILABLE.
   */
  write<T>(work: () => T): Promise<T>
  /**
   * As `write`, for work that only removes, or takes back what does harm, and writes a few rows: it goes on when the
   * store has reached its size, or the disk its reserve.
   */
  release<T>(work: () => T): Promise<T>
  /**
   * One row without a transaction of its own; the fastest durable write. Resolves when it is on the disk.
   * May overtake writes under way, so it is for rows that nobody else changes at that time, and not for blocks.
   */
  put<Name extends Exclude<TableName, 'impressions' | 'impressionBlocks'>>(
    table: Name,
    key: Rows[Name]['key'],
    value: Rows[Name]['value'],
  ): Promise<void>
  /** Why no more writes are taken; undefined while all is well. */
  failure(): unknown
  /** False where writes are refused with DISK_FULL. */
  hasRoom(): boolean
  /** What LMDB reports, and how many writes wait. */
  figures(): StoreFigures
  /** Hears what somebody failed with, who may have met a page that is not what it should be: health tells. */
  noteDamage(cause: unknown): void
  /**
   * Figures of the store after a real read; throws STORE_UNAVAILABLE when writing has failed for good, or where
   * records are known to be damaged.
   */
  health(): Promise<StoreFigures>
  /** Copies the store, as of now, into another data folder, which must hold none yet. */
  backup(directory: string): Promise<void>
  /** Waits for the writes under way, then closes; what failed for good stays as it is until the process ends. */
  close(): Promise<void>
}

/**
 * Opens the store for writing. Throws a StartError when the folder can't be used, when another process
 * writes to it or when a newer version of the service wrote it.
 */
export function openStore(options: StoreOptions): Store {
  makeFolder(recordsDirectory(options.dataDir))
  makeFolder(indicesDirectory(options.dataDir))
  const file = recordsFile(options.dataDir)
  refuseLostRecords(options.dataDir, file)
  refuseUnusable(recordsDirectory(options.dataDir))
  const isDamaged = refuseDamaged(file, options.log).length > 0
  refuseNarrowSpace(options.bytesMax)
  const root = openRoot(options)
  const hold = openHold(file)
  try {
    return buildStore(root, { ...options, isDamaged }, hold)
  } catch (error) {
    hold.letGo()
    void root.close()
    throw error
  }
}

function openRoot({ dataDir, bytesMax }: StoreOptions): RootDatabase {
  const directory = recordsDirectory(dataDir)
  try {
    return open(directory, {
      noSubdir: false,
      // Resolves a commit only when it is on the disk; the overlapping mode loses its order at a power cut.
      overlappingSync: false,
      maxDbs: TABLES_MAX,
      maxReaders: READERS_MAX,
      mapSize: bytesMax,
    })
  } catch (cause) {
    if (!isDenied(cause)) throw cause
    throw deniedRecords(directory, cause)
  }
}

function buildStore(
  root: RootDatabase,
  options: StoreOptions & { isDamaged: boolean },
  hold: Hold,
): Store {
  const databases = openDatabases(root)
  let { isDamaged } = options
  let writing = false
  function asWriter<T>(work: () => T): T {
    writing = true
    try {
      return work()
    } finally {
      writing = false
    }
  }
  const tables = wrapTables(databases, () => writing)
  claim(root, options.log, () => asWriter(() => claimTables(tables, options, hold)))
  const space = openSpace(root, databases, {
    directory: recordsDirectory(options.dataDir),
    bytesMax: options.bytesMax,
    log: options.log,
  })
  const isInPlace = openPlaceCheck(recordsFile(options.dataDir))
  const commits = openCommits({
    ...options,
    diskIsFull: space.diskIsFull,
    unreadable: () => readFailure(root, tables),
    isInPlace,
  })

  function refusal(): ServiceError | undefined {
    return commits.refusal() ?? (space.hasRoom() ? undefined : diskFull())
  }
  function run<T>(refused: ServiceError | undefined, work: () => T): Promise<T> {
    if (refused !== undefined) return Promise.reject(refused)
    return commits.settle(root.childTransaction(() => asWriter(work)))
  }
  function figures(): StoreFigures {
    return { ...space.figures(), pending: commits.pending() }
  }
  return {
    tables,
    write: (work) => run(refusal(), work),
    release: (work) => run(commits.refusal() ?? (space.mayRemove() ? undefined : diskFull()), work),
    put: (name, key, value) => {
      const refused = refusal()
      if (refused !== undefined) return Promise.reject(refused)
      return commits.settleShared(databases[name].put(key, value))
    },
    failure: commits.failure,
    hasRoom: space.hasRoom,
    figures,
    noteDamage: (cause) => {
      isDamaged ||= isDamage(cause)
    },
    health: async () => {
      const refused = commits.refusal() ?? (isDamaged ? damaged() : undefined)
      if (refused !== undefined) throw refused
      if (tables.meta.get('format') !== FORMAT) throw new Error('The store does not read back.')
      return figures()
    },
    backup: async (directory) => {
      makeFolder(recordsDirectory(directory))
      await root.backup(recordsDirectory(directory), false)
    },
    close: async () => {
      await run(commits.refusal(), () => tables.meta.remove('owner')).catch(() => undefined)
      commits.close()
      // After a failed commit there is nothing more to lose: one that hangs would hold up the end of the process, and of one
      // that met a wrong page LMDB may free the memory a second time, which ends the process by a signal.
      if (commits.failure() === undefined) await root.close()
      hold.letGo()
    },
  }
}

/** What reading fails with, by a read that sees the newest commit; undefined when it doesn't. */
function readFailure(root: RootDatabase, { meta }: Tables): unknown {
  try {
    root.resetReadTxn()
    meta.get('format')
    return undefined
  } catch (cause) {
    return cause
  }
}

/** Decides in one transaction, which LMDB serialises between processes, who writes to this store. */
function claim(root: RootDatabase, log: StoreLog, work: () => void): void {
  try {
    root.transactionSync(work)
  } catch (error) {
    if (!wantsRoom(error)) throw error
    log.warn({ err: error }, 'The disk is full: the store was opened, but not marked as in use')
  }
}

function claimTables({ meta }: Tables, { dataDir, log }: StoreOptions, hold: Hold): void {
  const format = meta.get('format') ?? FORMAT
  if (format > FORMAT)
    throw new StartError(
      `The data folder ${dataDir} was written by a newer version of the service: start that one, or put back a backup of before.`,
      { lasts: true },
    )
  const claimant = thisProcess(recordsFile(dataDir))
  const before = meta.get('owner')
  refuseOwned(before, claimant)
  hold.take(dataDir)
  if (before !== undefined)
    log.warn(
      { pid: before.pid },
      'the process that used the data folder last did not stop by itself (a crash, a kill, or a copy made while it ran): what indices lack is taken from the records',
    )
  meta.put('format', FORMAT)
  meta.put('owner', claimant)
}
