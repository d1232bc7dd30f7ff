import { performance } from 'node:perf_hooks'
import { expect, it, onTestFinished } from 'vitest'
import type { Consumer } from '../../../src/learn/facts.ts'
import { diskFull } from '../../../src/store/failure.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS, type Learner, MINUTE_MS, openLearner } from '../learner.ts'
import { openForgetting, remembered, retain } from './forgetting.ts'

const DOCUMENTS = ['a', 'b', 'c', 'd']
const NO_ROOM = new Error('no room')

function open(store = temporaryStore(), more: Consumer[] = []): Learner {
  const learner = openLearner(store, {}, () => more)
  onTestFinished(learner.close)
  return learner
}

/** Some searches of a session, each clicked. */
async function ask({ search, tell, clock, loop }: Learner, sessionId: string, from = 0) {
  for (let step = from; step < from + 8; step++) {
    const queryId = search(sessionId, DOCUMENTS, { queryHash: `q${step % 3}` })
    await tell(sessionId, queryId, DOCUMENTS[step % 4] ?? '')
    clock.nowMs += 7 * MINUTE_MS
  }
  await loop.caughtUp()
}

/** A day on which a user has a session. */
async function live(learner: Learner, user: string): Promise<string> {
  const sessionId = await learner.session(user)
  await ask(learner, sessionId)
  return sessionId
}

it('what is past its time waits for a fold anew, which needs all that others did', async () => {
  const [learner, others] = [open(), open()]
  for (const each of [learner, others]) await live(each, 'bob')
  await live(learner, 'ann')
  const loop = {
    ...learner.loop,
    rebuild: async () => {
      await retain(learner, 4)
      await learner.loop.rebuild()
    },
  }
  expect(await openForgetting(learner, { loop }).forget('ann')).toMatchObject({ rebuilt: true })
  expect(remembered(learner.store)).toEqual(remembered(others.store))
  expect(learner.log.isCut()).toBe(false)
  await retain(learner, 4)
  expect(learner.store.tables.impressions.count()).toBe(4)
  expect(learner.log.isCut()).toBe(true)
})

it('the same after a crash, until the next start has finished it', async () => {
  const [first, others] = [open(), open()]
  for (const each of [first, others]) await live(each, 'bob')
  await live(first, 'ann')
  const loop = { ...first.loop, rebuild: () => Promise.reject(NO_ROOM) }
  await expect(openForgetting(first, { loop }).forget('ann')).rejects.toBe(NO_ROOM)
  await first.close()
  const second = open(first.store)
  await retain(second, 4)
  await openForgetting(second).forget('ann')
  expect(remembered(second.store)).toEqual(remembered(others.store))
})

it('a store that fills up meanwhile does not stop a fold anew, nor retention behind it', async () => {
  let isFull = false
  const roomy = temporaryStore()
  const write: Store['write'] = (work) => (isFull ? Promise.reject(diskFull()) : roomy.write(work))
  const [learner, others] = [open({ ...roomy, write }), open()]
  for (const each of [learner, others]) await live(each, 'bob')
  await live(learner, 'ann')
  const fillUp = async () => {
    isFull = true
    return 0
  }
  const failing = openForgetting(learner, { forgetUnit: fillUp, withdraw: () => write(() => {}) })
  await expect(failing.forget('ann')).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(remembered(roomy)).toEqual(remembered(others.store))
  await retain(learner, 4)
  expect(roomy.tables.impressions.count()).toBe(4)
  isFull = false
  expect(await openForgetting(learner).forget('ann')).toMatchObject({ rebuilt: false })
  expect(remembered(roomy)).toEqual(remembered(others.store))
})

for (const days of [0, 3])
  it(`what they teach after it failed goes, too, asked again ${days} days later`, async () => {
    const [learner, others] = [open(), open()]
    for (const each of [learner, others]) await live(each, 'bob')
    const sessionId = await live(learner, 'ann')
    await retain(learner, 12)
    const withdraw = () => Promise.reject(NO_ROOM)
    await expect(openForgetting(learner, { withdraw }).forget('ann')).rejects.toBe(NO_ROOM)
    expect(remembered(learner.store)).toEqual(remembered(others.store))
    await ask(learner, sessionId, 1)
    await live(learner, 'ann')
    expect(remembered(learner.store)).not.toEqual(remembered(others.store))
    learner.clock.nowMs += days * DAY_MS
    // By then what each session taught is noted no more.
    await live(learner, 'eve')
    others.clock.nowMs = learner.clock.nowMs
    await live(others, 'eve')
    const removed = { sessions: 2, impressions: 16, feedback: 16, events: 0 }
    expect(await openForgetting(learner).forget('ann')).toMatchObject({ removed, rebuilt: false })
    expect(remembered(learner.store)).toEqual(remembered(others.store))
  })

it('a search that comes just before they are unlearned is unlearned once', async () => {
  const [learner, others] = [open(), open()]
  for (const each of [learner, others]) await live(each, 'bob')
  const sessionId = await live(learner, 'ann')
  await retain(learner, 12)
  let late: string | undefined
  const unlearn: typeof learner.loop.unlearn = async (find, within) => {
    late ??= learner.search(sessionId, DOCUMENTS, { queryHash: 'q0', unit: 'ann' })
    await learner.loop.caughtUp()
    await learner.loop.unlearn(find, within)
  }
  await openForgetting(learner, { loop: { ...learner.loop, unlearn } }).forget('ann')
  expect(remembered(learner.store)).toEqual(remembered(others.store))
  expect(learner.log.isShown(late ?? '')).toBe(false)
})

it('what came meanwhile goes at the next start, when a crash came before', async () => {
  const first = open()
  await live(first, 'bob')
  const sessionId = await live(first, 'ann')
  const queryId = first.search(await first.session('bob'), DOCUMENTS)
  let times = 0
  const caughtUp = async () => {
    await first.loop.caughtUp()
    times += 1
    if (times < 2) return
    await first.tell(sessionId, queryId, 'a')
    throw NO_ROOM
  }
  const failing = openForgetting(first, { loop: { ...first.loop, caughtUp } })
  await expect(failing.forget('ann')).rejects.toBe(NO_ROOM)
  const named = () => {
    const { journal, events, sessions } = first.store.tables
    return JSON.stringify([journal, events, sessions].map((table) => [...table.range()]))
  }
  expect(named()).toContain(sessionId)
  await first.close()
  await openForgetting(open(first.store)).forget('ann')
  expect(named()).not.toContain(sessionId)
})

it('others have their turn while what somebody taught is taken out', async () => {
  let turns = 0
  const slow: Consumer = {
    ...{ name: 'slow', load: () => {}, take: () => {}, save: () => {} },
    *untake() {
      const deadlineMs = performance.now() + 5000
      const timer = setInterval(() => {
        turns += 1
      }, 1)
      while (turns < 3 && performance.now() < deadlineMs) yield
      clearInterval(timer)
    },
  }
  const learner = open(temporaryStore(), [slow])
  await live(learner, 'ann')
  await retain(learner, 4)
  await openForgetting(learner).forget('ann')
  expect(turns).toBeGreaterThanOrEqual(3)
})

/** Counts searches for good: it can't be folded anew. */
function tally({ tables }: Store): Consumer {
  let count = 0
  return {
    name: 'tally',
    load: () => {
      count = (tables.meta.get('tally') as number | undefined) ?? 0
    },
    take: ({ kind }) => {
      count += kind === 'search' ? 1 : 0
    },
    save: () => tables.meta.put('tally', count),
    *untake({ facts }) {
      for (const { kind } of facts) {
        count -= kind === 'search' ? 1 : 0
        yield
      }
    },
  }
}

for (const step of ['unlearn', 'rebuild', 'withdraw'] as const)
  it(`what is not learned anew is without them, counted out once, when ${step} failed and it was asked again`, async () => {
    const store = temporaryStore()
    const learner = open(store, [tally(store)])
    await live(learner, 'bob')
    const sessionId = await live(learner, 'ann')
    const fail = { [step]: () => Promise.reject(NO_ROOM) }
    const loop = { ...learner.loop, ...fail }
    await expect(openForgetting(learner, { loop, ...fail }).forget('ann')).rejects.toBe(NO_ROOM)
    await ask(learner, sessionId)
    expect(store.tables.meta.get('tally')).toBe(step === 'unlearn' ? 24 : 16)
    expect(await openForgetting(learner).forget('ann')).toMatchObject({
      rebuilt: step !== 'withdraw',
    })
    expect(store.tables.meta.get('tally')).toBe(8)
    expect(learner.store.tables.impressions.count()).toBe(8)
  })

it('what was taken out is back when that could not be written, and goes when asked again', async () => {
  const [learner, others] = [open(), open()]
  for (const each of [learner, others]) await live(each, 'bob')
  await live(learner, 'ann')
  await retain(learner, 12)
  const before = await learner.added('q0')
  const recordWithin = () => {
    throw NO_ROOM
  }
  await expect(openForgetting(learner, { events: { recordWithin } }).forget('ann')).rejects.toBe(
    NO_ROOM,
  )
  expect(await learner.added('q0')).toEqual(before)
  await openForgetting(learner).forget('ann')
  expect(remembered(learner.store)).toEqual(remembered(others.store))
})

it('what was proposed for their queries is taken back, also when that failed at first', async () => {
  const learner = open()
  await live(learner, 'ann')
  const failing = openForgetting(learner, { withdraw: () => Promise.reject(NO_ROOM) })
  await expect(failing.forget('ann')).rejects.toBe(NO_ROOM)
  const proposed = new Set(['q0', 'q1', 'q2'])
  const withdraw = async (hashes: { has: (queryHash: string) => boolean }) => {
    for (const each of proposed) if (hashes.has(each)) proposed.delete(each)
  }
  await openForgetting(learner, { withdraw }).forget('ann')
  expect([...proposed]).toEqual([])
})
