import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { INDEX_FOLDER } from '../../store/folder.ts'

/** Removes index folders that no declaration names any more: a switch or a deletion that a crash cut short. */
export async function removeStrays(root: string, known: ReadonlySet<string>): Promise<void> {
  for (const each of await readdir(root, { withFileTypes: true }))
    if (each.isDirectory() && INDEX_FOLDER.test(each.name) && !known.has(each.name))
      await rm(join(root, each.name), { recursive: true, force: true })
}
