import { spawn } from 'node:child_process'
import { openSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiled } from '../compiled.ts'
import { listen } from '../listen.ts'
import { sharedFolder } from '../temporary-folder.ts'

const entry = compiled('src/cli/main.ts')
const HITS = 3000

const folder = sharedFolder()
let server: Server
let url: string

/** One answer for all routes: many hits, and both components in health. */
function answer() {
  const hits = Array.from({ length: HITS }, (_, rank) => ({
    id: `hit-${rank}`,
    index: 'docs',
    score: 1,
    source: { content: 'long words '.repeat(10) },
  }))
  return { hits, total: HITS, searchContext: { searchType: 'text' }, indices: [], overall: true }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ success: true, data: answer() }))
  })
  url = `http://127.0.0.1:${await listen(server)}/api`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Runs the command line in the test's folder with stdout as given; answers how it ended and what it noted. */
async function attune(args: string[], stdout: 'pipe' | number, closed: 'at once' | 'later') {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: folder,
    env: { ...process.env, ATTUNE_URL: url, TMPDIR: folder },
    stdio: ['ignore', stdout, 'pipe'],
  })
  if (child.stderr === null) throw new Error('The command has no stderr.')
  if (closed === 'at once') child.stdout?.destroy()
  else child.stdout?.once('data', () => child.stdout?.destroy())
  const ended = new Promise<number | null>((done) => child.on('exit', done))
  const [code, notes] = await Promise.all([ended, text(child.stderr)])
  return { code, notes }
}

describe('a reader that closes the pipe is no failure', () => {
  const commands = [
    ['--help'],
    ['search', '--help'],
    ['search', 'words'],
    ['search', 'words', '--json'],
    ['status'],
    ['status', '--json'],
  ]
  for (const args of commands)
    test(`attune ${args.join(' ')}`, async () => {
      expect(await attune(args, 'pipe', 'at once')).toEqual({ code: 0, notes: '' })
    })

  test('that has read the first lines', async () => {
    expect(await attune(['search', 'words'], 'pipe', 'later')).toEqual({ code: 0, notes: '' })
  })

  test('and the demo stops and takes its folder away', async () => {
    expect(await attune(['demo'], 'pipe', 'at once')).toEqual({ code: 0, notes: '' })
    expect(readdirSync(folder).filter((name) => name.startsWith('attune-demo-'))).toEqual([])
  })
})

test('what a command says of its own work stays, though nobody reads it', async () => {
  writeFileSync(join(folder, 'bad.ndjson'), 'not JSON\n')
  const { code, notes } = await attune(['load', 'bad.ndjson', '--dry-run'], 'pipe', 'at once')
  expect(notes).toMatch(/^bad\.ndjson:1: .*\nbad\.ndjson: 0 documents, 9 B\n$/)
  expect(code).toBe(1)
})

test.skipIf(process.platform !== 'linux')('a full disk is told in a sentence', async () => {
  const full = openSync('/dev/full', 'w')
  const { code, notes } = await attune(['search', 'words'], full, 'later')
  expect(notes).toMatch(/^The results can't be written: ENOSPC: .*\n$/)
  expect(code).toBe(1)
})
