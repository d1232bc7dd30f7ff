import { v7 as uuid } from 'uuid'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryStore } from '../../store/open.ts'
import { DAY_MS, MINUTE_MS, openLearner } from '../learner.ts'

it('what was told is read though the clock was set back for a while since', async () => {
  const learner = openLearner(temporaryStore())
  onTestFinished(learner.close)
  const { clock, feedback } = learner
  const tell = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      await feedback.submit({ sessionId: uuid(), feedback: [{ queryId: uuid(), rating: 1 }] })
      clock.nowMs += 1000
    }
  }
  const total = async (timeframe: string) => (await feedback.read({ timeframe })).summary.total
  await tell(3)
  clock.nowMs += DAY_MS
  await tell(120)
  clock.nowMs -= 3 * DAY_MS
  await tell(100)
  clock.nowMs += 3 * DAY_MS
  expect(await total('1h')).toBe(120)
  await tell(2)
  expect(await total('1h')).toBe(122)
  // What was told while it was set back is as old as it says.
  expect(await total('2d')).toBe(125)
  expect(await total('4d')).toBe(225)
  clock.nowMs += 90 * MINUTE_MS
  expect(await total('1h')).toBe(0)
})
