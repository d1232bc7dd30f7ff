import { expect, it, onTestFinished } from 'vitest'
import { openEvents } from '../../../src/learn/history/events.ts'
import { openPatterns } from '../../../src/learn/patterns/patterns.ts'
import { openHours } from '../../../src/learn/reports/hours.ts'
import { makeReport } from '../../../src/learn/reports/report.ts'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS, type Learner, MINUTE_MS, openLearner } from '../learner.ts'
import { openForgetting, remembered, retain } from './forgetting.ts'

const DOCUMENTS = ['a', 'b', 'c', 'd']
const ASKED = ["ann's own", "bob's own", 'q0', 'q1', 'q2']

function start(store = temporaryStore()) {
  const learner = openLearner(store, {}, (parts) => [
    ...openPatterns(parts.store, parts.clock, () => undefined).consumers,
    openHours(parts.store),
  ])
  const withdrawn: string[] = []
  const withdraw = async (hashes: Pick<ReadonlySet<string>, 'has'>) =>
    void withdrawn.push(...ASKED.filter((each) => hashes.has(each)))
  const subjects = openForgetting(learner, { withdraw })
  onTestFinished(learner.close)
  return { ...learner, subjects, withdrawn }
}

/** Some sessions of a user, each with some searches that are clicked. */
async function live(learner: Learner, user: string, days: number): Promise<string[]> {
  const { session, search, tell, clock } = learner
  const sessions: string[] = []
  for (let day = 0; day < days; day++) {
    const sessionId = await session(user)
    sessions.push(sessionId)
    for (let step = 0; step < 12; step++) {
      const queryHash = step % 4 === 3 ? `${user}'s own` : `q${step % 3}`
      const queryId = search(sessionId, DOCUMENTS, { queryHash, query: queryHash })
      await tell(sessionId, queryId, DOCUMENTS[(step * day + user.length) % 4] ?? '')
      clock.nowMs += (10 + step) * MINUTE_MS
    }
    await learner.loop.caughtUp()
    clock.nowMs += DAY_MS
  }
  return sessions
}

/** The oldest searches go, as they do when there are too many. */
async function cut(learner: Learner, spare: number): Promise<void> {
  const { impressions } = learner.store.tables
  const left = impressions.count() - spare
  await retain(learner, left)
  expect(impressions.count()).toBe(left)
}

it('who is forgotten leaves what the others taught, also where the log is cut', async () => {
  const [learner, others] = [start(), start()]
  for (const each of [learner, others]) await live(each, 'bob', 2)
  for (const each of [learner, others]) await live(each, 'eve', 1)
  const sessions = await live(learner, 'ann', 4)
  await others.loop.caughtUp()
  expect(remembered(learner.store)).not.toEqual(remembered(others.store))
  // Bob's searches can't be learned anew any more.
  await cut(learner, 24)
  expect(await learner.subjects.forget('ann')).toEqual({
    subject: 'ann',
    removed: { sessions: 4, impressions: 48, feedback: 48, events: 0 },
    rebuilt: false,
  })
  expect(remembered(learner.store)).toEqual(remembered(others.store))
  const { tables } = learner.store
  for (const { key } of tables.attributions.range()) expect(sessions).not.toContain(key[0])
  expect(tables.meta.get('forgetting')).toEqual([])
})

it('what nobody else asked is no longer told of', async () => {
  const learner = start()
  await live(learner, 'bob', 1)
  await live(learner, 'ann', 1)
  await live(learner, 'eve', 1)
  await cut(learner, 6)
  const texts = () => {
    const { queryPatterns, reformulations, lastSearches, clickedSearches, hourReports } =
      learner.store.tables
    return JSON.stringify(
      [queryPatterns, reformulations, lastSearches, clickedSearches, hourReports].map((table) => [
        ...table.range(),
      ]),
    )
  }
  expect(texts()).toContain("ann's own")
  await learner.subjects.forget('ann')
  expect(texts()).not.toContain("ann's own")
  expect(texts()).toContain("bob's own")
  expect(texts()).toContain('q1')
})

it('what somebody alone asked is no longer told of, also what the log says only half of', async () => {
  const learner = start()
  const { clock, store } = learner
  const patterns = openPatterns(
    store,
    () => clock.nowMs,
    () => undefined,
  )
  const ask = async (user: string, ...queries: string[]) => {
    const sessionId = await learner.session(user)
    for (const query of queries) {
      learner.search(sessionId, [], { queryHash: query, query })
      clock.nowMs += MINUTE_MS
    }
    await learner.loop.caughtUp()
  }
  const { queryPatterns, reformulations, hourReports } = learner.store.tables
  const told = async () => {
    const tables = [queryPatterns, reformulations, hourReports].map((table) => [...table.range()])
    const report = await makeReport(learner.store, {}, clock.nowMs)
    return JSON.stringify([tables, await patterns.searches({ window: '7d' }), report])
  }
  await ask('bob', 'shared')
  await ask('ann', 'secret', 'secret', 'shared', 'secret', 'secret two', 'secret')
  clock.nowMs += DAY_MS
  await ask('ann', 'secret', 'shared')
  await cut(learner, 4)
  expect(await told()).toContain('secret')
  await learner.subjects.forget('ann')
  expect(await told()).not.toContain('secret')
  const [shared, ...others] = (await patterns.searches({ window: '7d' })).topQueries
  expect([shared, others]).toMatchObject([{ query: 'shared', searches: 2 }, []])
  expect(learner.withdrawn.sort()).toEqual(ASKED)
})

it('who clicked before asking anew takes nobody along who asked in other words', async () => {
  const learner = start()
  await live(learner, 'bob', 1)
  const ask = async (user: string, clicked: string[]) => {
    const sessionId = await learner.session(user)
    for (const query of ['one', 'two']) {
      const queryId = learner.search(sessionId, DOCUMENTS, { queryHash: `#${query}`, query })
      for (const id of clicked) await learner.tell(sessionId, queryId, id)
      learner.clock.nowMs += MINUTE_MS
    }
    await learner.loop.caughtUp()
  }
  await ask('eve', [])
  const rows = () => [...learner.store.tables.reformulations.range()]
  const before = rows()
  expect(JSON.stringify(before)).toContain('#one #two')
  await ask('ann', ['a'])
  await cut(learner, 3)
  await learner.subjects.forget('ann')
  expect(rows()).toEqual(before)
})

it('what somebody and a session of theirs taught goes once, also when both are forgotten at once', async () => {
  const learner = start()
  const click = async (user: string) => {
    const sessionId = await learner.session(user)
    await learner.tell(sessionId, learner.search(sessionId, DOCUMENTS), 'b')
    await learner.loop.caughtUp()
    return sessionId
  }
  for (const user of ['bob', 'eve']) await click(user)
  const before = await learner.added()
  const sessionId = await click('ann')
  await cut(learner, 1)
  const [ann, session] = await Promise.allSettled([
    learner.subjects.forget('ann'),
    learner.subjects.forget(sessionId),
  ])
  expect(ann).toMatchObject({ value: { removed: { sessions: 1 }, rebuilt: false } })
  expect(session).toMatchObject({ reason: { code: 'SUBJECT_NOT_FOUND' } })
  expect(await learner.added()).toEqual(before)
})

it('who was flagged long ago taught nothing, also when the log holds too little to see why', async () => {
  const learner = start()
  for (const user of ['bob', 'eve', 'zoe']) {
    const sessionId = await learner.session(user)
    await learner.tell(sessionId, learner.search(sessionId, DOCUMENTS), 'b')
  }
  const sessionId = await learner.session('ann')
  for (let times = 0; times < 60; times++) {
    await learner.tell(sessionId, learner.search(sessionId, DOCUMENTS), 'b')
    learner.clock.nowMs += MINUTE_MS
  }
  learner.clock.nowMs += 2 * DAY_MS
  learner.search(await learner.session(), ['c'], { queryHash: 'later' })
  const before = await learner.added()
  expect(learner.memory.figures().flagged).toBe(1)
  await cut(learner, 30)
  expect(await learner.subjects.forget('ann')).toMatchObject({ rebuilt: false })
  expect(await learner.added()).toEqual(before)
})

it('what one session taught today is taken out, also what its searches no longer tell', async () => {
  const learner = start()
  const [one = '', other = ''] = [await learner.session(), await learner.session()]
  const click = async (sessionId: string) => {
    await learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
    return learner.added()
  }
  const before = await click(one)
  learner.clock.nowMs += MINUTE_MS
  expect(await click(other)).not.toEqual(before)
  await cut(learner, 2)
  expect(await learner.subjects.forget(other)).toMatchObject({ rebuilt: false })
  expect(await learner.added()).toEqual(before)
})

it('what is unlearned is unlearned once, also when a crash comes in between', async () => {
  const learner = start()
  const days = await live(learner, 'bob', 2)
  await live(learner, 'ann', 2)
  await cut(learner, 3)
  const before = remembered(learner.store)
  const sessions = {
    ...learner.sessions,
    remove: () => Promise.reject(new Error('no room')),
  }
  await expect(openForgetting(learner, { sessions }).forget('ann')).rejects.toThrow('no room')
  const after = remembered(learner.store)
  expect(after).not.toEqual(before)
  expect(await learner.subjects.forget('ann')).toMatchObject({ rebuilt: false })
  expect(remembered(learner.store)).toEqual(after)
  expect(learner.sessions.peek(days[0] ?? '')).toBeDefined()
})

it('a search that was under way when its session was forgotten goes with it', async () => {
  const learner = start()
  const sessionId = await learner.session('ann')
  await learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
  const { recordWithin } = openEvents(learner.store, () => learner.clock.nowMs)
  const late: string[] = []
  const subjects = openForgetting(learner, {
    events: {
      recordWithin: (event) => {
        late.push(learner.search(sessionId, ['c'], { unit: 'ann' }))
        return recordWithin(event)
      },
    },
  })
  await subjects.forget('ann')
  expect(late).toHaveLength(1)
  expect(learner.log.isShown(late[0] ?? '')).toBe(false)
  expect(await learner.added()).toEqual({})
  expect(learner.store.tables.attributions.count()).toBe(0)
})

it('the last words of a session are kept for a day', async () => {
  const learner = start()
  learner.search(await learner.session(), ['a'])
  await learner.loop.caughtUp()
  const { lastSearches } = learner.store.tables
  expect(lastSearches.count()).toBe(1)
  learner.clock.nowMs += DAY_MS + MINUTE_MS
  learner.search(await learner.session(), ['b'])
  await learner.loop.caughtUp()
  expect(lastSearches.count()).toBe(1)
})

it('what a session told that is known no more goes with its user, too', async () => {
  const learner = start()
  const sessionId = await learner.session('ann')
  const queryId = learner.search(sessionId, ['a', 'b'])
  await learner.tell(sessionId, queryId, 'b')
  await learner.sessions.remove([sessionId])
  await learner.tell(sessionId, queryId, 'a')
  expect((await learner.subjects.forget('ann')).removed).toMatchObject({ sessions: 0, feedback: 2 })
  const { journal } = learner.store.tables
  expect(JSON.stringify([...journal.range()])).not.toContain(sessionId)
})
