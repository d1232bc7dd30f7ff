import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Piscina } from 'piscina'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBalancer } from '../../src/threads/balancer.ts'

const JOB = `
const { setTimeout: pass } = require('node:timers/promises')
const { threadId } = require('node:worker_threads')
module.exports = async (ms) => (await pass(ms), threadId)
`
const folder = mkdtempSync(join(tmpdir(), 'attune-balancer-'))
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
  rmSync(folder, { recursive: true, force: true })
})

test('jobs go to the thread that has the fewest', async () => {
  const threads = await Promise.all([pool.run(50), pool.run(50), pool.run(50), pool.run(50)])
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
  const slow = pool.run(400)
  const other = pool.run(40)
  await new Promise((resolve) => setTimeout(resolve, 30))
  const started = performance.now()
  // Two threads are at something; the second one ends first.
  const [threadOfOther, ...threads] = await Promise.all([other, pool.run(1), pool.run(1)])
  expect(threads).toEqual([threadOfOther, threadOfOther])
  expect(performance.now() - started).toBeLessThan(300)
  expect(await slow).not.toBe(threadOfOther)
})

test('a thread is described once, however many jobs it gets', async () => {
  for (let job = 0; job < 100; job++) await pool.run(0)
  // Twice when the very first job came: once before the library is taught otherwise.
  expect(described.size).toBeLessThanOrEqual(4)
})
