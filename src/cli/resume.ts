import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../object.ts'
import type { SourceFile } from './read/files.ts'

const SAVE_EVERY_MS = 1000

/** How far a load has come, in a small file beside the work, so that `--resume` can go on from there. */
export interface Resume {
  path: string
  /** Records at the start of a file that need not be sent again. */
  done: (file: SourceFile) => number
  /** Everything up to this many records of the file, and every file before it, has been settled. */
  advance: (file: SourceFile, records: number) => Promise<void>
  /** False where the state can't be written, or nothing is settled; no load fails for that. */
  save: () => Promise<boolean>
  remove: () => Promise<void>
}

/**
 * Opens the state of the load that `key` describes (its address, index, files and mapping). Without
 * `go`, an earlier state is ignored. A file that has changed since is loaded from its start. `note` hears once that the
 * state can't be written.
 */
export async function openResume(
  { folder, key, go }: { folder: string; key: string; go: boolean },
  note: (line: string) => void,
): Promise<Resume> {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12)
  const path = join(folder, `.attune-load-${hash}.json`)
  const records = new Map(go ? await readState(path) : [])
  let savedAt = performance.now()
  let saving = Promise.resolve(true)
  let isTold = false
  const entry = (file: SourceFile) => `${file.name}\0${file.fingerprint}`
  const write = async () => {
    try {
      await writeFile(`${path}.new`, JSON.stringify(Object.fromEntries(records)))
      await rename(`${path}.new`, path)
      return true
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (!isTold) note(`How far the load has come can't be kept in ${path} (${code}).`)
      isTold = true
      return false
    }
  }
  const save = () => {
    savedAt = performance.now()
    saving = saving.then(() => (records.size > 0 ? write() : drop()))
    return saving
  }
  // One that can't be removed is not read without --resume.
  const drop = async () => {
    await rm(path, { force: true }).catch(() => undefined)
    return false
  }
  return {
    path,
    done: (file) => records.get(entry(file)) ?? 0,
    advance: async (file, count) => {
      records.set(entry(file), count)
      if (performance.now() - savedAt >= SAVE_EVERY_MS) await save()
    },
    save,
    remove: async () => {
      await saving
      await drop()
    },
  }
}

async function readState(path: string): Promise<[string, number][]> {
  try {
    const state: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (!isObject(state)) return []
    return Object.entries(state).filter((row): row is [string, number] => Number.isInteger(row[1]))
  } catch {
    // no state, or not ours to read: everything is sent again, which replaces what is there
    return []
  }
}
