import { expect, it } from 'vitest'
import { newId } from '../../../src/ids.ts'
import type { FeedbackFact } from '../../../src/learn/facts.ts'
import { openClicks } from '../../../src/learn/patterns/clicks.ts'
import { temporaryStore } from '../../store/open.ts'

const KEPT = 5000

function clickOn(search: number, hit = 0, queryHash = 'h'): FeedbackFact {
  const queryId = `q${String(search).padStart(6, '0')}`
  return {
    ...{ kind: 'feedback', hit, entry: { queryId, status: 'learned', action: 'click' } },
    impression: { queryId, queryHash, timeMs: search, from: 10, page: { hits: [{}] } },
  } as unknown as FeedbackFact
}

function open() {
  const store = temporaryStore()
  const clicks = openClicks(store)
  clicks.load()
  const newest = (queryHash = '*') =>
    clicks.newest(queryHash, 2 * KEPT).map(({ search: { timeMs } }) => timeMs)
  return { store, clicks, newest }
}

it('tells the place of the first click of a search, to whoever asks of it', () => {
  const { clicks } = open()
  const first = clickOn(1, 2)
  expect([clicks.firstOfList(first), clicks.firstOfList(first)]).toEqual([13, 13])
  expect(clicks.firstOfList(clickOn(1, 0))).toBeUndefined()
  // who clicks a hit twice has clicked one hit
  expect(clicks.firstOfList(clickOn(1, 0))).toBeUndefined()
  expect(clicks.newest('h', 9)).toMatchObject([{ queryId: 'q000001', search: { clicked: [2, 0] } }])
})

it('tells what is the best click of a list, also behind one that names no hit, and over a restart', async () => {
  const { store, clicks } = open()
  const { hit: _, ...unnamed } = clickOn(1)
  const told = (fact: object) => clicks.bestOfList(fact as FeedbackFact)
  expect(told(unnamed)).toEqual({ best: 0, before: undefined })
  expect(clicks.newest('*', 9)).toEqual([])
  const named = clickOn(1, 3)
  expect(clicks.firstOfList(named)).toBe(14)
  expect(told(named)).toEqual({ best: 14, before: 0 })
  for (const worse of [clickOn(1, 5), unnamed]) expect(told({ ...worse })).toBeUndefined()
  await store.write(() => clicks.save())
  clicks.load()
  expect(told(clickOn(1, 4))).toBeUndefined()
  expect(told(clickOn(1, 0))).toEqual({ best: 11, before: 14 })
  // Of rows of earlier versions the best is not known.
  await store.write(() => {
    store.tables.clickedSearches.put('q000002', { queryHash: 'h', timeMs: 2, clicked: [5] })
  })
  clicks.load()
  expect([told(clickOn(2, 0)), clicks.firstOfList(clickOn(2, 1))]).toEqual([undefined, undefined])
})

it('tells the first click of a list, whichever of its pages it is on', async () => {
  const { store, clicks, newest } = open()
  const begin = newId(1000)
  const page = (queryId: string, from: number, hit: number): FeedbackFact => {
    const { impression, ...fact } = clickOn(1, hit)
    const entry = { ...fact.entry, queryId }
    const list = from > 0 ? { list: begin } : {}
    const shown = { ...impression, queryId, from, timeMs: from === 0 ? 1000 : 2000, ...list }
    return { ...fact, entry, impression: shown } as FeedbackFact
  }
  const told = clicks.firstOfList
  const [second, third] = [newId(2000), newId(2001)]
  expect(told(page(third, 20, 1))).toBe(22)
  // Nothing of the first page is there to be replayed.
  expect(newest()).toEqual([2000])
  await store.write(() => clicks.save())
  clicks.load()
  expect(told(page(second, 10, 0))).toBeUndefined()
  expect(told(page(begin, 0, 3))).toBeUndefined()
  expect(newest().toSorted()).toEqual([1000, 2000, 2000])
})

it('goes by who was shown the list: what others click there neither is a first click nor takes the place of one', () => {
  const { clicks } = open()
  const clickBy = (unit: string, hit: number, shownTo?: string): FeedbackFact => {
    const { impression, ...fact } = clickOn(shownTo === undefined ? 2 : 1, hit)
    return { ...fact, unit, impression: { ...impression, unit: shownTo } } as FeedbackFact
  }
  const places = [clickBy('thief', 4, 'ann'), clickBy('ann', 2, 'ann'), clickBy('thief', 0, 'ann')]
  expect(places.map(clicks.firstOfList)).toEqual([undefined, 13, undefined])
  expect(clicks.newest('h', 9)).toMatchObject([{ search: { clicked: [2] } }])
  // Nobody's list is taken from nobody.
  expect(clicks.firstOfList(clickBy('bob', 3))).toBe(14)
})

it('finds the newest clicked searches, of a query or of all, so many', () => {
  const { clicks, newest } = open()
  for (const [at, hash] of ['h', 'other', 'h'].entries()) clicks.take(clickOn(at, 0, hash))
  expect([newest(), newest('h'), newest('none')]).toEqual([[2, 1, 0], [2, 0], []])
  expect(clicks.newest('*', 1)).toHaveLength(1)
})

it('keeps the newest of many searches, also behind a restart, and counts a lost one anew', async () => {
  const { store, clicks, newest } = open()
  for (let search = 0; search < KEPT; search += 1) clicks.take(clickOn(search))
  expect(newest()).toHaveLength(KEPT)
  clicks.take(clickOn(KEPT))
  // A hundredth goes at once.
  expect(newest()).toHaveLength(KEPT * 0.99)
  expect([newest()[0], newest().at(-1)]).toEqual([KEPT, KEPT / 100 + 1])
  const before = newest()
  await store.write(() => clicks.save())
  clicks.load()
  expect(newest()).toEqual(before)
  expect(clicks.firstOfList(clickOn(KEPT))).toBeUndefined()
  expect(clicks.firstOfList(clickOn(0))).toBe(11)
})
