import { describe, expect, it } from 'vitest'
import { readTriggers } from '../../../src/learn/adaptations/triggers.ts'
import { readGuardrails } from '../../../src/learn/experiments/guardrail-rules.ts'
import { lessIsBetter, METRIC_NAMES } from '../../../src/learn/wire/metric-names.ts'

const inGuardrail = (metric: string) => readGuardrails([{ metric, threshold: 1 }])[0]?.metric
const inTrigger = (metric: string) =>
  readTriggers([{ metric, operator: 'gt', threshold: 1 }]).triggers[0]?.metric

describe('the name of a metric', () => {
  it.each([
    ['ctr', 'ctr', 'ctr'],
    ['mrr', 'mrr', 'mrr'],
    ['zeroResultRate', 'zeroResultRate', 'zeroResultRate'],
    ['latencyP95', 'latencyP95Ms', 'latencyP95'],
  ] as const)(
    '%s is read in each spelling, in guardrails and triggers alike',
    (name, test, change) => {
      for (const spelling of [name, name.toUpperCase(), ...METRIC_NAMES[name]])
        expect([inGuardrail(spelling), inTrigger(spelling)], spelling).toEqual([test, change])
    },
  )

  it.each(['latencyP95Ms', 'p95_latency_ms', 'P95 latency', 'latency-p95-millis', 'response_time'])(
    'is %s, too',
    (name) => {
      expect([inGuardrail(name), inTrigger(name)]).toEqual(['latencyP95Ms', 'latencyP95'])
    },
  )

  it('stays as it is where nobody measures it', () => {
    for (const name of ['constructor', 'revenue', 'p50']) expect(inGuardrail(name)).toBe(name)
    for (const name of ['constructor', 'revenue', 'conversionRate', 'averageLatency'])
      expect(inTrigger(name)).toBe(name)
  })

  it('latencyMs is the mean that tests compare; triggers, which watch no mean, take the percentile', () => {
    expect([inGuardrail('latencyMs'), inTrigger('latencyMs')]).toEqual(['latencyMs', 'latencyP95'])
  })

  it('tells of what less is better', () => {
    for (const name of ['errorRate', 'churn', 'timeTook', 'p99'])
      expect(lessIsBetter(name)).toBe(true)
    for (const name of ['ctr', 'revenue']) expect(lessIsBetter(name)).toBe(false)
  })
})
