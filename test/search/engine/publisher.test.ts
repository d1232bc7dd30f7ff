import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { BatchedWrite } from '../../../src/search/engine/batch.ts'
import { openPublisher } from '../../../src/search/engine/publisher.ts'
import type { IndexEntry } from '../../../src/search/indices/index-entry.ts'

/** What is published needs nothing of an index but its id. */
const entry = { record: { id: 1 } } as IndexEntry

/** The core as a list of the documents that it was given, batch by batch; each batch takes its time. */
function openSlowCore() {
  const batches: number[][] = []
  let underWay = 0
  let together = 0
  const publisher = openPublisher(async (_, { ords }) => {
    underWay += 1
    together = Math.max(together, underWay)
    await passMs(10)
    underWay -= 1
    batches.push([...ords])
    return new Uint8Array(ords.length)
  })
  return {
    batches,
    publish: (sequence: number) => publisher.publish(entry, [{ sequence, adds: true }]),
    publishSized: (sequence: number, size: Pick<BatchedWrite, 'characters' | 'grams'>) =>
      publisher.publish(entry, [{ sequence, adds: true, ...size }]),
    publishSoon: (sequence: number) => publisher.publishSoon(entry, [{ sequence, adds: true }]),
    exclusive: (work: () => Promise<void>) => publisher.exclusive(entry, work),
    idle: publisher.idle,
    together: () => together,
  }
}

// Time passes as soon as everything waits: a busy machine makes nobody late.
beforeEach(() => void vi.useFakeTimers().setTimerTickMode('nextTimerAsync'))
afterEach(() => void vi.useRealTimers())

const passMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('hands writes to an index in their order, whether somebody waits for them or not', async () => {
  const { batches, publish, publishSoon, idle, together } = openSlowCore()
  // The second finds the first under way and asks for a batch later; the first's batch takes it along.
  const writes: Promise<unknown>[] = [publish(1)]
  publishSoon(2)
  await idle()
  let sequence = 3
  const untilMs = performance.now() + 400
  while (performance.now() < untilMs) {
    publishSoon(sequence++)
    await passMs(35)
    writes.push(publish(sequence++))
    await passMs(35)
  }
  await Promise.all(writes)
  await idle()
  const order = batches.flat()
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(order).toHaveLength(sequence - 1)
  expect(together()).toBe(1)
})

it('has one batch of an index in the core at a time, also long after one that took others along', async () => {
  const { publish, publishSoon, together } = openSlowCore()
  const startedMs = performance.now()
  const first = publish(1)
  const second = publish(2)
  publishSoon(3)
  await Promise.all([first, second])
  // Soon the third would have gone by itself.
  await passMs(245 - (performance.now() - startedMs))
  const later = publish(4)
  await passMs(7)
  await Promise.all([later, publish(5)])
  expect(together()).toBe(1)
})

it('keeps what comes while something runs alone, also when that waited for the last batch', async () => {
  const { batches, publish, exclusive } = openSlowCore()
  const first = publish(1)
  let seen: number[][] = []
  const alone = exclusive(async () => {
    await passMs(50)
    seen = [...batches]
  })
  await first
  await passMs(20)
  await Promise.all([publish(2), alone])
  expect(seen).toEqual([[1]])
  expect(batches).toEqual([[1], [2]])
})

it('lets writers that were just answered share the next batch', async () => {
  const { batches, publish } = openSlowCore()
  let sequence = 1
  const writer = async (delayMs: number) => {
    await passMs(delayMs)
    for (let count = 0; count < 8; count++) {
      await publish(sequence++)
      // The way to the client and back: without it they would come back before the next batch is taken.
      await passMs(3)
    }
  }
  // Half of them come while the others' batch is under way: without a pause, two groups would take turns for ever.
  await Promise.all(Array.from({ length: 8 }, (_, lane) => writer(lane < 4 ? 0 : 3)))
  expect(batches.flat()).toHaveLength(64)
  expect(batches.filter(({ length }) => length === 8).length).toBeGreaterThanOrEqual(6)
})

it('takes writes that become durable together in one batch, though none was under way', async () => {
  const { batches, publish } = openSlowCore()
  await Promise.all([1, 2, 3].map(publish))
  await passMs(50)
  await Promise.all([4, 5].map(publish))
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ])
})

it('leaves what nobody waits for to a later commit, however often batches end', async () => {
  const { batches, publish, publishSoon, idle } = openSlowCore()
  const first = publish(1)
  for (let sequence = 2; sequence <= 40; sequence++) {
    publishSoon(sequence)
    await passMs(5)
  }
  await first
  await idle()
  expect(batches.flat()).toHaveLength(40)
  expect(batches.length).toBeLessThanOrEqual(4)
})

it.each(['characters', 'grams'] as const)(
  'takes no more %s together than fit in memory, but a giant by itself',
  async (unit) => {
    const { batches, publish, publishSized } = openSlowCore()
    const giant = 4_000_000
    const writes = [publish(1)]
    for (let sequence = 2; sequence <= 7; sequence++)
      writes.push(publishSized(sequence, { [unit]: giant }))
    writes.push(publishSized(8, { [unit]: 100 * giant }), publishSized(9, { [unit]: 1 }))
    writes.push(publish(10))
    await Promise.all(writes)
    expect(batches).toEqual([[1, 2, 3, 4, 5], [6, 7], [8], [9, 10]])
  },
)
