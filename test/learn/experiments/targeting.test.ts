import { describe, expect, it } from 'vitest'
import { isTarget, type Target } from '../../../src/learn/experiments/targeting.ts'
import { readTargeting } from '../../../src/learn/experiments/targeting-rules.ts'

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
    [{ metadata: { country: 'DE', age: { gte: 18 } } }, true],
    [{ metadata: { country: 'DE', age: { lt: 18 } } }, false],
    [{ metadata: { country: ['FR', 'CH'] } }, false],
    [{ metadata: { 'a.b': 1, tags: 'x' }, userId: 'u1' }, true],
    [{ session: { userId: 'u1', metadata: { country: 'DE' } } }, true],
    [{ session: { userId: 'u2', metadata: { country: 'DE' } } }, false],
    [[{ metadata: { country: 'FR' } }, { userId: 'u1' }], false],
    [{ metadata: { exists: true } }, false],
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
    ['targetingRules.metadata', { metadata: {} }],
    ['targetingRules.metadata.age.near', { metadata: { age: { near: 3 } } }],
    ['targetingRules.session.metadata.age', { session: { metadata: { age: {} } } }],
    ['targetingRules.plan.name', { plan: { name: 'pro' } }],
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
