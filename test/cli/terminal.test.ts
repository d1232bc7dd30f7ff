import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { compiled } from '../compiled.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { waitUntil } from '../wait-until.ts'

const entry = compiled('src/cli/main.ts')

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})

/** Runs the command line in the test's folder; `said` gives what it printed so far. */
function attune(...args: string[]): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (text: Buffer) => {
    said += text
  })
  return { child, said: () => said }
}

test('a demo whose terminal is closed takes its server and its folder away', async () => {
  const { child, said } = attune('demo')
  await waitUntil(() => said().includes('Loading'))
  const [, url] = /listens on (\S+)\. /.exec(said()) ?? []
  const ended = once(child, 'exit')
  // As it comes where both the shell and the system tell of it.
  child.kill('SIGHUP')
  child.kill('SIGHUP')
  expect(await ended).toEqual([null, 'SIGHUP'])
  expect(readdirSync(folder)).toEqual([])
  await expect(fetch(`${url}/livez`)).rejects.toThrow()
})

describe('one Ctrl-C ends a command that waits for a server', () => {
  for (const args of [['search', 'words'], ['status'], ['load', 'a.txt']])
    test(args.join(' '), async () => {
      writeFileSync(join(folder, 'a.txt'), 'words')
      const silent = createServer()
      onTestFinished(() => void silent.closeAllConnections())
      onTestFinished(() => void silent.close())
      const asked = once(silent, 'request')
      const port = await listen(silent)
      const { child } = attune(...args, '--url', `http://127.0.0.1:${port}/api`)
      await asked
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      expect(await ended).toEqual([130, null])
    })
})
