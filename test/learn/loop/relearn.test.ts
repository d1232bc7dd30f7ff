import { expect, it, onTestFinished } from 'vitest'
import { isFoldedAnew, RELEARNING } from '../../../src/learn/loop/fold.ts'
import { ENTRIES_MAX } from '../../../src/learn/memory/click-memory-lessons.ts'
import { diskFull } from '../../../src/store/failure.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { type Learner, learnedRows, openLearner } from '../learner.ts'

type Step = 'begin' | 'stretch' | 'end'

/** A store that refuses so often to take a step of a fold anew: what the transaction wrote by then is undone. */
function refusingStore(): {
  store: Store
  refuse: (step: Step, times: number) => void
  left: Readonly<Record<Step, number>>
} {
  const own = temporaryStore()
  const left = { begin: 0, stretch: 0, end: 0 }
  const stepOf = (wasMarked: boolean): Step | undefined => {
    if (!isFoldedAnew(own)) return wasMarked ? 'end' : undefined
    return own.tables.meta.get(RELEARNING) === 0 ? 'begin' : 'stretch'
  }
  const release: Store['release'] = (work) =>
    own.release(() => {
      const wasMarked = isFoldedAnew(own)
      const done = work()
      const step = stepOf(wasMarked)
      if (step !== undefined && left[step] > 0) {
        left[step] -= 1
        throw diskFull()
      }
      return done
    })
  const refuse = (step: Step, times: number) => {
    left[step] = times
  }
  return { store: { ...own, release }, refuse, left }
}

function open(store: Store): { learner: Learner; failures: unknown[] } {
  const failures: unknown[] = []
  const learner = openLearner(store, {}, undefined, (cause) => failures.push(cause))
  onTestFinished(learner.close)
  return { learner, failures }
}

/** A session that clicks on a document. */
async function click(learner: Learner, id: string): Promise<void> {
  const sessionId = await learner.session()
  await learner.tell(sessionId, learner.search(sessionId, ['a', 'b', 'c']), id)
}

it('the last step of a fold anew is taken again until the store takes it, which is reported once, and readers wait again', async () => {
  const { store, refuse, left } = refusingStore()
  const { learner, failures } = open(store)
  await click(learner, 'b')
  await learner.loop.caughtUp()
  const before = learnedRows(store)
  refuse('end', 2)
  await learner.loop.rebuild()
  expect(left.end).toBe(0)
  expect(failures).toHaveLength(1)
  expect(isFoldedAnew(store)).toBe(false)
  expect(learnedRows(store)).toBe(before)
  await click(learner, 'c')
  expect(Object.keys(await learner.added())).toContain('c')
})

it('a fold anew that a crash cut short is begun again until the store takes it', async () => {
  const { store, refuse } = refusingStore()
  const { learner } = open(store)
  await click(learner, 'b')
  await learner.loop.caughtUp()
  const before = learnedRows(store)
  await store.write(() => store.tables.meta.put(RELEARNING, 1))
  refuse('begin', 1)
  const { learner: next, failures } = open(store)
  await next.loop.foldEnd()
  expect(failures).toHaveLength(1)
  expect(isFoldedAnew(store)).toBe(false)
  expect(learnedRows(store)).toBe(before)
})

it('a fold anew that is refused at its beginning leaves what was learned, and whoever asked for it is told', async () => {
  const { store, refuse } = refusingStore()
  const { learner } = open(store)
  await click(learner, 'b')
  await learner.loop.caughtUp()
  refuse('begin', 1)
  await expect(learner.loop.rebuild()).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(isFoldedAnew(store)).toBe(false)
  await click(learner, 'c')
  await learner.loop.caughtUp()
  const rows = learnedRows(store)
  await learner.loop.rebuild()
  expect(learnedRows(store)).toBe(rows)
})

it('that a session was flagged is told and counted once, also when all is learned anew', async () => {
  const { store, refuse } = refusingStore()
  const { learner, failures } = open(store)
  const sessionId = await learner.session()
  const queryId = learner.search(sessionId, ['a', 'b', 'c'])
  for (let times = 0; times <= ENTRIES_MAX; times += 1) await learner.tell(sessionId, queryId, 'c')
  await learner.loop.caughtUp()
  const told = () =>
    [...store.tables.events.range()].filter(({ value }) => value.type === 'SESSION_FLAGGED').length
  expect([told(), learner.memory.figures().flagged]).toEqual([1, 1])
  refuse('stretch', 1)
  await learner.loop.rebuild()
  expect(failures).toHaveLength(1)
  expect([told(), learner.memory.figures().flagged]).toEqual([1, 1])
  const { learner: next } = open(store)
  await next.loop.rebuild()
  expect([told(), next.memory.figures().flagged]).toEqual([1, 0])
})
