import { expect, it, onTestFinished } from 'vitest'
import type { Fact } from '../../../src/learn/facts.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import {
  byId,
  DAY_MS,
  type Learner,
  learnedRows,
  MINUTE_MS,
  openLearner,
  QUERY_HASH,
} from '../learner.ts'

function start(settings: Record<string, string> = {}, store: Store = temporaryStore()): Learner {
  const learner = openLearner(store, settings)
  onTestFinished(learner.close)
  return learner
}

/** The formula of the added score with default settings, by hand. */
function scoreOf(gain: number, examination: number): number {
  return 6 * ((gain + 5 * 0.05) / (examination + 5) - 0.05)
}

it('one honest click changes that query for everybody, and no other', async () => {
  const { session, search, tell, added } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a', 'b', 'c'])
  expect(await added()).toEqual({})
  await tell(sessionId, queryId, 'c')
  const scores = await added()
  expect(scores.c).toBeCloseTo(scoreOf(0.3, 1), 6)
  expect(scores.a).toBeCloseTo(scoreOf(0, 1), 6)
  expect(await added('another')).toEqual({})
})

it('positions go on on later pages', async () => {
  const { session, search, tell, memory, added } = start()
  const sessionId = await session()
  await tell(sessionId, search(sessionId, ['k', 'l'], { from: 10 }), 'l')
  await added()
  expect(memory.describe(QUERY_HASH, '1/l')).toMatchObject({
    gain: expect.closeTo(0.3, 6),
    undecayed: { examination: expect.closeTo(1 / 12, 6) },
    // Who clicked has looked.
    examination: expect.closeTo(1, 6),
    value: expect.closeTo(scoreOf(0.3, 1), 6),
  })
  expect(memory.describe(QUERY_HASH, '1/none')).toBeUndefined()
})

it('a page that nobody is known to have looked at counts when somebody tells of it', async () => {
  const { session, search, tell, memory, added } = start()
  const queryId = search(undefined, ['a', 'b'])
  await added()
  expect(memory.figures().pairs).toBe(0)
  await tell(await session(), queryId, 'b')
  const scores = await added()
  expect(scores.a).toBeCloseTo(scoreOf(0, 1), 6)
  expect(scores.b).toBeCloseTo(scoreOf(0.3, 1), 6)
})

it('what lies a month back is no look at a page, told once or again', async () => {
  const { session, search, tell, memory, added, clock } = start()
  const queryId = search(undefined, ['a', 'b'])
  const sessionId = await session()
  const metadata = { userAction: 'click', timestamp: clock.nowMs - 31 * DAY_MS }
  expect(await tell(sessionId, queryId, 'b', metadata)).toMatchObject({ late: 1 })
  expect(await tell(sessionId, queryId, 'b', metadata)).toMatchObject({ duplicate: 1 })
  expect(await added()).toEqual({})
  expect(memory.describe(QUERY_HASH, '1/a')).toBeUndefined()
})

it('the best of what one session did within half an hour counts, not the sum', async () => {
  const { session, search, tell, memory, added, clock } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  const gain = async () => {
    await added()
    return memory.describe(QUERY_HASH, '1/a')?.gain
  }
  await tell(sessionId, queryId, 'a')
  expect(await gain()).toBeCloseTo(0.3)
  await tell(sessionId, queryId, 'a', {
    userAction: 'dwell',
    customMetadata: { dwellTime: 45_000 },
  })
  expect(await gain()).toBeCloseTo(1)
  await tell(sessionId, queryId, 'a', { userAction: 'bookmark' })
  expect(await gain()).toBeCloseTo(1)
  clock.nowMs += 31 * MINUTE_MS
  // The session idled out; it teaches nothing.
  await tell(sessionId, queryId, 'a', { userAction: 'purchase' })
  expect(await gain()).toBeCloseTo(1)
})

it('who buys looks once, as who clicks does, also when both are told', async () => {
  const { session, search, tell, memory, added } = start()
  const looksOf = async (queryHash: string, actions: string[]) => {
    for (const at of [0, 1, 2, 3]) {
      const sessionId = await session()
      const queryId = search(sessionId, ['a', 'b', 'c', 'd'], { queryHash })
      if (at < 2)
        for (const userAction of actions) await tell(sessionId, queryId, 'd', { userAction })
    }
    await added(queryHash)
    return memory.describe(queryHash, '1/d')?.examination
  }
  const clicked = await looksOf('clicked', ['click'])
  expect(clicked).toBeGreaterThan(2)
  expect(clicked).toBeLessThan(2.5)
  expect(await looksOf('bought', ['purchase'])).toBeCloseTo(clicked ?? 0, 9)
  expect(await looksOf('both', ['click', 'purchase'])).toBeCloseTo(clicked ?? 0, 9)
})

it('one session counts at most three times for a pair, in gains and in looks', async () => {
  const { session, search, tell, memory, added, clock } = start()
  const sessionId = await session()
  for (let visit = 0; visit < 12; visit++) {
    await tell(sessionId, search(sessionId, ['a', 'b']), 'b', { userAction: 'purchase' })
    clock.nowMs += 20 * MINUTE_MS
  }
  await added()
  expect(memory.describe(QUERY_HASH, '1/b')).toMatchObject({
    gain: expect.closeTo(3, 6),
    undecayed: { gain: expect.closeTo(3, 6), examination: expect.closeTo(1.5, 6) },
  })
})

it('a result that was not in sight counts as not shown', async () => {
  const { session, search, tell, memory, added } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a', 'b', 'c'])
  await tell(sessionId, queryId, 'a')
  await tell(sessionId, queryId, 'b', { userAction: 'view', customMetadata: { viewed: false } })
  const scores = await added()
  expect(scores).not.toHaveProperty('b')
  expect(memory.describe(QUERY_HASH, '1/c')?.undecayed.examination).toBeCloseTo(1 / 3, 6)
})

it('what one person passed over further down falls with the next one', async () => {
  const { session, search, tell, memory, added } = start()
  const visit = async (clicked: string) => {
    const sessionId = await session()
    await tell(sessionId, search(sessionId, ['a', 'b', 'c', 'd']), clicked)
    const scores: Record<string, number> = await added()
    return ['b', 'c', 'd'].map((id) => Math.sign(Math.round(1e9 * (scores[id] ?? 0))))
  }
  expect(await visit('a')).toEqual([-1, 0, 0])
  const { value, rate, expectedRate, examination } = memory.describe(QUERY_HASH, '1/c') ?? {}
  expect([value, examination]).toEqual([expect.closeTo(0, 12), 0])
  expect(rate).toBeCloseTo(expectedRate ?? Number.NaN, 12)
  expect(await visit('d')).toEqual([-1, -1, 1])
})

it('ten thousand clicks of one session move nothing, and what it taught before is gone', async () => {
  const { session, search, tell, added, feedback, memory, store } = start()
  const honest = await session()
  await tell(honest, search(honest, ['a', 'b', 'c']), 'b')
  const before = await added()
  const cheat = await session()
  await tell(cheat, search(cheat, ['x', 'y'], { queryHash: 'other' }), 'x')
  expect(await added('other')).not.toEqual({})
  const queryId = search(cheat, ['a', 'b', 'c'])
  const click = { queryId, rating: 1, metadata: { resultId: 'c', userAction: 'purchase' } }
  for (let round = 0; round < 10; round++)
    await feedback.submit({ sessionId: cheat, feedback: Array(1000).fill(click) })
  expect(await added()).toEqual(before)
  expect(await added('other')).toEqual({})
  expect(memory.figures().flagged).toBe(1)
  const told = [...store.tables.events.range()].filter(
    ({ value }) => value.type === 'SESSION_FLAGGED',
  )
  expect(told.map(({ value }) => value.sessionId)).toEqual([cheat])
  // It teaches nothing more.
  await tell(cheat, search(cheat, ['a'], { queryHash: 'third' }), 'a')
  expect(await added('third')).toEqual({})
})

it('evidence loses half of its weight in a half-life', async () => {
  const { session, search, tell, memory, added, clock } = start({
    MEMORY_HALF_LIFE_MS: String(10 * DAY_MS),
  })
  const sessionId = await session()
  await tell(sessionId, search(sessionId, ['a']), 'a', { userAction: 'purchase' })
  await added()
  clock.nowMs += 20 * DAY_MS
  expect(memory.describe(QUERY_HASH, '1/a')).toMatchObject({ gain: 0.25, examination: 0.25 })
  expect((await added()).a).toBeCloseTo(scoreOf(0.25, 0.25), 9)
})

it('a store opened again holds the same, to the bit', async () => {
  const store = temporaryStore()
  const first = openLearner(store)
  for (const clicked of ['a', 'c', 'c']) {
    const sessionId = await first.session()
    await first.tell(sessionId, first.search(sessionId, ['a', 'b', 'c']), clicked)
  }
  const before = await first.added()
  await first.close()
  const second = start({}, store)
  expect(await second.added()).toEqual(before)
  expect(second.memory.figures()).toMatchObject({ pairs: 3, queries: 1, gained: 1 })
})

it('searches read the state of the last commit until the next one', async () => {
  const { session, search, tell, memory, added, store } = start()
  const sessionId = await session()
  const queryId = search(sessionId, ['a', 'b'])
  await tell(sessionId, queryId, 'a')
  const before = await added()
  const seen: unknown[] = []
  const take = memory.save
  memory.save = () => {
    take()
    seen.push(byId(memory.added(QUERY_HASH)))
  }
  await tell(sessionId, queryId, 'b')
  expect(await added()).not.toEqual(before)
  expect(seen).toEqual([before])
  expect(store.tables.clickMemory.count()).toBe(1)
})

it('what was used least goes first when there is no more room', async () => {
  const { session, search, tell, memory, added } = start({ MEMORY_PAIRS_MAX: '100' })
  const sessionId = await session()
  const page = (hash: string) => Array.from({ length: 10 }, (_, at) => `${hash}-${at}`)
  const show = (hash: string) => search(sessionId, page(hash), { queryHash: hash })
  await tell(sessionId, show('loved'), 'loved-3', { userAction: 'purchase' })
  await tell(sessionId, show('liked'), 'liked-3')
  for (let at = 0; at < 30; at++) show(`idle${at}`)
  await added()
  expect(memory.figures()).toMatchObject({ pairs: 100, queries: 10, gained: 2 })
  for (let at = 0; at < 9; at++) await tell(sessionId, show(`new${at}`), `new${at}-0`)
  await added()
  expect(memory.figures().pairs).toBeLessThanOrEqual(100)
  expect(await added('liked')).toEqual({})
  expect(await added('loved')).toHaveProperty('loved-3')
  expect(await added('new8')).toHaveProperty('new8-0')
})

it('one query keeps a bounded number of documents, the liked ones among them', async () => {
  const { session, search, tell, memory, added } = start()
  const sessionId = await session()
  await tell(sessionId, search(sessionId, ['best']), 'best')
  for (let page = 0; page < 12; page++)
    search(
      sessionId,
      Array.from({ length: 50 }, (_, at) => `${page}-${at}`),
    )
  const scores = await added()
  expect(Object.keys(scores)).toHaveLength(200)
  expect(scores).toHaveProperty('best')
  expect(memory.figures().pairs).toBe(500)
})

it('what sessions taught one by one is forgotten when they can teach no more', async () => {
  const { session, search, tell, added, clock, store } = start()
  const sessionId = await session()
  await tell(sessionId, search(sessionId, ['a']), 'a')
  await added()
  expect(store.tables.attributions.count()).toBe(1)
  clock.nowMs += 2 * DAY_MS
  const later = await session()
  search(later, ['a'])
  await added()
  expect([...store.tables.attributions.keys()].map(([id]) => id)).toEqual([later])
  expect((await added()).a).toBeGreaterThan(0)
  expect(learnedRows(store)).toContain('1/a')
})

it('a session has its bounded say also once a clock that was ahead is right again', async () => {
  const { session, search, tell, added, memory, clock, store } = start()
  const early = await session()
  await tell(early, search(early, ['a']), 'a')
  await added()
  clock.nowMs += 7 * DAY_MS
  search(await session(), ['b'])
  await added()
  clock.nowMs -= 7 * DAY_MS
  const sessionId = await session()
  for (let time = 0; time < 3; time += 1) {
    await tell(sessionId, search(sessionId, ['c']), 'c')
    await added()
    // Saved, as every few seconds: what the session taught must be found again.
    memory.load?.()
    clock.nowMs += MINUTE_MS
  }
  expect([...store.tables.attributions.keys()].map(([id]) => id)).toContain(sessionId)
  expect(memory.describe(QUERY_HASH, '1/c')).toMatchObject({ gain: expect.closeTo(0.3, 6) })
})

it('with no strength nothing is added, but that somebody chose is known', async () => {
  const { session, search, tell, added, memory } = start({ MEMORY_STRENGTH: '0' })
  const sessionId = await session()
  const queryId = search(sessionId, ['a'])
  await added()
  expect(memory.isClicked(QUERY_HASH)).toBe(false)
  await tell(sessionId, queryId, 'a')
  expect(await added()).toEqual({})
  expect(memory.isClicked(QUERY_HASH)).toBe(true)
})

it('folded anew, what an old session may still say goes by its own time, wherever it is saved in between', async () => {
  const store = temporaryStore()
  const facts: Fact[] = []
  const take = (fact: Fact) => void facts.push(fact)
  const learner = openLearner(store, {}, () => [{ name: 'facts', load() {}, take, save() {} }])
  onTestFinished(learner.close)
  const { session, search, tell, clock, loop, memory } = learner
  const sessionId = await session()
  for (const document of ['a', 'b', 'a', 'b', 'a']) {
    await tell(sessionId, search(sessionId, ['a', 'b', 'c']), document, { userAction: 'purchase' })
    await loop.caughtUp()
    clock.nowMs += 29 * MINUTE_MS
    learner.sessions.touch(sessionId)
  }
  clock.nowMs += 3 * DAY_MS
  const other = await session()
  await tell(other, search(other, ['a', 'b', 'c']), 'c')
  await loop.caughtUp()
  const learned = learnedRows(store)
  await store.write(() => memory.reset?.())
  for (const fact of facts) {
    memory.take(fact)
    await store.write(() => memory.save())
  }
  memory.publish?.()
  expect(learnedRows(store)).toBe(learned)
})

it('what was learned is weighed by how people are known to look, also what was learned before that', async () => {
  const { session, search, tell, added, memory, people } = start()
  for (const clicked of ['d', 'a', 'a']) {
    const sessionId = await session()
    await tell(sessionId, search(sessionId, ['a', 'b', 'c', 'd']), clicked)
  }
  const before = await added()
  expect(before.b).toBeLessThan(0)
  people.chances = { eta: 0 }
  const wide = await added()
  expect(wide.b).toBeCloseTo(scoreOf(0, 3), 6)
  expect(wide.d).toBeLessThan(before.d ?? 0)
  people.chances = { eta: 2 }
  const narrow = await added()
  expect(narrow.b).toBeGreaterThan(before.b ?? 0)
  expect(narrow.d).toBeGreaterThan(before.d ?? 0)
  expect(memory.describe(QUERY_HASH, '1/d')).toMatchObject({
    undecayed: { examination: expect.closeTo(3 / 16, 6) },
  })
})

it('what was not in sight counts as no look', async () => {
  const { session, search, tell, added, memory, people } = start()
  people.chances = { eta: 0 }
  const [first, second] = [await session(), await session()]
  await tell(first, search(first, ['a', 'b']), 'b')
  const queryId = search(second, ['a', 'b'])
  await tell(second, queryId, 'a', { userAction: 'view', customMetadata: { viewed: false } })
  await added()
  expect(memory.describe(QUERY_HASH, '1/a')?.examination).toBeCloseTo(1, 6)
  expect(memory.describe(QUERY_HASH, '1/b')?.examination).toBeCloseTo(2, 6)
})
