import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { openClaims } from '../../src/answer-room.ts'
import { startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

it('a thread that ends in the middle of a long page leaves the room for answers as it was', async () => {
  const threads: Worker[] = []
  const note = (thread: Worker) => void threads.push(thread)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  const service = await startApp({ ANSWERS_BYTES_MAX: '1048576' })
  onTestFinished(() => service.close())
  const content = 'willow '.repeat(20_000)
  for (const id of ['a', 'b', 'c'])
    await service.must('PUT', `/cortex/documents/${id}?index=i`, { title: id, content })
  const find = () => service.call('POST', '/cortex/search', { query: 'willow', index: 'i' })
  expect((await find()).status).toBe(200)
  // The searches' own thread, which is started first, with a page under way that takes nearly all.
  const [dying] = threads
  openClaims(service.app.answers.memory, dying?.threadId).reach(1_000_000)
  expect((await find()).code).toBe('OVERLOADED')
  await dying?.terminate()
  await waitUntil(async () => (await find()).status === 200)
})
