import { expect, it, onTestFinished } from 'vitest'
import type { Subjects } from '../../../src/learn/subjects/subjects.ts'
import { temporaryStore } from '../../store/open.ts'
import { type Learner, learnedRows, MINUTE_MS, openLearner } from '../learner.ts'
import { copyLog, liveInCrowd, openForgetting, remembered, retain } from './forgetting.ts'

interface Counting extends Learner {
  subjects: Subjects
  /** How often all was learned anew. */
  folds: () => number
  /** Runs at the beginning of each fold anew. */
  atFold: { run: () => void }
}

type Changes = Parameters<typeof openForgetting>[1]

function start(store = temporaryStore(), changes: Changes = {}): Counting {
  const learner = openLearner(store)
  onTestFinished(learner.close)
  let folds = 0
  const atFold = { run: () => {} }
  const rebuild = () => {
    folds += 1
    atFold.run()
    return learner.loop.rebuild()
  }
  const subjects = openForgetting(learner, { loop: { ...learner.loop, rebuild }, ...changes })
  return { ...learner, subjects, folds: () => folds, atFold }
}

/** One search of a session, and a click. */
async function click({ search, tell, clock }: Learner, sessionId: string): Promise<string> {
  const queryId = search(sessionId, ['a', 'b'])
  await tell(sessionId, queryId, 'b')
  clock.nowMs += MINUTE_MS
  return queryId
}

const NOT_FOUND = { code: 'SUBJECT_NOT_FOUND' }

it('several who are forgotten at once share a fold, which leaves what others alone would have taught', async () => {
  const learner = start()
  const sessions = await liveInCrowd(learner)
  await learner.sessions.flush()
  const gone = ['ann', 'eve', ...(sessions[0] ?? []), ...(sessions[2] ?? [])]
  const names = new Set<string | undefined>(gone)
  const fresh = openLearner(await copyLog(learner.store, (name) => names.has(name)))
  onTestFinished(fresh.close)
  await fresh.loop.caughtUp()
  const answers = await Promise.all(['ann', 'eve'].map(learner.subjects.forget))
  expect(answers.map(({ subject, rebuilt }) => [subject, rebuilt])).toEqual([
    ['ann', true],
    ['eve', true],
  ])
  expect(answers.map(({ removed }) => removed.feedback)).toEqual([20, 80])
  expect(learner.folds()).toBe(1)
  expect(learnedRows(learner.store)).toBe(learnedRows(fresh.store))
  expect(learner.store.tables.meta.get('forgetting')).toEqual([])
  expect(JSON.stringify([...learner.store.tables.journal.range()])).not.toMatch(
    new RegExp(gone.map((name) => `"${name}"`).join('|')),
  )
})

it('who comes before the fold begins shares it, who comes while it is done shares the next', async () => {
  const users = ['a', 'b', 'c', 'd']
  const later: Promise<unknown>[] = []
  const learner = start(temporaryStore(), {
    forgetUnit: async (unit) => {
      if (unit === 'a') later.push(learner.subjects.forget('b'))
      return 0
    },
  })
  for (const user of users) await click(learner, await learner.session(user))
  learner.atFold.run = () => {
    if (later.length === 1) later.push(...['c', 'd'].map(learner.subjects.forget))
  }
  await learner.subjects.forget('a')
  await Promise.all(later)
  expect(later.length).toBe(3)
  expect(learner.folds()).toBe(2)
  expect(learner.store.tables.impressions.count()).toBe(0)
  expect(await learner.added()).toEqual({})
})

it('a user and one of their sessions go one after the other, also when both are asked for at once', async () => {
  const learner = start()
  const { subjects, session } = learner
  const sessions = [await session('ann'), await session('ann'), await session('bob')]
  for (const each of sessions) await click(learner, each)
  const [one = ''] = sessions
  const [ofSession, ofUser] = await Promise.all([one, 'ann'].map(subjects.forget))
  expect(ofSession).toMatchObject({ removed: { sessions: 1, impressions: 1, feedback: 1 } })
  expect(ofUser).toMatchObject({ removed: { sessions: 1, impressions: 1, feedback: 1 } })
  const other = await session('eve')
  await click(learner, other)
  const [first, second] = await Promise.allSettled(['eve', other].map(subjects.forget))
  expect(first).toMatchObject({ value: { removed: { sessions: 1, impressions: 1 } } })
  expect(second).toMatchObject({ reason: NOT_FOUND })
})

it('who joins those whose rows are gone already, and is one of them, is not found twice', async () => {
  const later: Promise<unknown>[] = []
  const learner = start(temporaryStore(), {
    forgetUnit: async (unit) => {
      if (unit === 'ann') later.push(learner.subjects.forget(sessionId))
      return 0
    },
  })
  const sessionId = await learner.session('ann')
  await click(learner, sessionId)
  await learner.subjects.forget('ann')
  await expect(later[0]).rejects.toMatchObject(NOT_FOUND)
})

it('what one told of a search of another who goes, too, is taken out once', async () => {
  const learner = start()
  const { session, tell, subjects, loop } = learner
  const [ann, bob, eve] = [await session('ann'), await session('bob'), await session('eve')]
  await click(learner, eve)
  await loop.caughtUp()
  const before = learnedRows(learner.store)
  const queryId = await click(learner, ann)
  await click(learner, bob)
  await tell(bob, queryId, 'a')
  const answers = await Promise.all(['ann', 'bob'].map(subjects.forget))
  expect(answers.map(({ removed }) => removed.feedback)).toEqual([1, 2])
  expect(learnedRows(learner.store)).toBe(before)
})

it('one who can not be forgotten keeps none of the others, and is known again', async () => {
  const learner = start(temporaryStore(), {
    forgetUnit: async (unit) => {
      if (unit === 'ann') throw new Error('no room')
      return 0
    },
  })
  const { session, subjects, sessions } = learner
  const ids = [await session('ann'), await session('bob')]
  for (const each of ids) await click(learner, each)
  const [ann, bob, nobody] = await Promise.allSettled(['ann', 'bob', 'x'].map(subjects.forget))
  expect(ann).toMatchObject({ reason: { message: 'no room' } })
  expect(bob).toMatchObject({ value: { rebuilt: true } })
  // A unit that nothing is known of is asked for among what others reported.
  expect(nobody).toMatchObject({ reason: NOT_FOUND })
  expect(sessions.get(ids[0] ?? '').userId).toBe('ann')
  expect(() => sessions.get(ids[1] ?? '')).toThrow('id of a session')
})

it('a fold that fails is told to all who share it, and asked for again it is done for all', async () => {
  const learner = start()
  const { session, subjects, store } = learner
  for (const user of ['ann', 'bob']) await click(learner, await session(user))
  learner.atFold.run = () => {
    if (learner.folds() === 1) throw new Error('no room')
  }
  const failed = await Promise.allSettled(['ann', 'bob'].map(subjects.forget))
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await Promise.all(['ann', 'bob'].map(subjects.forget))
  expect(learner.folds()).toBe(2)
  expect(await learner.added()).toEqual({})
  expect(store.tables.meta.get('forgetting')).toEqual([])
})

it('all whose forgetting a crash cut short are forgotten by one fold at the next start', async () => {
  const store = temporaryStore()
  const first = openLearner(store)
  for (const user of ['ann', 'bob', 'eve']) await click(first, await first.session(user))
  await first.loop.caughtUp()
  await first.close()
  await store.write(() =>
    store.tables.meta.put('forgetting', [{ subject: 'ann' }, { subject: 'bob' }]),
  )
  const second = start(store)
  await Promise.all(['ann', 'bob'].map(second.subjects.forget))
  expect(second.folds()).toBe(1)
  expect(store.tables.impressions.count()).toBe(1)
  expect(store.tables.meta.get('forgetting')).toEqual([])
})

it('several are taken out of what was learned at once, where the log is cut', async () => {
  const [learner, others] = [start(), start()]
  for (const each of [learner, others])
    for (let step = 0; step < 8; step++) await click(each, await each.session('eve'))
  for (const user of ['ann', 'bob']) {
    const sessionId = await learner.session(user)
    for (let step = 0; step < 4; step++) await click(learner, sessionId)
  }
  await learner.loop.caughtUp()
  await others.loop.caughtUp()
  expect(remembered(learner.store)).not.toEqual(remembered(others.store))
  await retain(learner, learner.store.tables.impressions.count() - 4)
  const answers = await Promise.all(['ann', 'bob'].map(learner.subjects.forget))
  expect(answers.map(({ rebuilt, removed }) => [rebuilt, removed.impressions])).toEqual([
    [false, 4],
    [false, 4],
  ])
  expect(learner.folds()).toBe(0)
  expect(remembered(learner.store)).toEqual(remembered(others.store))
})

it('who could not even be looked up is told so, and holds up nobody', async () => {
  const store = temporaryStore()
  const { meta } = store.tables
  let failure: Error | undefined
  const get: typeof meta.get = (key) => {
    if (failure !== undefined) throw failure
    return meta.get(key)
  }
  const failing = { ...store, tables: { ...store.tables, meta: { ...meta, get } } }
  const learner = start(store, { store: failing })
  await click(learner, 's1')
  failure = new Error('the store can not be read')
  await expect(learner.subjects.forget('s1')).rejects.toBe(failure)
  failure = undefined
  expect((await learner.subjects.forget('s1')).removed.feedback).toBe(1)
})
