import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { compiled } from './compiled.ts'
import { temporaryFolder } from './temporary-folder.ts'

const END_PROCESS = compiled('src/end-process.ts')
const PATIENCE_MS = 120_000

/** Ends while the thread that writes the store is within a transaction and waits for its callback, and tells its listeners. */
const SCRIPT = `
  import { open } from 'lmdb'
  import { endProcess } from ${JSON.stringify(END_PROCESS)}
  process.on('exit', (code) => process.stdout.write('told of ' + code))
  const table = open({ path: process.argv[1] })
  const block = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  setImmediate(() => {
    void table.transaction(() => table.put('a', 1))
    setTimeout(() => {
      block(500)
      endProcess(3)
    })
  })
`

it(
  'the process ends with its code though a transaction of the store still waits for it',
  async () => {
    const folder = temporaryFolder()
    const node = ['--input-type=module', '--eval', SCRIPT, folder]
    const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString()
    })
    const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS / 2)
    const [code, signal] = await once(child, 'close')
    clearTimeout(patience)
    expect({ code, signal, output }).toEqual({ code: 3, signal: null, output: 'told of 3' })
  },
  PATIENCE_MS,
)
