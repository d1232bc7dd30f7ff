import { expect, it, onTestFinished } from 'vitest'
import { diskFull } from '../../../src/store/failure.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { type Learner, MINUTE_MS, openLearner } from '../learner.ts'
import { openForgetting, remembered, retain } from './forgetting.ts'

const DOCUMENTS = ['a', 'b', 'c', 'd']

/** A store that can be filled: then it takes removals alone, or not even those. */
function openFillable() {
  const store = temporaryStore()
  let room: 'all' | 'removals' | 'none' = 'all'
  const refuse = () => Promise.reject(diskFull())
  const write: Store['write'] = (work) => (room === 'all' ? store.write(work) : refuse())
  const release: Store['release'] = (work) => (room === 'none' ? refuse() : store.release(work))
  return {
    store: { ...store, write, release },
    leave: (left: typeof room) => {
      room = left
    },
  }
}

function open(store: Store): Learner {
  const learner = openLearner(store)
  onTestFinished(learner.close)
  return learner
}

/** Some searches of a session of a user, each clicked. */
async function live({ session, search, tell, clock }: Learner, user: string): Promise<string> {
  const sessionId = await session(user)
  for (let step = 0; step < 8; step++) {
    const queryId = search(sessionId, DOCUMENTS, { queryHash: `q${step % 3}` })
    await tell(sessionId, queryId, DOCUMENTS[step % 4] ?? '')
    clock.nowMs += 7 * MINUTE_MS
  }
  return sessionId
}

/** Bob and Ann search; what Ann did last is not taken yet when the store is full. */
async function fill(isCut: boolean) {
  const { store, leave } = openFillable()
  const [learner, others] = [open(store), open(temporaryStore())]
  for (const each of [learner, others]) {
    await live(each, 'bob')
    await each.loop.caughtUp()
    if (isCut) await retain(each, 6)
  }
  await live(learner, 'ann')
  leave('removals')
  // What came last can't be saved, and readers no longer wait for it.
  await learner.loop.caughtUp()
  expect(learner.loop.position()).toBeLessThan(learner.log.journal.last())
  return { learner, others, leave }
}

for (const [isCut, log] of [
  [false, 'whole'],
  [true, 'cut'],
] as const)
  it(`somebody is forgotten in a full store, too, where the log is ${log}`, async () => {
    const { learner, others } = await fill(isCut)
    const removed = { sessions: 1, impressions: 8, feedback: 8, events: 0 }
    expect(await openForgetting(learner).forget('ann')).toMatchObject({ removed, rebuilt: !isCut })
    expect(remembered(learner.store)).toEqual(remembered(others.store))
    expect(JSON.stringify([...learner.log.journal.walk(0)])).not.toContain('ann')
  })

it('who cannot be forgotten is told so where not even removals find room, and goes when they do', async () => {
  const { learner, others, leave } = await fill(false)
  leave('none')
  const subjects = openForgetting(learner)
  await expect(subjects.forget('ann')).rejects.toMatchObject({ code: 'DISK_FULL' })
  leave('removals')
  expect(await subjects.forget('ann')).toMatchObject({ removed: { impressions: 8 } })
  expect(remembered(learner.store)).toEqual(remembered(others.store))
})
