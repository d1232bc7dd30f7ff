import { expect, it, onTestFinished } from 'vitest'
import { type DailyEvidence, MILLION } from '../../../src/learn/memory/click-memory-evidence.ts'
import { packRemembered } from '../../../src/learn/memory/click-memory-rows.ts'
import { countRates, RATED_MAX } from '../../../src/learn/memory/click-rate.ts'
import { dayOf } from '../../../src/learn/wire/duration.ts'
import type { RememberedRow } from '../../../src/schema/memory-record.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS, openLearner, START_MS } from '../learner.ts'

const TODAY = dayOf(START_MS)
const SETTINGS = {
  ...{ memoryPriorWeight: 2, memoryPriorRate: 0.05, memoryHalfLifeMs: 10 * DAY_MS },
  chances: { eta: 1 },
}

/** A query's row: for each document [days ago, gain, examination] of each day, oldest first. */
function row(documents: Record<string, [number, number, number][]>): RememberedRow {
  const evidence = Object.entries(documents).map(([key, days]): [string, DailyEvidence] => [
    key,
    days.flatMap(([ago, gain, seen]) => {
      return [TODAY - ago, gain * MILLION, seen * MILLION, seen * MILLION, gain * MILLION]
    }),
  ])
  const { sequence, documents: names, ...columns } = packRemembered(1, new Map(evidence))
  const [own, looks, choices] = [columns.evidence, columns.looks, columns.choices].map((column) =>
    Uint8Array.from(column ?? []),
  ) as [Uint8Array, Uint8Array, Uint8Array]
  return { sequence, documents: names, evidence: own, looks, choices }
}

function ratesOf(rows: Iterable<RememberedRow>, indexId = 1): Record<string, number> {
  const rated = countRates(rows, TODAY, SETTINGS).get(indexId) ?? []
  return Object.fromEntries(rated.map(({ id, rate }) => [id, rate]))
}

/** The formula by hand. */
const shrunk = (gain: number, examination: number) => (gain + 2 * 0.05) / (examination + 2)

it('sums what all queries with a gain say of a document, as old as it is', () => {
  const rows = [
    row({
      '1/a': [
        [20, 1, 4],
        [0, 0.5, 1],
      ],
      '1/b': [[10, 0, 2]],
      '2/a': [[0, 0.25, 1]],
    }),
    row({ '1/a': [[10, 1, 2]], '1/a/b': [[0, 0.5, 1]] }),
  ]
  expect(ratesOf(rows)).toEqual({
    a: expect.closeTo(shrunk(0.25 + 0.5 + 0.5, 1 + 1 + 1), 12),
    b: expect.closeTo(shrunk(0, 1), 12),
    'a/b': expect.closeTo(shrunk(0.5, 1), 12),
  })
  expect(ratesOf(rows, 2)).toEqual({ a: expect.closeTo(shrunk(0.25, 1), 12) })
  expect(ratesOf(rows, 3)).toEqual({})
})

it('a query that nobody gained from says nothing, and no rate is above one', () => {
  expect(ratesOf([row({ '1/a': [[0, 0, 9]], '1/b': [[0, 0, 3]] })])).toEqual({})
  expect(ratesOf([row({ '1/a': [[0, 40, 0.1]] })])).toEqual({ a: 1 })
})

it('where there are too many documents, those with most evidence come first', () => {
  const many = Array.from({ length: RATED_MAX }, (_, at) => [`1/${at}`, [[0, 0, 1]]] as const)
  const rows = [row({ ...Object.fromEntries(many), '1/liked': [[0, 1, 2]] } as never)]
  const [first, second] = countRates(rows, TODAY, SETTINGS).get(1) ?? []
  expect(first).toEqual({ id: 'liked', rate: shrunk(1, 2) })
  expect(second).toEqual({ id: '0', rate: shrunk(0, 1) })
})

const remembered = ({ tables }: Store) => [...tables.clickMemory.range()].map(({ value }) => value)

it('what the click memory took out again is in no rate', async () => {
  const learner = openLearner(temporaryStore())
  onTestFinished(learner.close)
  const { session, search, tell, added, feedback, store, memory } = learner
  const honest = await session()
  await tell(honest, search(honest, ['a', 'b', 'c'], { queryHash: 'one' }), 'b')
  await tell(honest, search(honest, ['b', 'd'], { queryHash: 'two' }), 'b')
  await added()
  const before = ratesOf(remembered(store))
  expect(before).toEqual({
    a: expect.closeTo(shrunk(0, 1), 9),
    b: expect.closeTo(shrunk(0.6, 0.5 + 1), 9),
    c: expect.closeTo(shrunk(0, 1 / 3), 5),
    d: expect.closeTo(shrunk(0, 1 / 2), 9),
  })
  const { saved } = memory.changes()
  const cheat = await session()
  await tell(cheat, search(cheat, ['d', 'b'], { queryHash: 'two' }), 'd', {
    userAction: 'purchase',
  })
  await added()
  expect(ratesOf(remembered(store)).d).toBeCloseTo(shrunk(1, 1.5), 9)
  const queryId = search(cheat, ['d'], { queryHash: 'one' })
  const click = { queryId, rating: 1, metadata: { resultId: 'd', userAction: 'purchase' } }
  await feedback.submit({ sessionId: cheat, feedback: Array(60).fill(click) })
  await added()
  expect(ratesOf(remembered(store))).toEqual(before)
  expect(memory.changes().saved).toBeGreaterThan(saved)
  expect(memory.changes().relearned).toBe(0)
  await learner.loop.rebuild()
  expect(ratesOf(remembered(store))).toEqual(before)
  expect(memory.changes().relearned).toBe(1)
})

it('what changes no rate is no change', async () => {
  const learner = openLearner(temporaryStore())
  onTestFinished(learner.close)
  const { session, search, tell, added, memory } = learner
  const sessionId = await session()
  await tell(sessionId, search(sessionId, ['a']), 'a')
  await added()
  const before = { ...memory.changes() }
  search(undefined, ['a', 'b'])
  search(sessionId, ['a', 'b'], { queryHash: 'in vain' })
  await added()
  expect(memory.changes()).toEqual(before)
})
