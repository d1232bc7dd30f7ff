import { describe, expect, it } from 'vitest'
import {
  checkThresholds,
  readThresholds,
  readValidation,
} from '../../../src/learn/adaptations/thresholds.ts'

describe('acceptance thresholds', () => {
  it('are least values, or greatest ones where less is better', () => {
    expect(readThresholds({ ndcg: 0.7, latencyP95: 50 })).toEqual([
      { metric: 'ndcg', operator: 'gte', threshold: 0.7 },
      { metric: 'latencyP95', operator: 'lte', threshold: 50 },
    ])
  })

  it('come as objects and as a list, too', () => {
    const list = [{ metric: 'ndcg', operator: '>', threshold: 0.7 }]
    expect(readThresholds(list)).toEqual(readThresholds({ ndcg: { operator: 'gt', value: 0.7 } }))
    expect(readThresholds([{ name: 'ndcg', operator: '>', threshold: 0.7 }])).toEqual(
      readThresholds(list),
    )
    expect(readThresholds({ ctr: { min: 0.1, max: 0.9 } })).toEqual([
      { metric: 'ctr', operator: 'gte', threshold: 0.1 },
      { metric: 'ctr', operator: 'lte', threshold: 0.9 },
    ])
  })

  it.each([
    [{ ndcg: 'high' }, 'acceptanceThresholds.ndcg'],
    [{ ndcg: {} }, 'acceptanceThresholds.ndcg'],
    [{ ndcg: { min: 'x' } }, 'acceptanceThresholds.ndcg.min'],
    [{ ndcg: { min: null } }, 'acceptanceThresholds.ndcg.min'],
    [{ ndcg: { operator: null, value: 1 } }, 'acceptanceThresholds.ndcg.operator'],
    [{ ndcg: { threshold: null, value: 1 } }, 'acceptanceThresholds.ndcg.threshold'],
    [{ ndcg: { operator: 'near', value: 1 } }, 'acceptanceThresholds.ndcg.operator'],
    [{ ndcg: { operator: 'toString', value: 1 } }, 'acceptanceThresholds.ndcg.operator'],
    [[{ threshold: 1 }], 'acceptanceThresholds[0].metric'],
    [[{ metric: 7, threshold: 1 }], 'acceptanceThresholds[0].metric'],
    [[{ metric: '', threshold: 1 }], 'acceptanceThresholds[0].metric'],
    [{ ['m'.repeat(129)]: 1 }, `acceptanceThresholds.${'m'.repeat(64)}`],
  ])('refuse %j and name the place', (sent, path) => {
    expect(() => readThresholds(sent)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path })] }),
    )
  })

  it('say what is not read of them, and what it is called', () => {
    const warnings: string[] = []
    readThresholds({ ndcg: { op: '<', threshold: 1 } }, warnings)
    readThresholds([{ metric: 'ndcg', value: 1, limit: 2 }], warnings)
    expect(warnings).toEqual([
      'acceptanceThresholds.ndcg: "op" is not a field of a threshold and was ignored; "operator" is.',
      'acceptanceThresholds[0]: "limit" is not a field of a threshold and was ignored; "threshold" is.',
    ])
  })

  it('of a name that begins with min or max are held against the figure of the rest', () => {
    const passed = (sent: object, figures: Record<string, number>) =>
      checkThresholds(readThresholds(sent), figures, { ctrChange: 0.1 }).map(
        (check) => check.passed,
      )
    const limits = { minAccuracy: 0.8, max_latency: 200 }
    expect(passed(limits, { accuracy: 0.7, latency: 100 })).toEqual([false, true])
    expect(passed(limits, { accuracy: 0.8, latency: 201 })).toEqual([true, false])
    expect(passed({ minCtrChange: 0.2, maximumCtrChange: 0.2 }, {})).toEqual([false, true])
    expect(passed({ minAccuracy: 0.8 }, { minAccuracy: 0.9, accuracy: 0.7 })).toEqual([true])
    expect(passed({ maxDrawdown: 0.2 }, { maxDrawdown: 0.3 })).toEqual([false])
    expect(passed({ minutes: 5 }, { utes: 6 })).toEqual([undefined])
    expect(passed({ maxWait: { operator: '>', value: 5 } }, { wait: 6 })).toEqual([true])
  })

  it('are not judged by what every object has', () => {
    const [check] = checkThresholds(readThresholds({ constructor: 1 }), {}, {})
    expect(check).toMatchObject({ metric: 'constructor', value: undefined, passed: undefined })
  })

  it('refuse a figure that is no number, and take none for unknown', () => {
    const thresholds = readThresholds({ ndcg: 0.7 })
    for (const ndcg of ['0.6', true, { value: 0.6 }])
      expect(() => checkThresholds(thresholds, { ndcg }, {})).toThrow(
        expect.objectContaining({
          details: [expect.objectContaining({ path: 'validationMetrics.ndcg' })],
        }),
      )
    const [check] = checkThresholds(thresholds, { ndcg: null, notes: 'of May' }, { ndcg: 0.9 })
    expect(check).toMatchObject({ from: 'replay', passed: true })
  })

  it('are held against figures of a map or of a list; a name alone has none', () => {
    expect(readValidation(undefined)).toEqual({})
    expect(readValidation({ ndcg: 0.6 })).toEqual({ ndcg: 0.6 })
    const list = ['recall', { metric: 'ndcg', value: 0.6 }, { name: 'ctr', value: 0.1 }]
    expect(readValidation(list)).toEqual({ ndcg: 0.6, ctr: 0.1 })
    expect(() => readValidation([{ value: 1 }])).toThrow(
      expect.objectContaining({
        details: [expect.objectContaining({ path: 'validationMetrics[0].metric' })],
      }),
    )
  })

  it('are held against what was sent, else what was estimated, else nothing', () => {
    const thresholds = readThresholds({ ndcg: 0.7, ctrChange: 0, recall: 0.5 })
    const checks = checkThresholds(thresholds, { ndcg: 0.6 }, { ctrChange: 0.1, ndcg: 0.9 })
    expect(checks.map(({ from, passed }) => [from, passed])).toEqual([
      ['sent', false],
      ['replay', true],
      [undefined, undefined],
    ])
  })
})
