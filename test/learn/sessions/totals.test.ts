import { expect, test } from 'vitest'
import { openTotals } from '../../../src/learn/sessions/totals.ts'
import { temporaryStore } from '../../store/open.ts'

const ID = '01a0bd4c-7000-7000-8000-0123456789AB'

test('a session nobody knows did nothing', () => {
  expect(openTotals(temporaryStore()).of('unheard-of')).toEqual({
    searches: 0,
    clicks: 0,
    feedback: 0,
    events: 0,
  })
})

test('what is added counts at once, and exactly once while it reaches the disk', async () => {
  const store = temporaryStore()
  const totals = openTotals(store)
  totals.add(ID, { searches: 1 })
  totals.add(ID.toLowerCase(), { searches: 1 })
  expect(totals.of(ID).searches).toBe(2)
  const flushed = totals.flush()
  for (let turn = 0; turn < 50; turn += 1) {
    expect(totals.of(ID).searches).toBe(2)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await flushed
  totals.add(ID, { searches: 1, clicks: 2 })
  expect(totals.of(ID)).toEqual({ searches: 3, clicks: 2, feedback: 0, events: 0 })
  await totals.flush()
  expect(openTotals(store).of(ID)).toEqual(totals.of(ID))
})

test('what a transaction adds counts with it, or not at all', async () => {
  const store = temporaryStore()
  const totals = openTotals(store)
  totals.add(ID, { searches: 5 })
  const failed = totals.flush((flush) =>
    store.write(() => {
      flush()
      totals.addWithin(ID, { feedback: 1 })
      throw new Error('not today')
    }),
  )
  await expect(failed).rejects.toThrow('not today')
  expect(totals.of(ID)).toMatchObject({ searches: 5, feedback: 0 })
  let seen: object = {}
  await totals.flush((flush) =>
    store.write(() => {
      const done = flush()
      totals.addWithin(ID, { feedback: 1 })
      seen = totals.of(ID)
      return done
    }),
  )
  expect(seen).toMatchObject({ searches: 5, feedback: 1 })
  expect(totals.of(ID)).toEqual(seen)
  expect(openTotals(store).of(ID)).toEqual(seen)
})

test('flushes under way at the same time lose nothing and count nothing twice', async () => {
  const store = temporaryStore()
  const totals = openTotals(store)
  const writes: Promise<void>[] = []
  for (let round = 0; round < 100; round += 1) {
    totals.add(ID, { events: 1 })
    writes.push(totals.flush())
    if (round % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(totals.of(ID).events).toBe(round + 1)
  }
  await Promise.all(writes)
  expect(totals.of(ID).events).toBe(100)
  expect(openTotals(store).of(ID).events).toBe(100)
})
