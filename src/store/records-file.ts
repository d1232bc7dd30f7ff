import { accessSync, constants, lstatSync, type Stats, statSync } from 'node:fs'
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

/** What is said of records that can't be read, whoever starts again. */
export function damagedRecords(file: string, how: string, cause?: unknown): StartError {
  return new StartError(`${file} is damaged: ${how}. Put a whole copy in its place.`, {
    cause,
    lasts: true,
  })
}
