import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { temporaryStore } from '../store/open.ts'
import { type Learner, openLearner } from './learner.ts'

function start(settings: Record<string, string> = {}, store: Store = temporaryStore()): Learner {
  const learner = openLearner(store, settings)
  onTestFinished(learner.close)
  return learner
}

/** The formula of the added score, by hand. */
function scoreOf(gain: number, examination: number): number {
  return (gain + 2 * 0.05) / (examination + 2) - 0.05
}

it('one honest click changes the ranking of that query for others, and of no other', async () => {
  const { session, search, tell, added } = start()
  const queryId = search(await session(), ['a', 'b', 'c'])
  expect(await added()).toEqual({})
  await tell(queryId === '' ? '' : await session(), queryId, 'c')
  const scores = await added()
  // Both sessions looked at the page, one clicked.
  expect(scores.c).toBeCloseTo(scoreOf(0.3, 2 / 3), 6)
  expect(scores.a).toBeCloseTo(scoreOf(0, 2), 6)
  expect(await added('another')).toEqual({})
})
