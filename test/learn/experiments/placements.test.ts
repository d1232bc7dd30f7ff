import { expect, it } from 'vitest'
import { draftExperiment } from '../../../src/learn/experiments/draft.ts'
import { openPlacements } from '../../../src/learn/experiments/placements.ts'
import { applyingOf, placedIn, runningOf } from '../../../src/learn/experiments/running.ts'
import type { ExperimentCreate } from '../../../src/schema/experiment.ts'
import { processorMs } from '../../processor-time.ts'

const NOW_MS = 1_800_000_000_000

function runningTests(count: number, sent: Partial<ExperimentCreate> = {}) {
  const variants = [{ id: 'a' }, { id: 'b' }]
  const records = Array.from({ length: count }, (_, at) => {
    const body = { name: `t${at}`, variants, trafficAllocation: 0.5, ...sent }
    return draftExperiment('test', body, `t${at}`, NOW_MS)
  })
  return runningOf(records, NOW_MS)
}

function seenBy(unit: string, platform = 'web', nowMs = NOW_MS) {
  const target = { sessionId: unit, userId: undefined, clientId: undefined, metadata: { platform } }
  return { target, nowMs }
}

const units = Array.from({ length: 30 }, (_, at) => `u${at}`)

it('what applies is the same when it is asked again, and when other tests run', () => {
  const variantsFor = openPlacements()
  for (const running of [runningTests(40), runningTests(50), runningTests(3)])
    for (let time = 0; time < 2; time += 1)
      for (const unit of units) {
        const asked = applyingOf(placedIn(running, unit), seenBy(unit))
        expect(variantsFor(running, unit, seenBy(unit))).toEqual(asked)
      }
})

it('rules and ends are asked anew for each search of a unit', () => {
  const variantsFor = openPlacements()
  const running = runningTests(40, { targetingRules: { platform: 'web' } })
  const [test] = running
  const found = [
    variantsFor(running, 'u', seenBy('u', 'web')),
    variantsFor(running, 'u', seenBy('u', 'ios')),
    variantsFor(running, 'u', seenBy('u', 'web')),
    variantsFor(running, 'u', seenBy('u', 'web', test?.record.endMs)),
  ].map(({ length }) => length)
  expect(found[0]).toBeGreaterThan(0)
  expect(found).toEqual([found[0], 0, found[0], 0])
})

it('of many units in many tests the first are found out again', () => {
  const variantsFor = openPlacements()
  const running = runningTests(1000, { trafficAllocation: 1 })
  const many = Array.from({ length: 500 }, (_, at) => `u${at}`)
  for (let time = 0; time < 2; time += 1)
    for (const unit of many) expect(variantsFor(running, unit, seenBy(unit))).toHaveLength(1000)
})

it('a unit that searches again is not asked of a thousand tests', () => {
  const variantsFor = openPlacements()
  const running = runningTests(1000)
  const ask = () => {
    for (const unit of units) variantsFor(running, unit, seenBy(unit))
  }
  ask()
  const anew = processorMs(() => units.forEach((unit) => void placedIn(running, unit)))
  expect(processorMs(ask)).toBeLessThan(anew / 3)
})
