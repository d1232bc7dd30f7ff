import { describe, expect, it } from 'vitest'
import { draftExperiment } from '../../../src/learn/experiments/draft.ts'
import {
  assignmentOf,
  place,
  prepare,
  type Running,
  runningOf,
  variantsFor,
} from '../../../src/learn/experiments/running.ts'
import { isTarget, readTargeting, type Target } from '../../../src/learn/experiments/targeting.ts'
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

const seen = (unit: string) => ({ unit, target: anyone(unit), nowMs: NOW_MS })
const shownOf = (running: Running[], unit: string) => variantsFor(running, seen(unit))

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
      expect(variantsFor(running, { ...seen(`u${n}`), nowMs: made.endMs })).toEqual([])
    }
    expect(runningOf([ended], made.endMs)).toEqual([])
  })
})

describe('targeting rules', () => {
  const target: Target = {
    sessionId: 's',
    userId: 'u1',
    clientId: 'web',
    metadata: { age: 30, country: 'DE', tags: ['x', 'y'], plan: { name: 'pro' }, 'a.b': 1 },
  }
  it.each([
    [{ country: 'DE' }, true],
    [{ country: 'FR' }, false],
    [{ country: ['FR', 'DE'] }, true],
    [{ age: { gte: 30, lt: 31 } }, true],
    [{ age: { gt: 30 } }, false],
    [{ age: { lte: '30' } }, false],
    [{ country: { not: 'FR' } }, true],
    [{ country: { not: ['DE', 'FR'] } }, false],
    [{ missing: { not: 'x' } }, true],
    [{ missing: 'x' }, false],
    [{ 'plan.name': 'pro', userId: 'u1', clientId: ['web', 'app'] }, true],
    [{ 'metadata.plan.name': 'pro' }, true],
    [{ 'a.b': 1 }, true],
    [{ tags: 'y' }, true],
    [{ tags: { not: 'y' } }, false],
    [{ plan: { exists: true } }, true],
    [{ nothing: { exists: false } }, true],
    [{ nothing: null }, true],
    [{ nothing: { not: null } }, false],
    [{ country: null }, false],
    [{ country: { not: null } }, true],
    [{ nothing: ['FR', null] }, true],
    [{ nothing: { lt: 5 } }, false],
    [[{ field: 'age', operator: '>=', value: 18 }], true],
    [[{ field: 'country', operator: 'not_in', value: ['DE'] }], false],
    [[{ field: 'country', operator: 'starts with', value: 'D' }, { country: 'DE' }], true],
    [{ rules: [{ field: 'age', operator: 'LT', value: 18 }] }, false],
    [{}, true],
    [undefined, true],
  ])('%j holds: %s', (rules, holds) => {
    expect(isTarget(readTargeting(rules), target)).toBe(holds)
  })

  it.each([
    ['targetingRules.age.near', { age: { near: 3 } }],
    ['targetingRules[1].operator', [{ plan: 'pro' }, { field: 'age', operator: '~', value: 3 }]],
    ['targetingRules.rules[0].operator', { rules: [{ field: 'age', operator: '~', value: 3 }] }],
    ['targetingRules[0].age.near', [{ age: { near: 3 } }]],
    ['targetingRules[0].value', [{ field: 'age' }]],
    ['targetingRules[0].field', [{ field: 3, value: 3 }]],
    ['targetingRules', 'all'],
    ['targetingRules', null],
    ['targetingRules[0].field', [{ field: null, key: 'age', value: 3 }]],
    ['targetingRules[0].operator', [{ field: 'age', operator: null, value: 3 }]],
    ['targetingRules[0]', [4]],
    ['targetingRules.age.eq', { age: { eq: { deep: 1 } } }],
    ['targetingRules.age', { age: [[3]] }],
    ['targetingRules.age', { age: {} }],
    ['targetingRules.age.constructor', { age: { constructor: 1 } }],
    ['targetingRules.plan.exists', { plan: { exists: 'false' } }],
    ['targetingRules.age.gte', { age: { gte: null } }],
    ['targetingRules.age.lt', { age: { lt: [30, true] } }],
    ['targetingRules[0].value', [{ field: 'country', operator: 'starts with', value: 3 }]],
  ])('what can not be read at %s is refused with this place', (path, rules) => {
    expect(() => readTargeting(rules)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path })] }),
    )
  })

  it('are a hundred at most, also where they say nothing', () => {
    const hundred = Array.from({ length: 100 }, () => ({}))
    expect(readTargeting(hundred)).toEqual([])
    expect(readTargeting({ rules: hundred })).toEqual([])
    for (const rules of [
      ...[[...hundred, {}], { conditions: [...hundred, {}] }],
      Array.from({ length: 60 }, () => ({ rules: [{}, {}] })),
    ])
      expect(() => readTargeting(rules)).toThrow('must hold at most 100 conditions')
  })
})
