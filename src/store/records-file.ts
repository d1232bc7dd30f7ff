import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors.ts'

/** LMDB's own names. */
const RECORDS = 'data.mdb'
const LOCK = 'lock.mdb'

/** The folder of the environment inside the data folder. */
export function recordsDirectory(dataDir: string): string {
  return join(dataDir, 'records')
}

/** The file that has the records. */
export function recordsFile(dataDir: string): string {
  return join(recordsDirectory(dataDir), RECORDS)
}

/**
 * Tells whether a file is still the one that lies there now. Who has it open goes on writing to it when it was removed or
 * its disk taken away, and hears of no failure; but all that is written then is lost.
 */
export function openPlaceCheck(file: string): () => boolean {
  const before = statSync(file)
  return () => {
    const now = lookUp(file)
    return now === 'unknown' || (now?.ino === before.ino && now.dev === before.dev)
  }
}

/** Undefined where there is no such file; what the system doesn't tell just then is no reason to give up. */
function lookUp(file: string): Stats | 'unknown' | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch {
    return 'unknown'
  }
}

/**
 * Throws a StartError where a file of the record store lies there and can't be read and written, as after a copy that
 * somebody else made: LMDB itself would end the process by a signal. (Looked at, not opened: to close it again would give
 * up the locks of whoever has it open in this process.)
 */
export function refuseUnusable(directory: string): void {
  for (const name of [RECORDS, LOCK]) {
    const path = join(directory, name)
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue
    try {
      accessSync(path, constants.R_OK | constants.W_OK)
    } catch (cause) {
      throw deniedRecords(directory, cause)
    }
    if (!statSync(path).isFile())
      throw new StartError(`${path} is no file, where the record store has one: move it away.`)
  }
}

/** What is said where the system does not let this process at the files of the record store. */
export function deniedRecords(directory: string, cause: unknown): StartError {
  return new StartError(
    `The record store in ${directory} can't be opened: whoever runs the service must be let read and write ${RECORDS} and ${LOCK} there (as after a start as another user: chown -R).`,
    { cause },
  )
}

/** LMDB's stamp at the start of a meta page's content, and where what follows it stands (lmdb's mdb.c, MDB_meta). */
const STAMP = Buffer.from([0xde, 0xc0, 0xef, 0xbe])
const META = { pageBytes: 24, lastPage: 120, transaction: 128, end: 136 }
/** A page's own header, in front of its content, is shorter. */
const HEADER_BYTES_MAX = 64

/**
 * The length of the records' file, and the one that its newest meta page speaks of, where the file is shorter: it may
 * have been cut by a copy that failed. It may also be sound, since free pages at its end need not be written. Throws a
 * StartError where it does not begin as LMDB's files do: LMDB itself would end the process by a signal.
 */
export function shortfall(file: string): { bytes: number; expected: number } | undefined {
  if (!existsSync(file)) return undefined
  const { size: bytes } = statSync(file)
  if (bytes === 0) return undefined
  const descriptor = openSync(file, 'r')
  try {
    const first = readMeta(descriptor, 0)
    const second = first && readMeta(descriptor, first.pageBytes)
    if (first === undefined || second === undefined)
      throw damagedRecords(file, 'it does not begin as a record store does')
    const newest = second.transaction > first.transaction ? second : first
    const expected = (newest.lastPage + 1) * newest.pageBytes
    return bytes < expected ? { bytes, expected } : undefined
  } finally {
    closeSync(descriptor)
  }
}

/** Undefined where there is none. */
function readMeta(descriptor: number, offset: number) {
  const page = Buffer.alloc(HEADER_BYTES_MAX + META.end)
  readSync(descriptor, page, 0, page.length, offset)
  const start = page.indexOf(STAMP)
  if (start < 0 || start + META.end > page.length) return undefined
  return {
    pageBytes: page.readUInt32LE(start + META.pageBytes),
    lastPage: Number(page.readBigUInt64LE(start + META.lastPage)),
    transaction: Number(page.readBigUInt64LE(start + META.transaction)),
  }
}

/** What is said of records that can't be read, whoever starts again. */
export function damagedRecords(file: string, how: string, cause?: unknown): StartError {
  return new StartError(`${file} is damaged: ${how}. Put a whole copy in its place.`, {
    cause,
    lasts: true,
  })
}
