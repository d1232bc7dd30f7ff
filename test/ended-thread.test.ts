import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { LentSlabs } from '../src/search/query/slab.ts'
import { startApp } from './running-app.ts'
import { waitUntil } from './until.ts'

const { ended } = vi.hoisted(() => ({ ended: [] as number[] }))

vi.mock('../src/search/query/slab.ts', async (original) => {
  const slab = await original<typeof import('../src/search/query/slab.ts')>()
  return {
    ...slab,
    openLentSlabs: (): LentSlabs => {
      const slabs = slab.openLentSlabs()
      const threadEnded = (thread: number) => {
        ended.push(thread)
        slabs.threadEnded(thread)
      }
      return { ...slabs, threadEnded }
    },
  }
})

it('the memory that a thread lent pages in goes with the thread, and another one answers in its place', async () => {
  const threads = new Map<number, Worker>()
  const note = (thread: Worker) => void threads.set(thread.threadId, thread)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  const service = await startApp()
  onTestFinished(service.close)
  await service.must('POST', '/cortex/documents', { index: 'a', document: { title: 'a word' } })
  const find = () => service.must<{ total: number }>('POST', '/cortex/search', { query: 'word' })
  expect((await find()).total).toBe(1)
  // The lane of searches opens first.
  const [[number, thread] = []] = threads
  const isOver = once(thread!, 'exit')
  await thread?.terminate()
  await isOver
  await waitUntil(() => ended.length > 0, 30_000)
  expect(ended).toEqual([number])
  expect((await find()).total).toBe(1)
})
