import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../errors.ts'

/**
 * Makes a folder, with those above it, and checks that files can be put into it. Throws a StartError.
 * (Node's own recursive way tries for ever where the system denies that a folder's parent exists, as in /proc.)
 */
export function makeFolder(path: string): void {
  try {
    makeAll(path)
    // With the dot, since a file may lie there.
    accessSync(`${path}/.`, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    throw new StartError(
      `The data folder ${path} can't be made or written to (${code}); set DATA_DIR to one that can.`,
      { cause, lasts: IN_THE_WAY.has(code) },
    )
  }
}

/** What no waiting mends, as it does a disk that is not mounted yet: a file in the place of a folder, or a name that none can have. */
const IN_THE_WAY: ReadonlySet<string> = new Set(['ENOTDIR', 'EEXIST', 'ENAMETOOLONG', 'ELOOP'])

function makeAll(path: string): void {
  if (existsSync(path)) return
  makeAll(dirname(path))
  try {
    mkdirSync(path)
  } catch (cause) {
    // Somebody else was faster.
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
  }
}

/** Where the files lie that are derived from the records, by index. */
export function indicesDirectory(dataDir: string): string {
  return join(dataDir, 'indices')
}

/** The name of an index's folder; what is called otherwise is somebody else's. */
export const INDEX_FOLDER = /^[1-9]\d*$/

/**
 * Throws a StartError where folders of indices lie without the records that they are built from, as after a copy that
 * failed: an empty store would be begun, and they would be removed as nobody's.
 */
export function refuseLostRecords(dataDir: string, recordsFile: string): void {
  const isThere = existsSync(recordsFile) && statSync(recordsFile).size > 0
  const indices = indicesDirectory(dataDir)
  if (isThere || !existsSync(indices)) return
  if (!readdirSync(indices).some((name) => INDEX_FOLDER.test(name))) return
  throw new StartError(
    `The data folder ${dataDir} holds indices, but ${recordsFile}, which has their documents, is missing or empty. ` +
      'Put it back, or remove the folder indices to begin anew.',
    { lasts: true },
  )
}
