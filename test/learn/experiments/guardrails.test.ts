import { describe, expect, it } from 'vitest'
import { readGuardrails } from '../../../src/learn/experiments/guardrail-rules.ts'
import { harmOf } from '../../../src/learn/experiments/metrics.ts'
import { readRollout } from '../../../src/learn/experiments/rollout.ts'
import { seeded } from '../../../src/learn/statistics/random.ts'
import { SearchTest } from '../../../src/schema/experiment.ts'
import { COUNTED_METRICS } from '../../../src/schema/experiment-metrics.ts'
import { countTurns } from '../../count-turns.ts'
import { runOn } from '../learner.ts'
import { normal } from '../statistics/normal.ts'
import { type Answered, type Laboratory, openLaboratory } from './laboratory.ts'

const HOUR_MS = 3_600_000
const immediate = { rolloutStrategy: { type: 'immediate' } }

describe('guardrails', () => {
  it.each([
    ['a rise of a good one', [{ metric: 'ctr', operator: '>', threshold: 0.1 }], 'decrease', false],
    ['latency', { p95_latency: 500 }, 'increase', false],
    ['errors', { errorRate: 0.05 }, 'increase', false],
    [
      'errors with a sign',
      [{ metric: 'error_rate', operator: '<', threshold: 1 }],
      'increase',
      false,
    ],
    ['an unknown one', { revenue: 5 }, 'increase', false],
    ['a least value', [{ metric: 'revenue', min: 5 }], 'decrease', false],
    [
      'an unknown one with a word',
      [{ name: 'revenue', operator: 'LT', threshold: 5 }],
      'decrease',
      false,
    ],
    [
      'a direction',
      [{ metric: 'nps', direction: 'higher_is_better', threshold: 5 }],
      'decrease',
      false,
    ],
    ['a share of control', [{ metric: 'ctr', threshold: -0.05, relative: true }], 'decrease', true],
    ['a share in capitals', [{ metric: 'ctr', threshold: 1, type: 'RELATIVE' }], 'decrease', true],
  ])('read %s', (_, sent, harm, relative) => {
    expect(readGuardrails(sent)).toMatchObject([{ harm, relative }])
  })

  it.each([
    ['a word', 'strict', 'guardrails'],
    ['an unknown operator', [{ metric: 'ctr', operator: '~', threshold: 1 }], 'operator'],
    ['a threshold in words', { ctr: 'low' }, 'threshold'],
    ['no metric', [{ threshold: 1 }], 'metric'],
    ['null', null, 'guardrails must'],
    ['null as a metric', [{ metric: null, name: 'ctr', threshold: 1 }], '\\[0\\].metric'],
    ['null as an operator', [{ metric: 'ctr', operator: null, threshold: 1 }], 'operator'],
    ['null as a least value', [{ metric: 'ctr', min: null, max: 1 }], '\\[0\\].min'],
    ['null as a share', [{ metric: 'ctr', relative: null, threshold: 1 }], 'relative'],
    ['null as a degradation', [{ metric: 'ctr', maxDegradation: null, value: 1 }], 'threshold'],
    [
      'a negative number of samples',
      [{ metric: 'ctr', threshold: 1, minSamples: -1 }],
      'minSamples',
    ],
  ])('refuse %s', (_, sent, path) => {
    expect(() => readGuardrails(sent)).toThrow(new RegExp(path))
  })

  it.each([
    ['ctr', 0.8, 'decrease', 0.2],
    ['ctr', 1, 'decrease', 0],
    ['latency', 2, 'increase', 1],
    ['revenue', 0.75, 'decrease', 0.25],
    ['revenue', 1.5, 'increase', 0.5],
  ])('take %s times %d for a share of control', (metric, threshold, harm, share) => {
    const [rule] = readGuardrails([{ metric, operator: 'times', threshold }])
    expect(rule).toMatchObject({ harm, relative: true, threshold: expect.closeTo(share, 12) })
  })

  it.each([
    ['ctr', 2],
    ['mrr', 0],
    ['revenue', -1],
    ['latency', 0.8],
    ['errorRate', 0.5],
  ])('refuse %s times %d, which would be no harm, or never be', (metric, threshold) => {
    expect(() => readGuardrails([{ metric, operator: 'times', threshold }])).toThrow(
      expect.objectContaining({
        ...{ code: 'VALIDATION_FAILED' },
        details: [expect.objectContaining({ path: 'guardrails[0].threshold' })],
      }),
    )
  })

  it('hold a least and a greatest value both', () => {
    const rules = [
      { metric: 'revenue', harm: 'decrease', threshold: 5 },
      { metric: 'revenue', harm: 'increase', threshold: 90 },
    ]
    expect(readGuardrails({ revenue: { min: 5, max: 90 } })).toMatchObject(rules)
    expect(readGuardrails([{ metric: 'revenue', min: 5, max: 90 }])).toMatchObject(rules)
  })

  it('read a least or a greatest value by the name in a map, not in a list', () => {
    expect(
      readGuardrails({ maxErrorRate: 0.05, min_revenue: 5, maximumLatency: 300 }),
    ).toMatchObject([
      { metric: 'errorRate', harm: 'increase', threshold: 0.05 },
      { metric: 'revenue', harm: 'decrease', threshold: 5 },
      { metric: 'latencyP95Ms', harm: 'increase', threshold: 300 },
    ])
    expect(readGuardrails([{ metric: 'maxPrice', threshold: 5 }])).toMatchObject([
      { metric: 'maxPrice', threshold: 5 },
    ])
    expect(readGuardrails({ minutes: 5, maxim: 7, maxDepth: { min: 2 } })).toMatchObject([
      { metric: 'minutes' },
      { metric: 'maxim' },
      { metric: 'maxDepth', harm: 'decrease', threshold: 2 },
    ])
  })

  it.each([
    [{ ctr: 10 }, '.ctr.threshold: ctr is 1 at most, so that this always fires'],
    [
      { maxZeroResultRate: 50 },
      '.maxZeroResultRate.max: zeroResultRate is 1 at most, so that this never',
    ],
    [
      [{ metric: 'rating', threshold: 3 }],
      '[0].threshold: rating is 1 at most, so that this always',
    ],
    [
      [{ metric: 'conversionRate', threshold: 20, relative: true }],
      '[0].threshold: conversionRate falls by 1 at most, which is all of it, so that this never',
    ],
  ])('tell of %j, in percent or stars, that it ends all tests, or none', (sent, told) => {
    const warnings: string[] = []
    readGuardrails(sent, warnings)
    expect(warnings).toEqual([expect.stringContaining(`guardrails${told}`)])
  })

  it.each([
    { ctr: 1, latencyP95: 300, conversionRate: 0.2 },
    [
      { metric: 'latencyP95', threshold: 2, relative: true },
      { metric: 'zeroResultRate', threshold: 3, operator: 'times' },
      { metric: 'profit', operator: 'lt', threshold: 9, relative: true },
      { metric: 'errors', threshold: 20 },
    ],
  ])('tell nothing of %j, which may come', (sent) => {
    const warnings: string[] = []
    readGuardrails(sent, warnings)
    expect(warnings).toEqual([])
  })

  it('tells of one that does not say on which side harm lies', () => {
    const warnings: string[] = []
    readGuardrails(
      [
        { metric: 'ctr', threshold: 0.1 },
        { metric: 'revenue', max: 5 },
      ],
      warnings,
    )
    expect(warnings).toEqual([])
    readGuardrails({ revenue: 100 }, warnings)
    expect(warnings).toEqual([
      'guardrails.revenue: nothing says on which side of its threshold revenue does harm; a rise is taken to. Send an operator.',
    ])
  })

  it('are described with every metric that is counted, on the side where it is breached', () => {
    const { guardrails } = SearchTest.properties
    const { description = '' } = guardrails as { description?: string }
    const [, below = '', above = ''] =
      /below it: ([^;]*); above it: ([^;]*)/.exec(description) ?? []
    for (const name of Object.keys(COUNTED_METRICS))
      expect(harmOf(name) === 'increase' ? above : below).toContain(name)
  })

  it('roll an experiment back at the first reported value beyond a limit, and put the fallback in force', async () => {
    const lab = openLaboratory()
    const { experimentId, status } = await lab.create('experiment', {
      ...immediate,
      variants: [{ id: 'a' }, { id: 'b', config: { minScore: 0.1 } }],
      guardrails: { errorRate: 0.05 },
      fallbackConfig: { minScore: 0.7 },
    })
    expect(status).toBe('ACTIVE')
    const member = await lab.memberOf(experimentId, 'b')
    const report = (errorRate: number, variantId?: string) =>
      lab.experiments.record({
        experimentId,
        ...(variantId === undefined ? { sessionId: member } : { variantId }),
        metrics: { errorRate },
      })
    expect(await report(0.05)).toMatchObject({ status: 'ACTIVE', variantId: 'b', recorded: 1 })
    // Control is what it is: its figures end nothing.
    expect(await report(0.9, 'a')).toMatchObject({ status: 'ACTIVE', variantId: 'a' })
    expect(await report(0.09)).toMatchObject({ status: 'ROLLED_BACK' })
    await expect(report(0.01)).rejects.toMatchObject({ code: 'NOT_ACTIVE' })
    const session = lab.sessions.peek(member)!
    expect(lab.experiments.variants(session.userId!, session)).toEqual([
      {
        testId: experimentId,
        testName: expect.any(String),
        variantId: '@fallback',
        tuning: { minScore: 0.7 },
      },
    ])
    // What the fallback shows counts for no variant.
    lab.searchIn(member)
    const { metrics, reason } = await lab.get('experiment', experimentId)
    expect(metrics.b.searches).toBe(0)
    expect(reason.figures).toMatchObject({ metric: 'errorRate', threshold: 0.05, observed: 0.07 })
    expect(lab.events().at(-1)).toMatchObject({
      type: 'EXPERIMENT_ROLLED_BACK',
      priority: 'HIGH',
      data: { experimentId, observed: 0.07 },
    })
  })

  it('let a reported value lie on its limit, however its sum is rounded', async () => {
    const lab = openLaboratory()
    const { experimentId } = await lab.create('experiment', {
      ...immediate,
      guardrails: { errorRate: 0.1 },
    })
    for (let at = 0; at < 20; at += 1)
      expect(
        await lab.experiments.record({
          ...{ experimentId, variantId: 'b', metrics: { errorRate: 0.1 } },
        }),
      ).toMatchObject({ status: 'ACTIVE' })
  })

  it('wait for the samples that they ask for', async () => {
    const lab = openLaboratory()
    const guardrails = [{ metric: 'crashes', threshold: 0.5, minSamples: 3 }]
    const { experimentId } = await lab.create('experiment', { ...immediate, guardrails })
    const seen = []
    for (const unit of ['x', 'y', 'z']) {
      const sent = { experimentId, variantId: 'b', unit, metrics: { crashes: 1 } }
      seen.push(((await lab.experiments.record(sent)) as { status: string }).status)
    }
    expect(seen).toEqual(['ACTIVE', 'ACTIVE', 'ROLLED_BACK'])
  })

  it('wait for the samples of control, too, where they are held against it', async () => {
    const lab = openLaboratory()
    const guardrails = [
      { metric: 'zeroResultRate', threshold: 0.5, relative: true, minSamples: 100 },
    ]
    const { testId } = await lab.create('test', { guardrails })
    const step = async (arm: string, searches: number) => {
      for (let n = 0; n < searches; n += 1)
        lab.searchIn(await lab.memberOf(testId, arm), { total: arm === 'b' ? 0 : n % 20 })
      await lab.loop.caughtUp()
      await lab.experiments.tick()
      return (await lab.get('test', testId)).monitoring.guardrails[0].status
    }
    expect(await step('b', 150)).toBe('INSUFFICIENT_DATA')
    expect(await step('a', 99)).toBe('INSUFFICIENT_DATA')
    expect(await step('a', 1)).toBe('BREACHED')
  })

  it.each([
    ['zeroResultRate', 0.5, { total: 0 }],
    ['latencyP95', 100, { tookMs: 900 }],
  ])(
    'watch the %s that the service counts itself: one session ends nothing, many stop a test',
    async (metric, limit, harmed) => {
      const lab = openLaboratory()
      const { testId } = await lab.create('test', { guardrails: { [metric]: limit } })
      const step = async (units: number, searches: number) => {
        for (let n = 0; n < units; n += 1) {
          const member = await lab.memberOf(testId, 'b')
          for (let each = 0; each < searches; each += 1) lab.searchIn(member, harmed)
        }
        await lab.loop.caughtUp()
        await lab.experiments.tick()
        const { status, monitoring } = await lab.get('test', testId)
        return [status, monitoring.guardrails[0].status]
      }
      expect(await step(1, 300)).toEqual(['ACTIVE', 'INSUFFICIENT_DATA'])
      expect(await step(48, 1)).toEqual(['ACTIVE', 'INSUFFICIENT_DATA'])
      expect(await step(1, 1)).toEqual(['STOPPED', 'BREACHED'])
      expect(lab.events().at(-1)).toMatchObject({ type: 'TEST_STOPPED', priority: 'HIGH' })
    },
  )

  it('on the latency relative to control leave a healthy test alone, and end one that is twice as slow', async () => {
    const seen = []
    for (const slower of [1, 2]) {
      const lab = openLaboratory()
      const guardrails = [{ metric: 'latencyP95', threshold: 0.2, relative: true }]
      const { testId } = await lab.create('test', { guardrails })
      const random = seeded(8)
      for (let n = 0; n < 600; n += 1) {
        const arm = n % 2 === 0 ? 'a' : 'b'
        const tookMs = 8 * Math.exp(0.7 * normal(random)) * (arm === 'b' ? slower : 1)
        lab.searchIn(await lab.memberOf(testId, arm), { tookMs })
        if (n % 20 > 0) continue
        await lab.loop.caughtUp()
        await lab.experiments.tick()
        if ((await lab.get('test', testId)).status !== 'ACTIVE') break
      }
      const { status, monitoring, reason } = await lab.get('test', testId)
      const [{ pValue, observed, control }] = monitoring.guardrails
      seen.push({ status, isSure: pValue < 0.05, ratio: observed / control, reason })
    }
    const ratio = expect.any(Number)
    const text = 'Variant b crossed the guardrail on latencyP95Ms.'
    expect(seen).toEqual([
      { status: 'ACTIVE', isSure: false, ratio, reason: undefined },
      { status: 'STOPPED', isSure: true, ratio, reason: expect.objectContaining({ text }) },
    ])
    expect(seen[1]!.ratio).toBeGreaterThan(1.5)
  })

  it('relative to control need certainty: a small loss of few units ends nothing, a great one of many does', async () => {
    const lab = openLaboratory()
    const guardrails = [{ metric: 'ctr', threshold: 0.05, relative: true }]
    const { experimentId } = await lab.create('experiment', { ...immediate, guardrails })
    const grow = async (units: number) => {
      for (let n = 0; n < units; n += 1)
        for (const arm of ['a', 'b']) {
          const member = await lab.memberOf(experimentId, arm)
          const query = lab.searchIn(member)
          if (arm === 'a' || n % 4 === 0) await lab.click(member, query, 'a')
        }
      await lab.loop.caughtUp()
      await lab.experiments.tick()
      return lab.get('experiment', experimentId)
    }
    const few = await grow(10)
    expect(few.status).toBe('ACTIVE')
    expect(few.monitoring.guardrails[0].status).toBe('INSUFFICIENT_DATA')
    const many = await grow(60)
    expect(many.status).toBe('ROLLED_BACK')
    expect(many.monitoring.guardrails[0].pValue).toBeLessThan(0.05)
  })
})

describe('a rollout', () => {
  it.each([
    [undefined, [0.1, 0.25, 0.5, 1], HOUR_MS, 100],
    [{ type: 'steps', steps: [5, 100], interval: '30m', minSamples: 7 }, [0.05, 1], HOUR_MS / 2, 7],
    [{ type: 'STEPS', steps: [{ percentage: 20 }, { percentage: 100 }] }, [0.2, 1], HOUR_MS, 100],
    [{ type: 'linear', steps: 4, interval: 1000 }, [0.25, 0.5, 0.75, 1], 1000, 100],
    [{ type: 'immediate' }, [1], 0, 0],
    [{ steps: [0.5, 1], interval: '2d' }, [0.5, 1], 48 * HOUR_MS, 100],
  ])('%j is read', (sent, steps, intervalMs, minSamples) => {
    expect(readRollout(sent)).toMatchObject({ steps, intervalMs, minSamples })
  })

  it.each([
    [{ type: 'sideways' }],
    [{ steps: [50, 10] }],
    [{ steps: [0, 100] }],
    [{ steps: [50, 101] }],
    [{ steps: [] }],
    [{ interval: 'soon' }],
    [{ interval: '60' }],
    [{ interval: -1 }],
    [{ minSamples: 0.5 }],
    [{ type: null }],
    [{ type: 'linear', steps: null }],
    [{ interval: null }],
    [{ minSamples: null }],
  ])('%j is refused', (sent) => {
    expect(() => readRollout(sent)).toThrow(/^rolloutStrategy\./)
  })

  it.each([
    [['50', 100], 'steps[0] must be a number'],
    [[10, null], 'steps[1] must be a number'],
    [[{ percentage: '50' }, 100], 'steps[0].percentage must be a number'],
    [[{ percentage: null, percent: 50 }], 'steps[0].percentage must be a number'],
    [[{ until: 50 }, 100], 'steps[0].share is required'],
  ])('the steps %j are refused where they are wrong', (steps, problem) => {
    expect(() => readRollout({ steps })).toThrow(`rolloutStrategy.${problem}`)
  })

  const steps = { type: 'steps', steps: [50, 100], interval: '1h', minSamples: 3 }
  const start = async (lab: Laboratory, more: object = {}) =>
    (await lab.create('experiment', { rolloutStrategy: steps, ...more })).experimentId as string
  const turn = async (lab: Laboratory, laterMs: number) => {
    await lab.loop.caughtUp()
    lab.clock.nowMs += laterMs
    await lab.experiments.tick()
  }
  const usersOf = async (lab: Laboratory, id: string, arms: string[]) => {
    const users: string[] = []
    for (const arm of arms) users.push(lab.sessions.peek(await lab.memberOf(id, arm))!.userId!)
    return users
  }
  // In new sessions: those of an hour ago are over.
  const searchAs = async (lab: Laboratory, users: string[]) => {
    for (const user of users) lab.searchIn(await lab.session(user))
  }
  const dates = ({ startDate, endDate }: Answered) => ({ startDate, endDate })
  const percent = async (lab: Laboratory, id: string) =>
    (await lab.get('experiment', id)).monitoring.step.percent

  it('tells its share of all units, of which only a part may be in it', async () => {
    const lab = openLaboratory()
    const id = await start(lab, { trafficAllocation: 0.5 })
    expect(await percent(lab, id)).toBe(25)
  })

  it('goes on when the time has passed and enough units were seen at the step', async () => {
    const lab = openLaboratory()
    const id = await start(lab)
    await turn(lab, HOUR_MS)
    expect(await percent(lab, id)).toBe(50)
    const member = await lab.memberOf(id, 'a')
    for (let n = 0; n < 5; n += 1) lab.searchIn(member)
    await turn(lab, HOUR_MS)
    // One unit, however often it searches.
    expect(await percent(lab, id)).toBe(50)
    lab.searchIn(await lab.memberOf(id, 'b'))
    lab.searchIn(await lab.memberOf(id, 'b'))
    await turn(lab, 0)
    expect(await percent(lab, id)).toBe(100)
    expect(lab.events().at(-1)).toMatchObject({
      type: 'EXPERIMENT_STEP',
      data: { step: 2, share: 1 },
    })
  })

  it('goes on in its time where it began while the clock was years ahead', async () => {
    const lab = openLaboratory()
    const YEARS_MS = 10 * 365 * 24 * HOUR_MS
    lab.clock.nowMs += YEARS_MS
    const id = await start(lab)
    lab.clock.nowMs -= YEARS_MS
    await turn(lab, 0)
    runOn(HOUR_MS)
    await turn(lab, 0)
    const { startDate, endDate } = await lab.get('experiment', id)
    expect(Date.parse(startDate)).toBe(lab.clock.nowMs)
    expect(Date.parse(endDate)).toBe(lab.clock.nowMs + 30 * 24 * HOUR_MS)
    await searchAs(lab, await usersOf(lab, id, ['a', 'b', 'a']))
    await turn(lab, HOUR_MS - 1)
    expect(await percent(lab, id)).toBe(50)
    await turn(lab, 1)
    expect(await percent(lab, id)).toBe(100)
    expect(lab.events().map(({ type }) => type)).toEqual([
      'EXPERIMENT_CREATED',
      'EXPERIMENT_STARTED',
      'EXPERIMENT_STEP',
    ])
  })

  it('is not over where the clock was set back for a while by mistake', async () => {
    const lab = openLaboratory()
    const id = await start(lab)
    const before = await lab.get('experiment', id)
    for (const laterMs of [0, -400 * 24 * HOUR_MS, HOUR_MS / 2, 400 * 24 * HOUR_MS]) {
      await turn(lab, laterMs)
      runOn(HOUR_MS / 3)
    }
    const { startDate, endDate, status } = await lab.get('experiment', id)
    expect({ startDate, endDate, status }).toEqual({ ...dates(before), status: 'ACTIVE' })
  })

  it('counts anew at each step who was seen there', async () => {
    const lab = openLaboratory()
    const id = await start(lab, { rolloutStrategy: { ...steps, steps: [20, 50, 100] } })
    const users = await usersOf(lab, id, ['a', 'b', 'a'])
    await searchAs(lab, users)
    await turn(lab, HOUR_MS)
    expect(await percent(lab, id)).toBe(50)
    await turn(lab, HOUR_MS)
    expect(await percent(lab, id)).toBe(50)
    await searchAs(lab, users.slice(1))
    await turn(lab, HOUR_MS)
    expect(await percent(lab, id)).toBe(50)
    await searchAs(lab, users)
    await turn(lab, 0)
    expect(await percent(lab, id)).toBe(100)
  })

  it('stays at its last step, however many come', async () => {
    const lab = openLaboratory()
    const id = await start(lab)
    const users = await usersOf(lab, id, ['a', 'b', 'a', 'b'])
    for (let round = 0; round < 3; round += 1) {
      await searchAs(lab, users)
      await turn(lab, HOUR_MS)
    }
    const { status, monitoring } = await lab.get('experiment', id)
    expect(status).toBe('ACTIVE')
    expect(monitoring.step).toMatchObject({ current: 2, of: 2, percent: 100 })
    expect(lab.events().filter(({ type }) => type === 'EXPERIMENT_STEP')).toHaveLength(1)
  })

  it('waits for its time', async () => {
    const lab = openLaboratory()
    const id = await start(lab)
    for (const arm of ['a', 'b', 'a']) lab.searchIn(await lab.memberOf(id, arm))
    await turn(lab, HOUR_MS - 1)
    expect(await percent(lab, id)).toBe(50)
    const { monitoring } = await lab.get('experiment', id)
    expect(Date.parse(monitoring.nextCheckAt)).toBe(lab.clock.nowMs + 1000)
    await turn(lab, 1)
    expect(await percent(lab, id)).toBe(100)
  })

  it('stands still while the sample ratio is unhealthy or it is paused', async () => {
    const lab = openLaboratory()
    const id = await start(lab)
    for (let n = 0; n < 40; n += 1) lab.searchIn(await lab.memberOf(id, 'b'))
    await turn(lab, HOUR_MS)
    expect((await lab.get('experiment', id)).monitoring.srm.status).toBe('UNHEALTHY')
    expect(await percent(lab, id)).toBe(50)
    const other = await start(lab)
    for (const arm of ['a', 'b', 'a']) lab.searchIn(await lab.memberOf(other, arm))
    await lab.loop.caughtUp()
    await lab.experiments.steer('experiment', other, 'deactivate')
    await turn(lab, HOUR_MS)
    expect(await percent(lab, other)).toBe(50)
  })
})

it('very many guardrails are refused before they are read one by one', () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`m${n}`, 'no number']))
  for (const sent of [many, Object.values(many)])
    expect(() => readGuardrails(sent)).toThrow('guardrails must be at most 100.')
})

it('many on many variants are judged without that others wait until all experiments are', async () => {
  const lab = openLaboratory()
  const named = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `v${n}` }))
  const guardrails = Array.from({ length: 100 }, (_, n) => ({ metric: 'latencyP95', threshold: n }))
  for (let n = 0; n < 10; n += 1)
    await lab.create('experiment', { type: 't', variants: named(100), guardrails })
  const { turns } = await countTurns(() => lab.experiments.tick())
  expect(turns).toBeGreaterThan(4)
})
