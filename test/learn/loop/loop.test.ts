import { expect, it } from 'vitest'
import type { ServiceError } from '../../../src/errors.ts'
import type { Consumer, ConsumerGroup } from '../../../src/learn/facts.ts'
import { openFold } from '../../../src/learn/loop/fold.ts'
import { openLog } from '../../../src/learn/loop/log.ts'
import { openLoop } from '../../../src/learn/loop/loop.ts'
import type { DeadSignals } from '../../../src/learn/signals/dead-signals.ts'
import { diskFull } from '../../../src/store/failure.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { waitUntil } from '../../wait-until.ts'
import { learnedRows, openLearner, START_MS } from '../learner.ts'

/** A store whose disk can be filled and freed. */
function openFillable(): { store: Store; disk: { full: boolean; refused: number } } {
  const real = temporaryStore()
  const disk = { full: false, refused: 0 }
  const write: Store['write'] = (work) => {
    if (!disk.full) return real.write(work)
    disk.refused += 1
    return Promise.reject(diskFull())
  }
  return { store: { ...real, write }, disk }
}

it('shows readers what was learned before when the disk is full, and goes on when there is room', async () => {
  const { store, disk } = openFillable()
  const learner = openLearner(store)
  const sessionId = await learner.session()
  await learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
  const before = await learner.added()
  await learner.tell(sessionId, learner.search(sessionId, ['c', 'd']), 'd')
  disk.full = true
  expect(await learner.added()).toEqual(before)
  const refused = disk.refused
  for (let reader = 0; reader < 100; reader++) expect(await learner.added()).toEqual(before)
  // Readers are no reason to try more often.
  expect(disk.refused - refused).toBeLessThan(5)
  disk.full = false
  await waitUntil(() => learner.loop.position() === learner.log.journal.last())
  expect(Object.keys(await learner.added()).sort()).toEqual(['a', 'b', 'c', 'd'])
  await learner.close()
})

it('reports a full disk when learning stops at it and when there is room, not each time that it is tried', async () => {
  const disk = { isFull: false, refused: 0 }
  const consumer: Consumer = {
    name: 'fragile',
    load: () => {},
    take: () => {},
    save: () => {
      if (!disk.isFull) return
      disk.refused += 1
      throw diskFull()
    },
  }
  const reported: string[] = []
  const learner = openLearner(
    temporaryStore(),
    {},
    () => [consumer],
    (cause) => reported.push((cause as ServiceError).code),
    () => reported.push('goes on'),
  )
  const sessionId = await learner.session()
  for (const times of [2, 4]) {
    disk.isFull = true
    await learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
    await waitUntil(() => disk.refused === times)
    disk.isFull = false
    await waitUntil(() => learner.loop.position() === learner.log.journal.last())
  }
  expect(reported).toEqual(['DISK_FULL', 'goes on', 'DISK_FULL', 'goes on'])
  await learner.close()
})

it('tells who is to remove something that nothing can be saved, which readers need not know', async () => {
  const { store, disk } = openFillable()
  // Not even for removals there is room.
  const learner = openLearner({ ...store, release: store.write })
  const sessionId = await learner.session()
  await learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
  disk.full = true
  await learner.loop.caughtUp()
  await expect(learner.loop.caughtUp('remove')).rejects.toMatchObject({ code: 'DISK_FULL' })
  disk.full = false
  await learner.loop.caughtUp('remove')
  expect(learner.loop.position()).toBe(learner.log.journal.last())
  await learner.close()
})

it('shows readers what was learned before while a consumer can not be saved, and tries that again after a while', async () => {
  const store = temporaryStore()
  let isBroken = true
  let tries = 0
  const consumer: Consumer = {
    name: 'fragile',
    load: () => {},
    take: () => {},
    save: () => {
      tries += 1
      if (isBroken) throw new Error('can not write')
    },
  }
  const learner = openLearner(store, {}, () => [consumer])
  const sessionId = await learner.session()
  await learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
  const startedMs = performance.now()
  for (let reader = 0; reader < 100; reader++) expect(await learner.added()).toEqual({})
  expect(tries).toBeLessThan(10 + (performance.now() - startedMs) / 500)
  isBroken = false
  await waitUntil(() => learner.loop.position() === learner.log.journal.last())
  expect(Object.keys(await learner.added())).toContain('b')
  await learner.close()
})

it('takes again after a crash what some had not saved, and only that', async () => {
  const store = temporaryStore()
  const learner = openLearner(store)
  const sessionId = await learner.session()
  for (let round = 0; round < 3; round += 1) {
    const queryId = learner.search(sessionId, ['a', 'b', 'c'], { queryHash: `q${round}` })
    await learner.tell(sessionId, queryId, 'b')
  }
  await learner.loop.caughtUp()
  const before = learnedRows(store)

  // Searches see at once what the disk does not hold yet.
  const queryId = learner.search(sessionId, ['a', 'b', 'c'], { queryHash: 'late' })
  await learner.tell(sessionId, queryId, 'c')
  await waitUntil(() => learner.memory.added('late').count > 0)
  const { taught, saved } = { taught: learner.memory.added('late'), saved: learnedRows(store) }
  expect(saved).toBe(before)

  // Nothing was closed: the process is gone.
  const next = openLearner(store)
  await next.loop.caughtUp()
  expect(next.memory.added('late')).toEqual(taught)
  const after = learnedRows(store)
  await next.loop.rebuild()
  expect(learnedRows(store)).toBe(after)
  await next.close()
  await learner.close()
})

it('writes the same rows however often it saves in between', async () => {
  const store = temporaryStore()
  const learner = openLearner(store)
  const sessionId = await learner.session()
  for (const documents of [
    ['a', 'b'],
    ['a', 'b'],
    ['b', 'c'],
  ]) {
    learner.search(sessionId, documents)
    await learner.loop.caughtUp()
  }
  learner.search(sessionId, ['x', 'y'], { queryHash: 'looked at twice' })
  await learner.loop.caughtUp()
  learner.search(sessionId, ['x', 'y'], { queryHash: 'looked at twice' })
  await learner.loop.caughtUp()
  const before = learnedRows(store)
  await learner.loop.rebuild()
  expect(learnedRows(store)).toBe(before)
  await learner.close()
})

it('takes again what a group had not saved, also when it had never saved anything', async () => {
  const store = temporaryStore()
  const consumers = ['one', 'two'].map((name) => consumerOf({ name, saveMs: 1000 }))
  const fold = openFold(store, [consumerOf(), ...consumers])
  fold.advance(7)
  await store.write(() => fold.save('due'))
  fold.settle()
  // Groups take turns: the process was killed before it was the second one's.
  const again = openFold(store, [consumerOf(), ...consumers])
  again.load()
  expect([again.saved(), again.taken()]).toEqual([7, 0])
})

it('hands a group nothing again that it has saved, and the others all that they have not', async () => {
  const store = temporaryStore()
  const group = { name: 'ahead', saveMs: 1000 }
  const taken: string[] = []
  const noting = (name: string, own?: ConsumerGroup): Consumer => ({
    ...consumerOf(own),
    take: ({ sequence }) => taken.push(`${name} ${sequence}`),
  })
  await store.write(() => {
    store.tables.meta.put('learned', 5)
    store.tables.meta.put('learned/ahead', 7)
  })
  const fold = openFold(store, [noting('prompt'), noting('ahead', group)])
  fold.load()
  for (let sequence = fold.taken() + 1; sequence <= 8; sequence += 1)
    fold.take({ kind: 'model', sequence, timeMs: 1, signalId: 's' })
  expect(taken).toEqual(['prompt 6', 'prompt 7', 'prompt 8', 'ahead 8'])
})

it('folds the journal anew although there is no moment in which nothing happens', async () => {
  const learner = openLearner(temporaryStore())
  const sessionId = await learner.session()
  learner.search(sessionId, ['a', 'b'])
  const busy = setInterval(() => void learner.log.append(note), 20)
  try {
    await learner.loop.caughtUp()
    const startedMs = performance.now()
    await learner.loop.rebuild()
    expect(performance.now() - startedMs).toBeLessThan(20_000)
  } finally {
    clearInterval(busy)
  }
  await learner.close()
})

const note = () => ({ entry: { timeMs: 1, type: 'analytics' as const, data: {} }, value: 1 })

function consumerOf(group?: ConsumerGroup): Consumer {
  return { name: 'none', ...(group && { group }), load() {}, take() {}, save() {} }
}

it('who wants the processor to stand still gets it, whatever became of who had it before', async () => {
  const learner = openLearner(temporaryStore())
  const noRoom = new Error('no room')
  const failing = learner.loop.unlearn(
    () => Promise.reject(noRoom),
    () => {},
  )
  const rebuilt = learner.loop.rebuild()
  await expect(failing).rejects.toBe(noRoom)
  await rebuilt
  await learner.close()
})

it('rests once for many small entries: it keeps up with thousands a second', async () => {
  const store = temporaryStore()
  const clock = () => START_MS
  const log = openLog(store, 100, clock)
  await store.write(() => {
    for (let at = 0; at < 5000; at += 1)
      log.journal.appendWithin({ timeMs: START_MS, type: 'searches', data: [] })
  })
  let slices = 0
  const loop = openLoop({
    ...{ store, log, clock, consumers: [] },
    lull: async () => {
      slices += 1
    },
    dead: { isDead: () => false } as unknown as DeadSignals,
    onLag: () => {},
    onFailure: () => {},
    onEnd: () => {},
  })
  await waitUntil(() => loop.position() === 5000)
  expect(slices).toBeLessThan(100)
  await loop.close()
  await log.close()
})
