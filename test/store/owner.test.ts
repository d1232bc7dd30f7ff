import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { refuseOwned } from '../../src/store/owner.ts'

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
    await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '))
    expect(() => refuseOwned({ pid, origin: 0, file }, claimant)).not.toThrow()
  },
)
