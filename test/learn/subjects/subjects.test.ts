import { expect, it, onTestFinished } from 'vitest'
import type { Subjects } from '../../../src/learn/subjects/subjects.ts'
import { temporaryStore } from '../../store/open.ts'
import { type Learner, learnedRows, openLearner } from '../learner.ts'
import { copyLog, liveInCrowd, openForgetting } from './forgetting.ts'

function start(store = temporaryStore()): Learner & { subjects: Subjects } {
  const learner = openLearner(store)
  onTestFinished(learner.close)
  return { ...learner, subjects: openForgetting(learner) }
}

it('a fold anew gives the same rows, to the bit', async () => {
  const learner = start()
  await liveInCrowd(learner)
  await learner.loop.caughtUp()
  const before = learnedRows(learner.store)
  const scores = await learner.added('q1')
  const events = learner.store.tables.events.count()
  expect(before.length).toBeGreaterThan(1000)
  await learner.loop.rebuild()
  expect(learnedRows(learner.store)).toBe(before)
  expect(await learner.added('q1')).toEqual(scores)
  expect(learner.store.tables.events.count()).toBe(events)
})

it('a user forgotten leaves what a log without them would have taught', async () => {
  const learner = start()
  const sessions = await liveInCrowd(learner)
  await learner.sessions.flush()
  const names = new Set<string | undefined>(['ann', ...(sessions[0] ?? [])])
  const fresh = openLearner(await copyLog(learner.store, (name) => names.has(name)))
  onTestFinished(fresh.close)
  await fresh.loop.caughtUp()
  const before = learnedRows(learner.store)
  const answer = await learner.subjects.forget('ann')
  expect(answer).toMatchObject({ subject: 'ann', rebuilt: true })
  expect(answer.removed.impressions).toBeGreaterThan(10)
  expect(answer.removed.feedback).toBe(20)
  expect(learnedRows(learner.store)).not.toBe(before)
  expect(learnedRows(learner.store)).toBe(learnedRows(fresh.store))
  expect(await learner.added('q1')).toEqual(await fresh.added('q1'))
  expect(
    (await learner.feedback.read({ limit: 1000 })).feedback.map((row) => row.sessionId),
  ).not.toContain(sessions[0]?.[0])
})

it('a session is forgotten without its user', async () => {
  const learner = start()
  const [one = '', other = ''] = [await learner.session('u'), await learner.session('u')]
  const click = async (sessionId: string) =>
    learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
  await click(one)
  const before = await learner.added()
  await click(other)
  expect(await learner.added()).not.toEqual(before)
  expect(await learner.subjects.forget(other.toUpperCase())).toEqual({
    subject: other,
    removed: { sessions: 1, impressions: 1, feedback: 1, events: 0 },
    rebuilt: true,
  })
  expect(await learner.added()).toEqual(before)
  expect(learner.sessions.totals.of(other)).toMatchObject({ feedback: 0 })
  expect(learner.sessions.totals.of(one)).toMatchObject({ feedback: 1 })
})

it('who was never heard of is not found, nor who was forgotten already', async () => {
  const { session, subjects } = start()
  const notFound = { code: 'SUBJECT_NOT_FOUND' }
  await expect(subjects.forget('nobody')).rejects.toMatchObject(notFound)
  const sessionId = await session('somebody')
  expect((await subjects.forget('somebody')).removed).toEqual({
    ...{ sessions: 1, impressions: 0, feedback: 0, events: 0 },
  })
  for (const name of [sessionId, 'somebody'])
    await expect(subjects.forget(name)).rejects.toMatchObject(notFound)
})

it('a user is forgotten by the very name, also one that looks like an id in capitals', async () => {
  const { session, subjects } = start()
  const user = '0F1E2D3C-4B5A-4678-8990-A1B2C3D4E5F6'
  const sessionId = await session(user)
  expect((await subjects.forget(user)).removed.sessions).toBe(1)
  const other = await session('somebody')
  expect((await subjects.forget(other.toUpperCase())).subject).toBe(other)
  expect(sessionId).not.toBe(other)
})

it('what names a session that is unknown, in capitals, goes with it, however its id is sent', async () => {
  const learner = start()
  const { session, search, tell, store, subjects } = learner
  const unknown = '0F1E2D3C-4B5A-4678-8990-A1B2C3D4E5F6'
  for (const sent of [unknown, unknown.toLowerCase()]) {
    const queryId = search(await session('bob'), ['a'])
    expect(await tell(unknown, queryId, 'a')).toMatchObject({ unmatched: 1 })
    expect(await subjects.forget(sent)).toMatchObject({ removed: { feedback: 1 } })
    expect(JSON.stringify([...store.tables.journal.range()])).not.toMatch(new RegExp(unknown, 'i'))
  }
})

it('a unit that looks like an id in capitals is forgotten by its very name', async () => {
  const till = '0F1E2D3C-4B5A-4678-8990-A1B2C3D4E5F6'
  const reported = new Set([till])
  const subjects = openForgetting(start(), {
    forgetUnit: async (unit) => Number(reported.delete(unit)),
  })
  expect(await subjects.forget(till)).toMatchObject({ subject: till, rebuilt: false })
  await expect(subjects.forget(till)).rejects.toMatchObject({ code: 'SUBJECT_NOT_FOUND' })
})

it('a unit of which only others reported is found, and forgotten', async () => {
  const reported = new Set(['till 7'])
  const subjects = openForgetting(start(), {
    forgetUnit: async (unit) => Number(reported.delete(unit)),
  })
  expect(await subjects.forget('till 7')).toMatchObject({ subject: 'till 7', rebuilt: false })
  await expect(subjects.forget('till 7')).rejects.toMatchObject({ code: 'SUBJECT_NOT_FOUND' })
})

it('nothing in the store names somebody who was forgotten', async () => {
  const learner = start()
  const { session, search, tell, sessions, store, subjects } = learner
  const others = await session('bob')
  const ids = [await session('ann'), await session('ann')]
  for (const id of [...ids, others]) {
    const queryId = search(id, ['a', 'b'])
    await tell(id, queryId, 'a')
    sessions.touch(id)
    sessions.totals.add(id, { searches: 1 })
  }
  expect((await subjects.forget('ann')).removed).toMatchObject({
    ...{ sessions: 2, impressions: 2, feedback: 2 },
  })
  await sessions.flush()
  for (const id of ids) expect(() => sessions.get(id)).toThrow('id of a session')
  expect([...store.tables.sessions.keys()]).toEqual([others])
  expect([...store.tables.sessionTotals.keys()]).toEqual([others])
  expect(sessions.totals.of(others)).toMatchObject({ searches: 1, feedback: 1 })
  const events = Array.from(store.tables.events.range(), ({ value }) => value)
  expect(events.map(({ type }) => type).toSorted()).toEqual([
    ...Array(3).fill('FEEDBACK_RECEIVED'),
    'SUBJECT_FORGOTTEN',
  ])
  expect(events.flatMap(({ sessionId = [] }) => sessionId)).toEqual([others])
  expect(JSON.stringify(events)).not.toMatch(new RegExp(['ann', ...ids].join('|')))
})

it('events that name a user without a session go with the user', async () => {
  const { log, store, subjects, clock } = start()
  const told = [
    { userId: 'ann' },
    { metadata: { userId: 'ann' } },
    { metadata: { userId: 'bob', friend: 'ann' } },
    {},
  ]
  for (const more of told) {
    const data = { eventId: 'e', eventType: 'scroll', ...more }
    await log.append(() => ({ entry: { timeMs: clock.nowMs, type: 'analytics', data }, value: 1 }))
  }
  expect((await subjects.forget('ann')).removed).toEqual({
    ...{ sessions: 0, impressions: 0, feedback: 0, events: 2 },
  })
  const rows = Array.from(store.tables.journal.range(), ({ value }) => value)
  const left = rows.filter(({ type }) => type === 'analytics').map(({ data }) => data)
  expect(left).toEqual([
    { eventId: 'e', eventType: 'scroll', metadata: { userId: 'bob', friend: 'ann' } },
    { eventId: 'e', eventType: 'scroll' },
  ])
  await expect(subjects.forget('ann')).rejects.toMatchObject({ code: 'SUBJECT_NOT_FOUND' })
})

it("what comes in the name of somebody who is just being forgotten is nobody's", async () => {
  const learner = start()
  const { session, search, tell, sessions, store } = learner
  const sessionId = await session('ann')
  await tell(sessionId, search(sessionId, ['a']), 'a')
  const subjects = openForgetting(learner, {
    forgetUnit: async () => {
      expect(store.tables.sessions.has(sessionId)).toBe(true)
      expect(sessions.peek(sessionId)).toBeUndefined()
      sessions.touch(sessionId)
      const flushed = sessions.flush()
      const late = await tell(sessionId, search(await session(), ['a']), 'a')
      expect(late).toMatchObject({ accepted: 1, unmatched: 1 })
      await flushed
      return 0
    },
  })
  await subjects.forget('ann')
  await sessions.flush()
  expect(store.tables.sessions.has(sessionId)).toBe(false)
  expect(store.tables.sessionTotals.count()).toBe(0)
  expect(await learner.added()).toEqual({})
})

it('what comes in their name while the others are learned anew goes, too', async () => {
  const learner = start()
  const { session, search, tell, store, log } = learner
  const sessionId = await session('ann')
  await tell(sessionId, search(sessionId, ['a']), 'a')
  const late: string[] = []
  const tellLate = async () => {
    const queryId = search(sessionId, ['b'])
    await tell(sessionId, queryId, 'b')
    late.push(queryId)
  }
  const rebuild = async () => {
    await tellLate()
    await learner.loop.rebuild()
    await tellLate()
  }
  const subjects = openForgetting(learner, {
    loop: { ...learner.loop, rebuild },
    forgetUnit: async () => {
      await tellLate()
      return 0
    },
  })
  await subjects.forget('ann')
  expect(late.map(log.isShown)).toEqual([false, false, false])
  const rest = JSON.stringify([[...store.tables.events.range()], [...store.tables.journal.range()]])
  expect(rest).not.toContain(sessionId)
})

it('forgetting that failed half-way is finished by asking again', async () => {
  const learner = start()
  const { session, search, tell } = learner
  const sessionId = await session('ann')
  await tell(sessionId, search(sessionId, ['a']), 'a')
  let attempts = 0
  const rebuild = async () => {
    attempts += 1
    if (attempts === 1) throw new Error('no room')
    await learner.loop.rebuild()
  }
  const subjects = openForgetting(learner, { loop: { ...learner.loop, rebuild } })
  await expect(subjects.forget('ann')).rejects.toThrow('no room')
  expect(await subjects.forget('ann')).toMatchObject({ rebuilt: true })
  expect(await learner.added()).toEqual({})
  await expect(subjects.forget('ann')).rejects.toMatchObject({ code: 'SUBJECT_NOT_FOUND' })
})

it('a session is known again when forgetting it fails', async () => {
  const learner = start()
  const sessionId = await learner.session('ann')
  const recordWithin = () => {
    throw new Error('no room')
  }
  const subjects = openForgetting(learner, { events: { recordWithin } })
  await expect(subjects.forget('ann')).rejects.toThrow('no room')
  expect(learner.sessions.get(sessionId).userId).toBe('ann')
})

it('forgetting that was cut short goes on at the next start', async () => {
  const store = temporaryStore()
  const first = openLearner(store)
  const sessionId = await first.session('u')
  await first.tell(sessionId, first.search(sessionId, ['a']), 'a')
  await first.added()
  await first.close()
  await store.write(() => store.tables.meta.put('forgetting', ['u']))
  const second = start(store)
  await second.subjects.forget('u')
  expect(await second.added()).toEqual({})
  expect(store.tables.impressions.count()).toBe(0)
  expect(store.tables.meta.get('forgetting')).toEqual([])
})
