import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { refuseOwned } from '../../src/store/owner.ts'
import { openStore } from '../../src/store/store.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { waitUntil } from '../wait-until.ts'

const file = '1:1'
const claimant = { pid: process.pid, origin: 1, file }

it('a process that runs keeps its folder', () => {
  const owner = { pid: process.ppid, origin: 0, file }
  expect(() => refuseOwned(owner, claimant)).toThrow(`in use by process ${process.ppid}`)
})

it('an own number is told from that of a process before, as the first one of a container has it', () => {
  const { pid } = process
  const own = { pid, origin: performance.timeOrigin, file }
  expect(() => refuseOwned(own, claimant)).toThrow(`in use by process ${pid}`)
  expect(() => refuseOwned({ ...own, origin: 0 }, claimant)).not.toThrow()
})

it.runIf(existsSync('/proc/self/stat'))(
  'a process that is over keeps no folder, though nobody took note of its end',
  async () => {
    // The sleep that takes the place of the shell never asks for the other one.
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'])
    onTestFinished(() => void parent.kill())
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (told) => resolve(Number(told))),
    )
    await waitUntil(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), 30_000)
    expect(() => refuseOwned({ pid, origin: 0, file }, claimant)).not.toThrow()
  },
)

it.skipIf(process.platform === 'win32')(
  'a folder is one process’s also where that can not be seen, as in another container, until it ends',
  async () => {
    const dataDir = temporaryFolder()
    const open = () =>
      openStore({ dataDir, bytesMax: 1 << 24, log: { warn: () => {}, error: () => {} } })
    await open().close()
    // It names itself nowhere: as good as a process whose number means another one, or none, here.
    const addon = fileURLToPath(new URL('../../native/attune.node', import.meta.url))
    const script = `console.log(require(process.argv[1]).hold(process.argv[2])); setInterval(() => {}, 1e6)`
    const other = spawn(process.execPath, ['-e', script, addon, join(dataDir, 'records/data.mdb')])
    onTestFinished(() => void other.kill('SIGKILL'))
    expect(String(await once(other.stdout, 'data'))).toBe('true\n')
    for (let time = 0; time < 2; time += 1)
      expect(open).toThrow(
        `The data folder ${dataDir} is in use by a process that can't be seen from here, as one in another container; stop it or choose another DATA_DIR.`,
      )
    other.kill('SIGKILL')
    await once(other, 'exit')
    const first = open()
    expect(open).toThrow(`in use by process ${process.pid}`)
    await first.close()
    await open().close()
  },
)
