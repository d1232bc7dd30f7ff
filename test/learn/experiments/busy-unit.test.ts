import { expect, it } from 'vitest'
import { type Laboratory, openLaboratory } from './laboratory.ts'

const PEOPLE = 60
const SEARCHES = 2000

/** As many people in each variant as a test needs, of whom every third clicks; then one of b searches all day. */
async function searchAllDay(lab: Laboratory, id: string, more: { total?: number }) {
  for (let n = 0; n < PEOPLE; n += 1)
    for (const variant of ['a', 'b']) {
      const member = await lab.memberOf(id, variant)
      const queryId = lab.searchIn(member)
      if (n % 3 === 0) await lab.click(member, queryId, 'a')
    }
  const busy = await lab.memberOf(id, 'b')
  const queryIds = Array.from({ length: SEARCHES }, () => lab.searchIn(busy, more))
  await lab.log.flush()
  return { busy, queryIds }
}

it('One who searches all day and finds nothing ends no test by its guardrails', async () => {
  const lab = openLaboratory()
  const guardrails = [
    { metric: 'zeroResultRate', operator: 'gt', threshold: 0.5 },
    { metric: 'ctr', operator: 'drop', threshold: 0.2 },
  ]
  const { testId } = await lab.create('test', { guardrails })
  await searchAllDay(lab, testId, { total: 0 })
  await lab.loop.caughtUp()
  await lab.experiments.tick()
  const { status, metrics, monitoring } = await lab.get('test', testId)
  expect(metrics.b.zeroResultRate).toBeGreaterThan(0.9)
  expect(status).toBe('ACTIVE')
  expect(monitoring.guardrails.map(({ status }: { status: string }) => status)).toEqual([
    'OK',
    'OK',
  ])
})

it('One who searches all day and clicks each time decides no test', async () => {
  const lab = openLaboratory()
  const { testId } = await lab.create('test', {})
  const { busy, queryIds } = await searchAllDay(lab, testId, {})
  const feedback = queryIds.map((queryId) => ({
    ...{ queryId, rating: 1 },
    metadata: { userAction: 'click', resultId: 'a' },
  }))
  for (let from = 0; from < SEARCHES; from += 1000)
    await lab.feedback.submit({ sessionId: busy, feedback: feedback.slice(from, from + 1000) })
  const { metrics, verdict } = await lab.get('test', testId)
  expect(metrics.b).toMatchObject({ units: PEOPLE + 1, searches: PEOPLE + SEARCHES })
  expect(metrics.b.ctr).toBeGreaterThan(0.9)
  expect(verdict).toEqual({ metric: 'ctr', decision: 'UNDECIDED' })
})
