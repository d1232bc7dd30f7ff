import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { compiled } from './compiled.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { waitUntil } from './wait-until.ts'

const MAIN = compiled('src/main.ts')
const PATIENCE_MS = 60_000
/** Lines of a request are some 200 bytes at this level, and a pipe takes 64 KiB. */
const REQUESTS = 800
const PIECE_BYTES = 1 << 16

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})
/** A pipe of which both ends are open: what is written stays in it until `read` takes it. */
function openPipe() {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const end = openSync(path, 'r+')
  // Apart from what the server gets, which makes its own blocking or not.
  const own = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  let all = ''
  const piece = Buffer.alloc(PIECE_BYTES)
  return {
    end,
    /** All that was ever taken from it. */
    read: () => {
      try {
        for (;;) all += piece.toString('utf8', 0, readSync(own, piece))
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') throw cause
      }
      return all
    },
    close: () => {
      closeSync(end)
      closeSync(own)
    },
  }
}

it.skipIf(process.platform !== 'linux')(
  'a log that is not read for a while holds up neither requests nor the end, and loses nothing of a megabyte',
  async () => {
    const pipe = openPipe()
    const port = await freePort()
    const child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', pipe.end, 'inherit'],
      env: {
        ...process.env,
        ...{ PORT: String(port), DATA_DIR: join(folder, 'data') },
        ...{ SEARCH_THREADS: '1', LOG_LEVEL: 'trace' },
      },
    })
    const ended = once(child, 'exit')
    const ask = async () => {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      return (await fetch(`http://127.0.0.1:${port}/livez`, { signal })).status
    }
    try {
      await waitUntil(() => ask().then(Boolean, () => false), PATIENCE_MS)
      for (let number = 0; number < REQUESTS; number++) expect(await ask()).toBe(200)
      const asked = () => pipe.read().match(/"endpoint":"\/livez"/g)?.length ?? 0
      await waitUntil(() => asked() > REQUESTS, PATIENCE_MS)
      for (let number = 0; number < REQUESTS; number++) expect(await ask()).toBe(200)
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      const lines = pipe.read().split('\n').filter(Boolean)
      for (const line of lines.slice(0, -1))
        if (!line.startsWith('Attune is ready')) expect(() => JSON.parse(line)).not.toThrow()
    } finally {
      child.kill('SIGKILL')
      await ended
      pipe.close()
    }
  },
)
