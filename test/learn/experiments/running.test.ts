import { describe, expect, it } from 'vitest'
import { draftExperiment } from '../../../src/learn/experiments/draft.ts'
import { openPlacements } from '../../../src/learn/experiments/placements.ts'
import {
  assignmentOf,
  place,
  prepare,
  type Running,
  runningOf,
} from '../../../src/learn/experiments/running.ts'
import type { Target } from '../../../src/learn/experiments/targeting.ts'
import { ASSIGNMENT_VECTORS } from '../../../src/schema/assignment.ts'
import type { ExperimentCreate } from '../../../src/schema/experiment.ts'
import type { ExperimentRecord } from '../../../src/schema/experiment-record.ts'

const NOW_MS = 1_800_000_000_000
const anyone = (unit: string): Target => ({
  sessionId: unit,
  userId: undefined,
  clientId: undefined,
  metadata: {},
})

const seen = (unit: string) => ({ target: anyone(unit), nowMs: NOW_MS })
const shownOf = (running: Running[], unit: string) => openPlacements()(running, unit, seen(unit))

function record(sent: Partial<ExperimentCreate> = {}, id = 'x'): ExperimentRecord {
  const body = { name: id, variants: [{ id: 'a' }, { id: 'b' }], ...sent }
  return draftExperiment('test', body, id, NOW_MS)
}

describe('the place of a unit', () => {
  it('is what the published function says', () => {
    for (const { testId, unit, share, arms, inclusionBucket: _, ...told } of ASSIGNMENT_VECTORS) {
      const variants = arms.map((weight) => ({ weight }))
      const made = record({ variants, trafficAllocation: share }, testId)
      expect(place(prepare(made), unit, anyone(unit))).toMatchObject(told)
    }
  })

  it('never changes for those who are in when a step grows', () => {
    const made = record({ rolloutStrategy: { type: 'steps', steps: [10, 25, 50, 100] } })
    const before = new Map<string, number>()
    for (const step of [0, 1, 2, 3]) {
      const running = prepare({ ...made, step })
      let inside = 0
      for (let n = 0; n < 4000; n += 1) {
        const { inExperiment, arm } = place(running, `u${n}`, anyone(`u${n}`))
        if (before.has(`u${n}`)) expect([inExperiment, arm]).toEqual([true, before.get(`u${n}`)])
        if (inExperiment) before.set(`u${n}`, arm)
        inside += Number(inExperiment)
      }
      expect(Math.abs(inside / 4000 - made.rollout.steps[step]!)).toBeLessThan(0.03)
    }
  })

  it('outside the allocation or the targets is control, with the reason', () => {
    const out = assignmentOf(prepare(record({ trafficAllocation: 0 })), 'u', anyone('u'))
    expect(out).toMatchObject({ variantId: 'a', inExperiment: false, reason: 'allocation' })
    const rules = { targetingRules: { deviceType: 'mobile' } }
    const off = assignmentOf(prepare(record(rules)), 'u', anyone('u'))
    expect(off).toMatchObject({ variantId: 'a', inExperiment: false, reason: 'targeting' })
    const on = { ...anyone('u'), metadata: { deviceType: 'mobile' } }
    expect(assignmentOf(prepare(record(rules)), 'u', on).inExperiment).toBe(true)
  })
})

describe('what applies to a search', () => {
  it('is the variants of all active tests, the later created last', () => {
    const later = { ...record({}, 'a-later'), createdMs: NOW_MS + 1 }
    const paused = { ...record({}, 'paused'), status: 'PAUSED' as const }
    const running = runningOf([later, paused, record({}, 'first')], NOW_MS)
    expect(shownOf(running, 'u').map(({ testId }) => testId)).toEqual(['first', 'a-later'])
  })

  it('is both rankings of an interleaved test', () => {
    const variants = [{ id: 'a' }, { id: 'b', config: { fusion: 'rrf' } }]
    const running = runningOf([record({ variants, mode: 'interleaving' })], NOW_MS)
    expect(shownOf(running, 'u')).toEqual([
      {
        testId: 'x',
        testName: 'x',
        variantId: '@interleaved',
        tuning: {},
        against: { tuning: { fusion: 'rrf' }, variantIds: ['a', 'b'] },
      },
    ])
  })

  it('is the fallback where a guardrail ended an experiment, for those who were in it, until its end', () => {
    const made = record({ fallbackConfig: { minScore: 0.5 }, trafficAllocation: 0.5 })
    const ended = { ...made, kind: 'experiment' as const, status: 'ROLLED_BACK' as const }
    for (let n = 0; n < 100; n += 1) {
      const inside = place(prepare(made), `u${n}`, anyone(`u${n}`)).inExperiment
      const running = runningOf([ended], NOW_MS)
      const applied = shownOf(running, `u${n}`)
      expect(applied.map(({ tuning }) => tuning)).toEqual(inside ? [{ minScore: 0.5 }] : [])
      expect(openPlacements()(running, `u${n}`, { ...seen(`u${n}`), nowMs: made.endMs })).toEqual(
        [],
      )
    }
    expect(runningOf([ended], made.endMs)).toEqual([])
  })
})
