import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const script = fileURLToPath(new URL('want-of-files.js', import.meta.url))
/** As it is built, which `npm test` sees to. */
const pool = new URL('../../dist/src/threads/pool.js', import.meta.url)

it.skipIf(!existsSync(pool))(
  'a thread that had no file descriptor for the code of a job is replaced once there are some',
  () => {
    const node = [process.execPath, script, pool.href, temporaryFolder()]
    const run = ['-c', 'ulimit -n 256 && exec "$@"', 'sh', ...node]
    const { without, again } = JSON.parse(execFileSync('sh', run, { encoding: 'utf8' }))
    expect(without).toEqual(['UNHEALTHY', 'UNHEALTHY'])
    // The core's own words about a request that is none: it was asked.
    expect(again).toContain('expected value')
  },
)
