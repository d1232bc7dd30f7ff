import { describe, expect, it } from 'vitest'
import { draftExperiment } from '../../../src/learn/experiments/draft.ts'
import type { ExperimentCreate } from '../../../src/schema/experiment.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000

function draft(sent: Partial<ExperimentCreate>, kind: 'test' | 'experiment' = 'test') {
  const body = { name: 'n', variants: [{ id: 'a' }, { id: 'b' }], ...sent }
  return draftExperiment(kind, body, 'id', NOW_MS)
}

describe('shares', () => {
  it.each([
    [{ a: 0.9, b: 0.1 }, 1],
    [{ a: 50, b: 50 }, 0],
    [0.5, 0],
  ])('%j of an interleaved list give %d warnings', (trafficAllocation, count) => {
    const { warnings } = draft({ mode: 'interleaving', trafficAllocation })
    expect(warnings).toHaveLength(count)
    for (const warning of warnings) expect(warning).toContain('their shares are not used')
    expect(draft({ trafficAllocation }).warnings).toEqual([])
  })
})

describe('metrics that decide', () => {
  it.each([
    [undefined, ['ctr']],
    ['MRR', ['mrr']],
    [
      ['click_through_rate', 'conversion', 'CTR'],
      ['ctr', 'conversionRate'],
    ],
    [
      [{ name: 'revenue' }, { metric: 'ctr' }],
      ['revenue', 'ctr'],
    ],
    [{ primary: 'mrr', secondary: ['ctr', 'revenue'] }, ['mrr', 'ctr', 'revenue']],
    [{ ctr: { target: 0.2 }, mrr: {} }, ['ctr', 'mrr']],
  ])('%j are read', (successMetrics, names) => {
    expect(draft({ successMetrics }).successMetrics).toEqual(names)
  })

  it('come from business and technical metrics where nothing else is said', () => {
    const sent = { technicalMetrics: ['latency'], businessMetrics: ['revenue'] }
    expect(draft(sent, 'experiment').successMetrics).toEqual(['revenue', 'latencyP95Ms'])
  })

  it('that the service does not count are told of, as are guardrails on them', () => {
    const of = (sent: Partial<ExperimentCreate>) => draft(sent, 'experiment').warnings
    const counts = '(POST /nous/ab-testing/results). It counts ctr, mrr, zeroResultRate, '
    expect(of({ successMetrics: ['ctrr', 'ctr', 'p99'], businessMetrics: ['revenue'] })).toEqual([
      expect.stringContaining(
        `successMetrics: the service does not count ctrr, p99; nothing is compared until values of it are reported ${counts}`,
      ),
      expect.stringContaining('businessMetrics: the service does not count revenue;'),
    ])
    const guardrails = [
      { metric: 'errors', min: 0, max: 9 },
      { metric: 'ctr', threshold: 0.1 },
    ]
    expect(of({ guardrails })).toEqual([
      expect.stringContaining(
        `guardrails: the service does not count errors; nothing is watched until values of it are reported ${counts}`,
      ),
    ])
    expect(of({ successMetrics: 'CTR', guardrails: { p95: 300, averageRating: 0.5 } })).toEqual([])
  })

  it('are told of where a list is interleaved, of which clicks alone decide', () => {
    const of = (sent: Partial<ExperimentCreate>) =>
      draft({ mode: 'interleaving', ...sent }).warnings
    expect(of({ successMetrics: ['mrr', 'ctr'], businessMetrics: 'revenue' })).toEqual([
      "successMetrics: which ranking's hits are clicked decides of an interleaved list; mrr can be compared in an A/B test (mode split).",
      expect.stringMatching(/^businessMetrics: which ranking's .* revenue can be compared/),
    ])
    expect(of({ successMetrics: 'clickThroughRate' })).toEqual([])
  })

  it.each([
    [3, ''],
    [null, ''],
    ['', ''],
    [[3], '[0]'],
    [['ctr', ''], '[1]'],
    [[{ target: 1 }], '[0].name'],
    [[{ name: null, metric: 'ctr' }], '[0].name'],
    [{ primary: null, secondary: ['ctr'] }, '.primary'],
    [{ primary: 'ctr', secondary: [null] }, '.secondary[0]'],
    [{ ['m'.repeat(129)]: {} }, `.${'m'.repeat(64)}`],
    [Array(101).fill('m'), ''],
  ])('%j are refused by their place', (sent, place) => {
    expect(() => draft({ successMetrics: sent })).toThrow(
      expect.objectContaining({
        details: [expect.objectContaining({ path: `successMetrics${place}` })],
      }),
    )
  })
})

it('a variant is warned of keys inside of its pins and boosts that are not read', () => {
  const config = { pins: [{ id: '2', position: 2 }], boosts: [{ id: '2', weight: 5 }] }
  const { warnings } = draft({ variants: [{ id: 'a' }, { id: 'b', config }] })
  expect(warnings).toEqual([
    expect.stringMatching(/^variant b: "pins\[0\]\.position \(.*the order of the list/),
    expect.stringMatching(/^variant b: "boosts\[0\]\.weight \(.*value: the number to add/),
  ])
  const synonyms = ['a =>']
  expect(() => draft({ variants: [{ id: 'a' }, { id: 'b', config: { synonyms } }] })).toThrow(
    /^variants\[1\]\.config\.synonyms\[0\] must be words/,
  )
})

describe('what a part of a test has beside its fields is told of:', () => {
  const warningsOf = (sent: Partial<ExperimentCreate>) => draft(sent, 'experiment').warnings
  const ignored = (at: string, name: string, of: string, instead?: string) =>
    `${at}: "${name}" is not a field of ${of} and was ignored${instead === undefined ? '.' : `; "${instead}" is.`}`

  it('of a variant, whose share or settings would be others than was meant', () => {
    const variants = [
      { id: 'a', percentage: 90, isControl: true },
      { id: 'b', percentage: 10, fieldWeights: { title: 3 }, settings: {}, wieght: 1 },
    ]
    expect(warningsOf({ variants })).toEqual([
      ignored('variants[0]', 'percentage', 'a variant', 'weight'),
      ignored('variants[0]', 'isControl', 'a variant'),
      ignored('variants[1]', 'percentage', 'a variant', 'weight'),
      ignored('variants[1]', 'fieldWeights', 'a variant', 'config.fieldWeights'),
      ignored('variants[1]', 'settings', 'a variant', 'config'),
      ignored('variants[1]', 'wieght', 'a variant', 'weight'),
    ])
    const read = { id: 'a', name: 'A', weight: 1, config: {}, weights: { title: 2 } }
    expect(warningsOf({ variants: [read, { id: 'b', allocation: 0 }] })).toEqual([])
  })

  it('of a guardrail, once where it is a least and a greatest value', () => {
    const rule = { metric: 'ctr', threshold: 0.1, minSampleSize: 5000 }
    expect(warningsOf({ guardrails: [rule, { metric: 'mrr', op: '<', threshold: 0.1 }] })).toEqual([
      ignored('guardrails[0]', 'minSampleSize', 'a guardrail', 'minSamples'),
      ignored('guardrails[1]', 'op', 'a guardrail', 'operator'),
    ])
    expect(warningsOf({ guardrails: { rating: { min: 0.1, max: 0.9, window: '1h' } } })).toEqual([
      ignored('guardrails.rating', 'window', 'a guardrail'),
    ])
  })

  it('of a roll-out and its steps, and that one at once has none', () => {
    const steps = [{ percentage: 10, duration: '2d' }, { percentage: 100 }]
    const ofStep = 'a step of a roll-out'
    expect(warningsOf({ rolloutStrategy: { steps, stepDuration: '1d' } })).toEqual([
      ignored('rolloutStrategy', 'stepDuration', 'a roll-out', 'interval'),
      ignored('rolloutStrategy.steps[0]', 'duration', ofStep, 'rolloutStrategy.interval'),
    ])
    expect(warningsOf({ rolloutStrategy: { minimumSampleSize: 50 } })).toEqual([
      ignored('rolloutStrategy', 'minimumSampleSize', 'a roll-out', 'minSamples'),
    ])
    const atOnce = { type: 'immediate', steps: [10, 100], interval: '1h' }
    expect(warningsOf({ rolloutStrategy: atOnce })).toEqual([
      'rolloutStrategy: type immediate lets everybody in at once, and does not use steps, interval; send type steps or linear for steps.',
    ])
    const usual = { type: 'steps', steps: [10, 100], interval: '1h', minSamples: 3 }
    for (const rolloutStrategy of [usual, { type: 'immediate' }])
      expect(warningsOf({ rolloutStrategy })).toEqual([])
    expect(warningsOf({ rolloutStrategy: { ...usual, interval: 60 } })).toEqual([
      'rolloutStrategy.interval: a number is milliseconds; a text has its unit, like "30s", "15m", "1h".',
    ])
  })

  it('of a targeting rule, which asks for equality without its operator', () => {
    const rules = [{ field: 'age', op: '>=', value: 18 }, { plan: 'pro' }]
    const told = (at: string) => [ignored(at, 'op', 'a targeting rule', 'operator')]
    expect(warningsOf({ targetingRules: rules })).toEqual(told('targetingRules[0]'))
    expect(warningsOf({ targetingRules: { rules } })).toEqual(told('targetingRules.rules[0]'))
    expect(warningsOf({ targetingRules: { op: 'x', age: { gte: 18 } } })).toEqual([])
  })
})

it('a share so small that nobody gets in is told of', () => {
  const nobody = (path: string) => [
    `${path}: nobody takes part in so small a share: units are let in by the ten thousandth.`,
  ]
  const rolloutStrategy = { steps: [0.00004, 1] }
  expect(draft({ rolloutStrategy }, 'experiment').warnings).toEqual(nobody('rolloutStrategy'))
  expect(draft({ trafficAllocation: 1e-5 }).warnings).toEqual(nobody('trafficAllocation'))
  expect(draft({ trafficAllocation: 0.00005 }).warnings).toEqual([])
  expect(draft({ trafficAllocation: 0 }).warnings).toEqual([])
  const variants = [0.99997, 0.00003, 0].map((share, at) => ({ id: `v${at}`, share }))
  expect(draft({ variants }).warnings).toEqual([
    'variants: nobody gets v1 by so small a share: units are divided by the ten thousandth.',
  ])
})

describe('shares', () => {
  const vain = /trafficAllocation says their shares/
  const sharesOf = (weights: number[], trafficAllocation?: Record<string, number>) => {
    const variants = ['a', 'b'].map((id, at) => ({
      id,
      ...(weights[at] === undefined ? {} : { weight: weights[at] }),
    }))
    const allocation = trafficAllocation === undefined ? {} : { trafficAllocation }
    const { variants: read, warnings } = draft({ variants, ...allocation })
    return { shares: read.map(({ share }) => share), warned: warnings.some((w) => vain.test(w)) }
  }

  it.each<[number[], Record<string, number> | undefined, number[], boolean]>([
    [[], undefined, [0.5, 0.5], false],
    [[20, 80], undefined, [0.2, 0.8], false],
    [[0.2, 0.8], { a: 20, b: 80 }, [0.2, 0.8], false],
    [[1, 4], { a: 20, b: 80 }, [0.2, 0.8], false],
    [[50, 50], { a: 20, b: 80 }, [0.2, 0.8], true],
    [[0.2], { a: 0.2, b: 0.8 }, [0.2, 0.8], false],
    [[20], { a: 0.2, b: 0.8 }, [0.2, 0.8], false],
    [[0.3], { a: 0.2, b: 0.8 }, [0.2, 0.8], true],
    [[0, 0], { a: 0.2, b: 0.8 }, [0.2, 0.8], true],
  ])(
    'of %j beside %j: a warning where some are not used',
    (weights, allocation, shares, warned) => {
      expect(sharesOf(weights, allocation)).toEqual({ shares, warned })
    },
  )

  it('are read under the name that answers give them, too', () => {
    const read = (...variants: object[]) => draft({ variants } as Partial<ExperimentCreate>)
    const variants = [
      { id: 'a', name: 'a', share: 0.9, config: {} },
      { id: 'b', name: 'b', share: 0.1, config: {} },
    ]
    expect(read(...variants)).toMatchObject({ variants, warnings: [] })
    expect(read({ weight: 1, share: 1 }, { share: 0 }).variants).toMatchObject([{ share: 1 }, {}])
    expect(() => read({ weight: 0.2, share: 0.3 }, { share: 0.8 })).toThrow(
      'variants[0].share must be the weight, or not be sent beside it',
    )
    expect(() => read({ share: 1 }, { allocation: 0, share: 1 })).toThrow(
      'variants[1].share must be the allocation, or not be sent beside it',
    )
  })

  it('may miss their sum by a millionth, however doubles round that', () => {
    const read = (...weights: number[]) =>
      draft({ variants: weights.map((weight, at) => ({ id: `v${at}`, weight })) }).variants
    const thirds = Array(3).fill({ share: expect.closeTo(1 / 3, 9) })
    for (const third of [0.333333, 33.333333])
      expect(read(third, third, third)).toMatchObject(thirds)
    expect(read(0.5, 0.500001)).toHaveLength(2)
    for (const over of [0.500002, 0.5000011, 0.499998, 0.4999989])
      expect(() => read(0.5, over)).toThrow('variants must hold shares that sum to 1 or to 100')
  })
})

describe('dates', () => {
  it('are ISO 8601 or epoch milliseconds', () => {
    const start = NOW_MS + DAY_MS
    for (const startDate of [start, new Date(start).toISOString()])
      expect(draft({ startDate })).toMatchObject({
        status: 'DRAFT',
        startMs: start,
        endMs: start + 30 * DAY_MS,
      })
  })

  it('may be days: a start is their beginning, an end the end of the day', () => {
    const day = (ahead: number) => new Date(NOW_MS + ahead * DAY_MS).toISOString().slice(0, 10)
    expect(draft({ startDate: day(1), endDate: day(2) })).toMatchObject({
      startMs: Date.parse(`${day(1)}T00:00Z`),
      endMs: Date.parse(`${day(3)}T00:00Z`) - 1,
    })
    expect(() => draft({ endDate: '2090-02-30' })).toThrow('endDate')
  })

  it('in the past start at once, and run their whole time from now', () => {
    expect(draft({ startDate: NOW_MS - DAY_MS })).toMatchObject({
      status: 'ACTIVE',
      startMs: NOW_MS - DAY_MS,
      endMs: NOW_MS + 30 * DAY_MS,
    })
  })

  it.each([
    [{ startDate: 1e16 }, 'startDate'],
    [{ endDate: NOW_MS }, 'endDate'],
    [{ startDate: NOW_MS - 2 * DAY_MS, endDate: NOW_MS - DAY_MS }, 'endDate'],
  ])('%j are refused', (sent, path) => {
    expect(() => draft(sent)).toThrow(new RegExp(`^${path} `))
  })
})

describe('variants', () => {
  it.each([[{ weight: 70 }], [{}]])(
    'keep what was said of them, and can be sent back: %j',
    (said) => {
      const variants = [
        { id: 'a', description: 'as it is', weight: 30 },
        { id: 'b', description: 'titles first', ...said },
      ]
      const read = draft({ variants }).variants
      expect(read.map(({ sent }) => sent)).toEqual(variants.map(({ id: _, ...said }) => said))
      const answered = read.map(({ id, name, share, config, sent }) => {
        return { id, name, share, config, ...sent }
      })
      const again = draft({ variants: answered }).variants
      expect(again.map(({ share }) => share)).toEqual([0.3, 0.7])
      expect(again).toEqual(read)
    },
  )

  it('do not keep shares that are not used', () => {
    const variants = [
      { id: 'a', description: 'as it is', weight: 30 },
      { id: 'b', weight: 70 },
    ]
    const trafficAllocation = { a: 0.5, b: 0.5 }
    const [first] = draft({ variants, trafficAllocation }).variants
    expect(first).toMatchObject({ share: 0.5, sent: { description: 'as it is' } })
    expect(first?.sent).not.toHaveProperty('weight')
  })

  it('may say their share once: weight and allocation mean the same', () => {
    const [, second] = draft({ variants: [{}, { weight: 0.3, allocation: 0.3 }] }).variants
    expect(second?.share).toBeCloseTo(0.3)
    const variants = [{}, { weight: 0.3, allocation: 0.4 }]
    expect(() => draft({ variants })).toThrow('variants[1].allocation must be the weight')
  })

  it('may put weights beside their configuration', () => {
    const [, second] = draft({ variants: [{}, { weights: { title: 2, text: 0.6 } }] }).variants
    expect(second).toMatchObject({
      id: 'variant-1',
      config: { weights: { title: 2, text: 0.6 } },
      tuning: { fieldWeights: { title: 2 }, legWeights: { text: 0.6, vector: 0.4 } },
    })
  })

  it.each([
    [{ title: 'x' }, 'variants[1].weights.title must be a number from 0 to 1000000'],
    [{ text: -1 }, 'variants[1].weights.text must be a number from 0 to 1000000'],
    [{ fusion: 'max' }, 'variants[1].weights.fusion must be one of convex, rrf'],
  ])('of a test have weights of a search: %j is refused', (weights, message) => {
    const variants = [{}, { weights }]
    expect(() => draft({ variants })).toThrow(message)
    // What an experiment tries may have weights of its own, which are kept, and told of.
    expect(draft({ variants }, 'experiment').warnings).toHaveLength(1)
  })

  it('may be without weights where they are sent empty, which is told', () => {
    expect(draft({ variants: [{}, { weights: {} }] }).warnings).toHaveLength(1)
  })

  it('may not take the marks of the service, nor a default that another has', () => {
    expect(() => draft({ variants: [{ id: '@x' }, {}] })).toThrow('variants[0].id')
    expect(() => draft({ variants: [{}, { id: 'control' }] })).toThrow('variants[1].id')
  })

  it('hold shares that are exact in sum', () => {
    const variants = Array.from({ length: 3 }, () => ({ weight: 33.333333333 }))
    const shares = draft({ variants: [...variants] }).variants.map(({ share }) => share)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
  })
})

it('a test takes all units of its share at once; an experiment goes in steps unless told otherwise', () => {
  expect(draft({}).rollout.steps).toEqual([1])
  expect(draft({}, 'experiment').rollout.steps).toEqual([0.1, 0.25, 0.5, 1])
  const rolloutStrategy = { type: 'immediate' }
  expect(draft({ rolloutStrategy }, 'experiment').rollout.steps).toEqual([1])
})

it('steps that are added up end at the whole, be they shares or percentages', () => {
  const sum = 1.1 + 2.2 - 2.3
  expect(sum).toBeGreaterThan(1)
  for (const steps of [
    [0.1, 0.5, sum],
    [10, 50, 100 * sum],
  ]) {
    const rolloutStrategy = { type: 'steps', steps }
    expect(draft({ rolloutStrategy }, 'experiment').rollout.steps).toEqual([0.1, 0.5, 1])
  }
})

it('of very many keys that change no ranking some are named, and the others counted', () => {
  const config = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`own${n}`, n]))
  const variants = [{ id: 'a', config }, { id: 'b' }]
  const sent = { variants, fallbackConfig: config, guardrails: { ctr: 0.1 } }
  const { warnings } = draft(sent, 'experiment')
  const told = (owner: string) => warnings.filter((each) => each.startsWith(owner))
  for (const owner of ['variant a', 'fallbackConfig']) {
    expect(told(owner)).toHaveLength(21)
    expect(told(owner)[0]).toBe(`${owner}: "own0" changes no ranking; it is kept and returned.`)
    expect(told(owner)[20]).toBe(`${owner}: 40 more change no ranking; they are kept and returned.`)
  }
})

it('A fallback that nothing can bring into force is told of', () => {
  const told = (sent: Partial<ExperimentCreate>, kind: 'test' | 'experiment') =>
    draft({ fallbackConfig: { pins: ['a'] }, ...sent }, kind).warnings
  const guardrails = { ctr: 0.1 }
  expect(told({ guardrails }, 'test')).toEqual([
    expect.stringMatching(/^fallbackConfig: a guardrail stops a test/),
  ])
  expect(told({}, 'experiment')).toEqual([
    expect.stringMatching(/^fallbackConfig: there are no guardrails/),
  ])
  expect(told({ guardrails }, 'experiment')).toEqual([])
  expect(draft({ guardrails }).warnings).toEqual([])
})
