import { expect, it } from 'vitest'
import type { Fact } from '../../../src/learn/facts.ts'
import type { Log } from '../../../src/learn/loop/log.ts'
import {
  endOf,
  nothingTaken,
  paceFor,
  type Taker,
  takeRows,
} from '../../../src/learn/loop/slice.ts'
import type { JournalRow } from '../../../src/store/journal.ts'

it('what is young is taken in short slices with rests, what is old in long ones with hardly any', () => {
  expect(paceFor(0)).toEqual({ sliceMs: 0.5, restMs: 5 })
  expect(paceFor(150)).toEqual({ sliceMs: 0.5, restMs: 3.5 })
  expect(paceFor(450)).toEqual({ sliceMs: 0.5, restMs: 2 })
  expect(paceFor(1200)).toEqual({ sliceMs: 3, restMs: 2 })
  expect(paceFor(3_600_000)).toEqual({ sliceMs: 8, restMs: 2 })
})

it.each([
  [0, [7]],
  [1, []],
])(
  'feedback read again after a crash is told to have been received once (saved up to %s)',
  (saved, received) => {
    const feedback = { entries: [{ queryId: 'q', resultId: 'a', action: 'click' }] }
    const entry = { type: 'feedback', timeMs: 7, sessionId: 's', data: feedback }
    const facts: Fact[] = []
    const taken = nothingTaken(0)
    const taking = {
      ...{ log: { shown: () => undefined }, fold: { saved: () => saved } },
      ...{ dead: { isDead: () => false }, taking: undefined },
    } as unknown as Taker
    const rows = [{ sequence: 1, entry }] as unknown as JournalRow[]
    for (const _ of takeRows(taking, rows, taken, (fact) => facts.push(fact)));
    expect(facts).toHaveLength(1)
    expect(taken).toEqual({ end: 1, received, oldestMs: 7 })
  },
)

it('entries that are missing at the end were removed: nothing is waited for', async () => {
  const rowAt = (sequence: number) => ({ sequence }) as JournalRow
  const holding = (...left: number[]) => {
    const read = ({ after = 0 }) => left.filter((sequence) => sequence > after).map(rowAt)
    return { journal: { read } } as unknown as Log
  }
  const places = { end: 5, until: 9 }
  expect(await endOf(holding(5), [rowAt(5)], places)).toBe(9)
  expect(await endOf(holding(5, 8), [rowAt(5)], places)).toBe(5)
  expect(await endOf(holding(5), [rowAt(5)], { end: 5, until: 3 })).toBe(5)
})
