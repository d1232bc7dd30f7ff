import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { Consumer, Fact } from '../../../src/learn/facts.ts'
import { GROUPS, openFold, type Saved } from '../../../src/learn/loop/fold.ts'
import { MILLION, WIDTH } from '../../../src/learn/memory/click-memory-evidence.ts'
import { unpackAttributed, unpackRemembered } from '../../../src/learn/memory/click-memory-rows.ts'
import type { AttributionRow } from '../../../src/schema/memory-record.ts'
import { temporaryStore } from '../../store/open.ts'
import { waitUntil } from '../../wait-until.ts'
import { type Learner, learnedRows, MINUTE_MS, openLearner, QUERY_HASH } from '../learner.ts'

it('a transaction that fails half-way repeats nothing and skips nothing', async () => {
  const whole = openLearner(temporaryStore())
  const store = temporaryStore()
  let toFail = 0
  const faulty: Consumer = {
    name: 'faulty',
    load: () => {},
    take: () => {},
    save: () => {
      if (toFail-- > 0) throw new Error('no')
    },
  }
  const broken = openLearner(store, {}, () => [faulty])
  const sessionIds = await Promise.all([whole.session(), broken.session()])
  for (const clicked of ['a', 'c', 'b', 'c']) {
    toFail = 1
    for (const [at, learner] of [whole, broken].entries()) {
      const sessionId = sessionIds[at] ?? ''
      learner.clock.nowMs += MINUTE_MS
      await learner.tell(sessionId, learner.search(sessionId, ['a', 'b', 'c']), clicked)
    }
  }
  const expected = await whole.added()
  expect(Object.keys(expected)).toHaveLength(3)
  expect(await broken.added()).toEqual(expected)
  await broken.close()
  const again = openLearner(store)
  expect(await again.added()).toEqual(expected)
  await Promise.all([whole.close(), again.close()])
})

it('a fact that nobody can take is given up after some attempts, and the others are learned', async () => {
  const store = temporaryStore()
  let poisoned = ''
  let attempts = 0
  const picky: Consumer = {
    name: 'picky',
    load: () => {},
    take: (fact) => {
      if (fact.kind !== 'search' || fact.impression.queryId !== poisoned) return
      attempts += 1
      throw new Error('not this one')
    },
    save: () => {},
  }
  const learner = openLearner(store, {}, () => [picky])
  const sessionId = await learner.session()
  poisoned = learner.search(sessionId, ['x'])
  await learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'b')
  expect(Object.keys(await learner.added()).sort()).toEqual(['a', 'b'])
  expect(attempts).toBe(5)
  const types = [...store.tables.events.range()].map(({ value }) => value.type)
  expect(types.filter((type) => type === 'SIGNAL_FAILED')).toHaveLength(1)
  await learner.close()
})

it('what is saved with every lesson waits for one while people only search, and counts once', async () => {
  let slice = 0
  const counted: number[] = []
  const counter: Consumer = {
    name: 'counter',
    load: () => {
      slice = 0
    },
    take: () => {
      slice += 1
    },
    save: () => {
      counted.push(slice)
    },
    publish: () => {
      slice = 0
    },
  }
  const learner = openLearner(temporaryStore(), {}, () => [counter])
  const sessionId = await learner.session()
  const total = () => counted.reduce((sum, each) => sum + each, 0)
  const queryId = learner.search(sessionId, ['a', 'b'])
  await learner.tell(sessionId, queryId, 'a')
  await learner.loop.caughtUp()
  expect(total()).toBe(2)

  // A fold anew saves what waits; what it saved does not wait any more.
  const taken = async () => {
    learner.search(sessionId, ['a', 'b'])
    await learner.log.flush()
    await waitUntil(() => slice > 0)
  }
  await taken()
  expect(total()).toBe(2)
  await learner.loop.rebuild()
  expect(total()).toBe(3)
  await taken()
  await waitUntil(() => total() > 3)
  expect(total()).toBe(4)
  await learner.close()
})

it('what comes while all is folded anew is taken once', async () => {
  const taken: number[] = []
  let whenTaken = () => {}
  const counter: Consumer = {
    name: 'counter',
    load: () => {},
    reset: () => {
      taken.length = 0
    },
    take: ({ sequence }) => {
      taken.push(sequence)
      whenTaken()
    },
    save: () => {},
  }
  const learner = openLearner(temporaryStore(), {}, () => [counter])
  onTestFinished(learner.close)
  const sessionId = await learner.session()
  const tell = () => learner.tell(sessionId, learner.search(sessionId, ['a', 'b']), 'a')
  for (let count = 0; count < 12; count += 1) await tell()
  await learner.loop.caughtUp()
  let told: Promise<unknown> | undefined
  whenTaken = () => {
    told ??= tell()
    // The first ones take slices of their own, so that the last slice finds what was told.
    const startedMs = performance.now()
    if (taken.length < 12) while (performance.now() - startedMs < 5);
  }
  await learner.loop.rebuild()
  await told
  await learner.loop.caughtUp()
  const once = [...taken]
  whenTaken = () => {}
  await learner.loop.rebuild()
  expect(once).toEqual(taken)
})

it('what people tell is saved at once, what they only search waits', async () => {
  const store = temporaryStore()
  const nothing = () => {}
  const fold = openFold(store, [{ name: 'any', load: nothing, take: nothing, save: nothing }])
  fold.load()
  const take = (sequence: number, kind: Fact['kind']) => {
    fold.take({ kind, sequence } as Fact)
    fold.advance(sequence)
  }
  const save = async () => {
    await store.write(() => fold.save('all'))
    fold.settle()
  }
  take(1, 'search')
  await save()
  expect(fold.isDue('all')).toBe(false)
  take(2, 'search')
  expect([fold.isDue('due'), fold.isDue('all')]).toEqual([false, true])
  take(3, 'feedback')
  expect(fold.isDue('due')).toBe(true)
  await save()
  take(4, 'search')
  expect(fold.isDue('due')).toBe(false)
})

it('what a crash would have read again is told apart from what is saved at once', async () => {
  const store = temporaryStore()
  const nothing = () => {}
  const prompt = { name: 'prompt', load: nothing, take: nothing, save: nothing }
  const fold = openFold(store, [prompt, { ...prompt, name: 'slow', group: GROUPS.patterns }])
  fold.load()
  const told = async (sequence: number, which: Saved) => {
    fold.take({ kind: 'feedback', sequence } as Fact)
    fold.advance(sequence)
    await store.write(() => fold.save(which))
    fold.settle()
    return [fold.saved(), fold.kept()]
  }
  expect(await told(1, 'all')).toEqual([1, 1])
  expect(await told(2, 'due')).toEqual([2, 1])
  const found = () => {
    fold.load()
    return [fold.saved(), fold.kept(), fold.taken()]
  }
  expect(found()).toEqual([2, 1, 1])
  expect(await told(2, 'all')).toEqual([2, 2])
  expect(found()).toEqual([2, 2, 2])
})

it('what was never saved begins at the beginning, however far others are', async () => {
  const store = temporaryStore()
  const nothing = () => {}
  const prompt = { name: 'prompt', load: nothing, take: nothing, save: nothing }
  const slow = { ...prompt, name: 'slow', group: GROUPS.patterns }
  const other = { ...prompt, name: 'other', group: GROUPS.reports }
  const fold = openFold(store, [prompt, slow, other])
  fold.load()
  fold.take({ kind: 'feedback', sequence: 1 } as Fact)
  fold.advance(1)
  // The groups take turns: one of the two is not saved yet.
  await store.write(() => fold.save('due'))
  fold.settle()
  fold.load()
  expect([fold.saved(), fold.kept()]).toEqual([1, 0])
})

it('groups that are due take turns', async () => {
  const store = temporaryStore()
  const nothing = () => {}
  const saved: string[] = []
  const consumers = ['a', 'b', 'c'].map((name) => ({
    ...{ name, load: nothing, take: nothing, save: () => void saved.push(name) },
    group: { name, saveMs: 0 },
  }))
  const fold = openFold(store, consumers)
  fold.load()
  for (let sequence = 1; sequence <= 6; sequence += 1) {
    fold.take({ kind: 'search', sequence } as Fact)
    fold.advance(sequence)
    await store.write(() => fold.save('due'))
    fold.settle()
  }
  expect(saved).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
})

const ACTIONS = ['click', 'purchase', 'dwell', 'share', 'dismiss', 'view', 'hover']
const story = fc.array(
  fc.record({
    waitMinutes: fc.integer({ min: 0, max: 29 }),
    searches: fc.boolean(),
    action: fc.constantFrom(...ACTIONS),
    resultId: fc.constantFrom('a', 'b', 'c', 'none'),
    backMinutes: fc.integer({ min: 0, max: 300 }),
    dwellTime: fc.integer({ min: 0, max: 60_000 }),
  }),
  { minLength: 1, maxLength: 40 },
)

async function tellStory(
  learner: Learner,
  steps: typeof story extends fc.Arbitrary<infer T> ? T : never,
) {
  const sessionId = await learner.session()
  let queryId = learner.search(sessionId, ['a', 'b', 'c'])
  for (const { waitMinutes, searches, action, resultId, backMinutes, dwellTime } of steps) {
    learner.clock.nowMs += waitMinutes * MINUTE_MS
    if (searches) queryId = learner.search(sessionId, ['c', 'a', 'b'])
    const timestamp = learner.clock.nowMs - backMinutes * MINUTE_MS
    const more = { userAction: action, timestamp, customMetadata: { dwellTime } }
    await learner.tell(sessionId, queryId, resultId, more)
  }
  await learner.loop.caughtUp()
}

it('whatever one session does, in whatever order it arrives, its say is bounded', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const learner = openLearner(temporaryStore())
      await tellStory(learner, steps)
      for (const document of ['1/a', '1/b', '1/c']) {
        const known = learner.memory.describe(QUERY_HASH, document)
        expect(known?.gain ?? 0).toBeLessThanOrEqual(3)
        expect(known?.examination ?? 0).toBeLessThanOrEqual(3)
      }
      for (const { value } of learner.store.tables.attributions.range())
        for (const slots of slotsOf(value)) {
          const times = slots.filter((_, at) => at % 2 === 0).sort((a, b) => a - b)
          expect(times.length).toBeLessThanOrEqual(3)
          for (let at = 1; at < times.length; at++)
            expect((times[at] ?? 0) - (times[at - 1] ?? 0)).toBeGreaterThanOrEqual(30 * MINUTE_MS)
        }
      const rows = learnedRows(learner.store)
      await learner.loop.rebuild()
      expect(learnedRows(learner.store)).toBe(rows)
      await learner.close()
    }),
    { numRuns: 12 },
  )
})

it('what is remembered of a pair is what its sessions are on record for', async () => {
  const learner = openLearner(temporaryStore(), {}, () => [])
  onTestFinished(learner.close)
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      await tellStory(learner, steps)
    }),
    { numRuns: 6 },
  )
  const { tables } = learner.store
  const sums = new Map<string, number[]>()
  const amountsOf = (slots: number[]) => slots.filter((_, slot) => slot % 2 === 1)
  const sumOf = (amounts: number[]) => amounts.reduce((all, each) => all + each, 0)
  for (const { value } of tables.attributions.range())
    for (const [document, { gains, examinations }] of unpackAttributed(value)) {
      const before = sums.get(document) ?? [0, 0, 0, 0]
      const [gained, seen] = [amountsOf(gains), amountsOf(examinations)]
      const countOf = (amounts: number[]) => amounts.filter((each) => each > 0).length * MILLION
      const taught = [sumOf(gained), sumOf(seen), countOf(seen), countOf(gained)]
      sums.set(
        document,
        taught.map((each, column) => each + (before[column] as number)),
      )
    }
  const row = tables.clickMemory.get(QUERY_HASH)
  const remembered = row === undefined ? new Map<string, number[]>() : unpackRemembered(row)
  for (const [document, evidence] of remembered) {
    const columns = [1, 2, 3, 4].map((column) =>
      sumOf(evidence.filter((_, place) => place % WIDTH === column)),
    )
    expect(columns, document).toEqual(sums.get(document))
  }
  expect(remembered.size).toBe(3)
})

function slotsOf(row: AttributionRow): number[][] {
  return [...unpackAttributed(row).values()].flatMap(({ gains, examinations }) => [
    gains,
    examinations,
  ])
}
