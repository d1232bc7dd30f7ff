import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Piscina } from 'piscina'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openBalancer } from '../../src/threads/balancer.ts'
import { sharedFolder } from '../temporary-folder.ts'

const JOB = `
const { setTimeout: pass } = require('node:timers/promises')
const { threadId } = require('node:worker_threads')
module.exports = async (gate) => {
  while (Atomics.load(gate, 0) === 0) await pass(1)
  return threadId
}
`
/** A job ends once its gate is open. */
const closedGate = () => new Int32Array(new SharedArrayBuffer(4))
const open = (gate: Int32Array) => Atomics.store(gate, 0, 1)
const OPEN = closedGate()
open(OPEN)

const folder = sharedFolder()
const described = new Set<unknown>()
let pool: Piscina

beforeAll(() => {
  writeFileSync(join(folder, 'job.cjs'), JOB)
  const balance = openBalancer(2)
  pool = new Piscina({
    filename: join(folder, 'job.cjs'),
    minThreads: 2,
    maxThreads: 2,
    concurrentTasksPerWorker: 2,
    loadBalancer: (job, threads) => {
      for (const thread of threads) described.add(thread)
      return balance(job, threads)
    },
  })
})
afterAll(async () => {
  await pool.destroy()
})

test('jobs go to the thread that has the fewest', async () => {
  // However long giving them takes, no thread seems to be at something that takes long.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => void vi.restoreAllMocks())
  const gate = closedGate()
  const jobs = Array.from({ length: 4 }, () => pool.run(gate))
  open(gate)
  const threads = await Promise.all(jobs)
  const [first, second] = new Set(threads)
  expect(threads.filter((thread) => thread === first)).toHaveLength(2)
  expect(threads.filter((thread) => thread === second)).toHaveLength(2)
})

test('a thread that has as many as it may have gets none', () => {
  const balance = openBalancer(2)
  type Asked = Parameters<typeof balance>
  const choose = (...usages: number[]) =>
    balance({} as Asked[0], usages.map((currentUsage) => ({ currentUsage })) as Asked[1])
  expect(choose(2, 2)).toBeNull()
  expect(choose(2, 1)).toEqual({ currentUsage: 1 })
})

test('no job is put behind one that takes long: it waits for the first thread that is free', async () => {
  const [long, short] = [closedGate(), closedGate()]
  const slow = pool.run(long)
  const other = pool.run(short)
  await new Promise((resolve) => setTimeout(resolve, 30))
  // Two threads are at something; the second one ends first.
  const jobs = [pool.run(OPEN), pool.run(OPEN)]
  open(short)
  const threads = await Promise.all(jobs)
  open(long)
  expect(threads).toEqual([await other, await other])
  expect(await slow).not.toBe(await other)
})

test('a thread is described once, however many jobs it gets', async () => {
  for (let job = 0; job < 100; job++) await pool.run(OPEN)
  // Twice when the very first job came: once before the library is taught otherwise.
  expect(described.size).toBeLessThanOrEqual(4)
})
