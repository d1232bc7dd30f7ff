import { expect, it } from 'vitest'
import type { Fact } from '../../../src/learn/facts.ts'
import { timesOfPairs, timesOfQueries } from '../../../src/learn/patterns/times.ts'

const MINUTE_MS = 60_000

function search(queryHash: string, minute: number, more: object = {}): Fact {
  const queryId = `${queryHash}-${minute}`
  const own = {
    ...{ queryId, queryHash, timeMs: minute * MINUTE_MS, from: 0, page: { hits: [{}] } },
    ...more,
  }
  return { kind: 'search', impression: { sessionId: 's', unit: 'u', ...own } } as unknown as Fact
}

function click(of: Fact): Fact {
  const impression = of.kind === 'search' ? of.impression : undefined
  const entry = { status: 'learned', action: 'click' }
  return { ...{ kind: 'feedback', sessionId: 's', impression, hit: 0, entry } } as unknown as Fact
}

it('tells when each query was asked; later pages are no searches of their own', () => {
  const facts = [search('a', 1), search('b', 2), search('a', 3), search('a', 3, { from: 10 })]
  expect(timesOfQueries(facts)).toEqual(
    new Map([
      ['a', [MINUTE_MS, 3 * MINUTE_MS]],
      ['b', [2 * MINUTE_MS]],
    ]),
  )
})

it('tells when one query was put in the words of another', () => {
  const facts = [search('a', 1), search('b', 2), search('a', 3), search('b', 4)]
  expect(timesOfPairs(facts)).toEqual(
    new Map([
      ['a b', [2 * MINUTE_MS, 4 * MINUTE_MS]],
      ['b a', [3 * MINUTE_MS]],
    ]),
  )
})

it.each<[string, Fact[]]>([
  ['the first was clicked', [search('a', 1), click(search('a', 1)), search('b', 2)]],
  [
    'the first was clicked without a hit by name',
    [search('a', 1), { ...click(search('a', 1)), hit: undefined } as Fact, search('b', 2)],
  ],
  [
    'a further page of the first was clicked',
    [search('a', 1), click(search('a', 2, { from: 10, list: 'a-1' })), search('b', 3)],
  ],
  ['it is the same query', [search('a', 1), search('a', 2)]],
  ['too much time went by', [search('a', 1), search('b', 7)]],
  ['another session asks', [search('a', 1), search('b', 2, { sessionId: 'other' })]],
  ['nobody is known to ask', [search('a', 1), search('b', 2, { unit: undefined })]],
  ['the later one comes first', [search('a', 2), search('b', 1)]],
])('but not where %s', (_why, facts) => {
  expect(timesOfPairs(facts)).toEqual(new Map())
})

it('a click on another search than the last one changes nothing', () => {
  const facts = [search('a', 1), click(search('z', 0)), search('b', 2)]
  expect([...timesOfPairs(facts).keys()]).toEqual(['a b'])
})
