import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** A folder for a test, asked for in it or in what runs before each; it is gone when the test is over. */
export function temporaryFolder(): string {
  const { folder, remove } = makeFolder()
  onTestFinished(remove)
  return folder
}

/** A folder for all tests of a file or of a `describe`, asked for where these stand; it is gone when they are over. */
export function sharedFolder(): string {
  const { folder, remove } = makeFolder()
  afterAll(remove)
  return folder
}

function makeFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'attune-test-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
