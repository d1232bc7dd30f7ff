import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { startApp } from './running-app.ts'
import { waitUntil } from './wait-until.ts'

/** Of a slab for short pages, with its state. */
const SLAB_BYTES = (64 << 10) + 4

/** Notes the slabs whose pages are taken from now on, and keeps none of them. */
function watchSlabs(): WeakRef<SharedArrayBuffer>[] {
  const seen: WeakRef<SharedArrayBuffer>[] = []
  const { store } = Atomics
  Atomics.store = ((array: Int32Array<SharedArrayBuffer>, at: number, value: number) => {
    if (array.buffer.byteLength === SLAB_BYTES) seen.push(new WeakRef(array.buffer))
    return store(array, at, value)
  }) as typeof store
  onTestFinished(() => {
    Atomics.store = store
  })
  return seen
}

it('the memory that a thread lent pages in goes with the thread, and another one answers in its place', async () => {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  const slabs = watchSlabs()
  const kept = () => {
    gc()
    return slabs.filter((slab) => slab.deref() !== undefined).length
  }
  const threads: Worker[] = []
  const note = (thread: Worker) => void threads.push(thread)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  const service = await startApp()
  onTestFinished(service.close)
  await service.must('POST', '/cortex/documents', { index: 'a', document: { title: 'a word' } })
  const find = () => service.must<{ total: number }>('POST', '/cortex/search', { query: 'word' })
  expect((await find()).total).toBe(1)
  await new Promise(setImmediate)
  expect([slabs.length, kept()]).toEqual([1, 1])
  // The lane of searches opens first.
  const [thread] = threads
  const isOver = once(thread!, 'exit')
  await thread?.terminate()
  await isOver
  await waitUntil(() => kept() === 0, 30_000)
  expect((await find()).total).toBe(1)
})
