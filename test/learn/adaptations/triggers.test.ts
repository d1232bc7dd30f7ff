import { describe, expect, it } from 'vitest'
import { WATCHED_METRICS } from '../../../src/learn/adaptations/figures.ts'
import { DEFAULT_TRIGGERS, readTriggers } from '../../../src/learn/adaptations/triggers.ts'
import { Adaptation } from '../../../src/schema/adaptation.ts'

const own = (sent: unknown) =>
  readTriggers(sent).triggers.filter(({ byDefault }) => byDefault !== true)

describe('rollback triggers', () => {
  it('are watched though nobody asks: clicks, empty results, time', () => {
    expect(readTriggers(undefined).triggers).toEqual(DEFAULT_TRIGGERS)
    expect(readTriggers([]).triggers.map(({ metric }) => metric)).toEqual([
      'ctr',
      'zeroResultRate',
      'latencyP95',
    ])
  })

  it('are described with every metric that is measured', () => {
    const { description = '' } = Adaptation.properties.rollbackTriggers as { description?: string }
    const [, measured = ''] = /Measured: ([^.]*)\./.exec(description) ?? []
    expect(measured.match(/\b[a-z]\w{2,}/g)).toEqual(Object.keys(WATCHED_METRICS))
  })

  it('take the place of the default for the same metric', () => {
    const { triggers } = readTriggers({ clickThroughRate: 0.1 })
    expect(triggers.filter(({ metric }) => metric === 'ctr')).toEqual([
      { metric: 'ctr', operator: 'lt', threshold: 0.1, windowMs: 3_600_000, minSamples: 20 },
    ])
    expect(triggers).toHaveLength(3)
  })

  it('read a map by what is better of each metric', () => {
    expect(
      own({
        mrr: 0.2,
        zero_result_rate: 0.3,
        ctrDrop: 0.1,
        latency_p95_ms: 80,
        zeroResultRateIncrease: 0.05,
      }),
    ).toMatchObject([
      { metric: 'mrr', operator: 'lt' },
      { metric: 'zeroResultRate', operator: 'gt' },
      { metric: 'ctr', operator: 'drop' },
      { metric: 'latencyP95', operator: 'gt' },
      { metric: 'zeroResultRate', operator: 'rise' },
    ])
  })

  it('read a least or a greatest value by the name in a map, as they are in a list', () => {
    expect(own({ maxLatencyP95: 300, min_ctr: 0.05 })).toMatchObject([
      { metric: 'latencyP95', operator: 'gt', threshold: 300 },
      { metric: 'ctr', operator: 'lt', threshold: 0.05 },
    ])
    expect(own([{ metric: 'maximumLatency', threshold: 300 }])).toMatchObject([
      { metric: 'latencyP95', operator: 'gt' },
    ])
    expect(own({ maxRevenue: 3 })).toMatchObject([{ metric: 'maxRevenue' }])
  })

  it.each([
    ['<', 'lt'],
    ['>=', 'gte'],
    ['GT', 'gt'],
    ['decreases_by', 'drop'],
    ['greaterThan', 'gt'],
    ['less than or equal', 'lte'],
    ['Increase', 'rise'],
    ['times', 'times'],
  ])('know the operator %s', (operator, read) => {
    expect(own([{ metric: 'ctr', operator, threshold: 1 }])[0]?.operator).toBe(read)
  })

  it.each([
    [5000, 5000],
    ['15m', 900_000],
    ['2 h', 7_200_000],
    ['90d', 86_400_000],
  ])('read the window %s', (window, ms) => {
    expect(own([{ metric: 'ctr', operator: 'lt', threshold: 1, window }])[0]?.windowMs).toBe(ms)
  })

  it('say which window is longer than they look back', () => {
    const windows = ['24h', '7d', 86_400_001]
    const { warnings } = readTriggers(
      windows.map((window) => ({ metric: 'ctr', threshold: 1, window })),
    )
    expect(warnings).toEqual(
      [1, 2].map(
        (at) =>
          `rollbackTriggers[${at}].window: a trigger looks back a day, "24h", at most; so does this one.`,
      ),
    )
  })

  it('say that a small number of a window is milliseconds', () => {
    const { warnings } = readTriggers([{ metric: 'ctr', threshold: 1, window: 60 }])
    expect(warnings).toEqual([expect.stringMatching(/^rollbackTriggers\[0\].window: .*"15m"/)])
  })

  it('judge from so many searches as they say, or from twenty', () => {
    const samples = (minSamples?: number) =>
      own([{ metric: 'ctr', threshold: 1, ...(minSamples !== undefined && { minSamples }) }])[0]
        ?.minSamples
    expect([samples(50), samples(1), samples()]).toEqual([50, 1, 20])
    expect(samples(0), 'there is no figure of no search').toBe(1)
  })

  it.each([
    [{ operator: 'lt', threshold: 1 }, 'rollbackTriggers[0].metric'],
    [{ metric: 'ctr', operator: 'about', threshold: 1 }, 'rollbackTriggers[0].operator'],
    [{ metric: 'ctr', operator: 'constructor', threshold: 1 }, 'rollbackTriggers[0].operator'],
    [{ metric: 'ctr', operator: 'lt' }, 'rollbackTriggers[0].threshold'],
    [{ metric: 'ctr', operator: 'lt', threshold: '1' }, 'rollbackTriggers[0].threshold'],
    [{ metric: 'ctr', threshold: 1, window: 'soon' }, 'rollbackTriggers[0].window'],
    [{ metric: 'ctr', threshold: 1, window: '60' }, 'rollbackTriggers[0].window'],
    [{ metric: 'ctr', threshold: 1, minSamples: -1 }, 'rollbackTriggers[0].minSamples'],
    [{ metric: 'ctr', threshold: 1, minSamples: 1.5 }, 'rollbackTriggers[0].minSamples'],
    [{ metric: null, name: 'ctr', threshold: 1 }, 'rollbackTriggers[0].metric'],
    [{ metric: 'ctr', operator: null, threshold: 1 }, 'rollbackTriggers[0].operator'],
    [{ metric: 'ctr', threshold: null, value: 1 }, 'rollbackTriggers[0].threshold'],
    [{ metric: 'ctr', threshold: 1, window: null }, 'rollbackTriggers[0].window'],
  ])('refuse %j and name the place', (trigger, path) => {
    expect(() => readTriggers([trigger])).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        details: [expect.objectContaining({ path })],
      }),
    )
  })

  it('refuse a name that is longer than any of a metric', () => {
    const [long, longest] = ['m'.repeat(129), 'm'.repeat(128)]
    const at = (path: string) =>
      expect.objectContaining({ details: [expect.objectContaining({ path })] })
    const named = (metric: string) => () => readTriggers([{ metric, threshold: 1 }])
    expect(named(long)).toThrow(at('rollbackTriggers[0].metric'))
    expect(() => readTriggers({ [long]: 1 })).toThrow(at(`rollbackTriggers.${'m'.repeat(64)}`))
    expect(named(longest)().triggers[0]?.metric).toBe(longest)
    expect(readTriggers({ [longest]: 1 }).triggers[0]?.metric).toBe(longest)
  })

  it.each(['constructor', 'valueOf'])('measure nothing that is called %s', (metric) => {
    const { triggers, warnings } = readTriggers({ [metric]: 1 })
    expect(triggers[0]).toMatchObject({ metric, threshold: 1 })
    expect(warnings).toHaveLength(1)
  })

  it('say what is not read of them, and what it is called', () => {
    const trigger = { metric: 'ctr', op: '<', threshold: 1, period: '5m' }
    expect(readTriggers([trigger]).warnings).toEqual([
      'rollbackTriggers[0]: "op" is not a field of a trigger and was ignored; "operator" is.',
      'rollbackTriggers[0]: "period" is not a field of a trigger and was ignored; "window" is.',
    ])
  })

  it.each([
    [
      [{ metric: 'ctr', operator: 'lt', threshold: 5 }],
      '[0].threshold: ctr is 1 at most',
      'always',
    ],
    [[{ metric: 'zeroResults', threshold: 20 }], '[0].threshold: zeroResultRate is 1', 'never'],
    [{ ctrDrop: 20 }, '.ctrDrop: ctr falls by 1 at most, which is all of it', 'never'],
    [{ zeroResultRateRise: 10 }, '.zeroResultRateRise: zeroResultRate is 1 at most', 'never'],
  ])('say of %j, in percent, that it fires whatever people do, or never', (sent, told, when) => {
    const { warnings } = readTriggers(sent)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`rollbackTriggers${told}`)
    expect(warnings[0]).toContain(`so that this ${when} fires; 20 % is 0.2.`)
  })

  it.each([
    { ctr: 1, zeroResultRate: 0.2, latencyP95: 300, mrr_drop: 1 },
    [
      { metric: 'ctr', operator: 'times', threshold: 2 },
      { metric: 'searches', operator: 'lt', threshold: 50 },
    ],
  ])('say nothing of %j, which may come', (sent) => {
    expect(readTriggers(sent).warnings).toEqual([])
  })

  it('say which metric nobody measures', () => {
    const { triggers, warnings } = readTriggers({ happiness: 0.5 })
    expect(triggers[0]).toMatchObject({ metric: 'happiness', operator: 'lt' })
    expect(warnings).toEqual([
      'The service does not measure happiness: its trigger never fires. It measures ctr, mrr, zeroResultRate, latencyP50, latencyP95, latencyP99, searches.',
    ])
  })
})
