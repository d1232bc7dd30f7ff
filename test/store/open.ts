import { onTestFinished } from 'vitest'
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A store in a folder of its own, closed when the test is over. */
export function temporaryStore(options: Partial<StoreOptions> = {}): Store {
  const dataDir = options.dataDir ?? temporaryFolder()
  const log = { warn: () => {}, error: () => {} }
  const store = openStore({ dataDir, bytesMax: 2 ** 30, log, ...options })
  onTestFinished(() => store.close())
  return store
}
