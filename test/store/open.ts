import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts'

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attune-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A store in a folder of its own, closed when the test is over. */
export function temporaryStore(options: Partial<StoreOptions> = {}): Store {
  const dataDir = options.dataDir ?? temporaryFolder()
  const log = { warn: () => {}, error: () => {} }
  const store = openStore({ dataDir, bytesMax: 2 ** 30, log, ...options })
  onTestFinished(() => store.close())
  return store
}
