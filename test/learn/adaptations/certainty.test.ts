import { describe, expect, it } from 'vitest'
import { beyondLimit, type Known, worseThan } from '../../../src/learn/adaptations/certainty.ts'
import { countClick, countSearch, emptyArm } from '../../../src/learn/adaptations/figures.ts'
import type { SummedByUnit } from '../../../src/learn/adaptations/units.ts'
import { latencyBucket } from '../../../src/learn/statistics/latency-histogram.ts'
import { type Random, seeded } from '../../../src/learn/statistics/random.ts'
import { addUnit, NO_UNITS, type UnitSums } from '../../../src/learn/statistics/sums.ts'
import type { ArmTotals } from '../../../src/schema/adaptation-record.ts'
import { normal } from '../statistics/normal.ts'

const METRICS = ['ctr', 'zeroResultRate', 'latencyP95'] as const
type Watched = (typeof METRICS)[number]
const TRIGGER = {
  ctr: { operator: 'drop', threshold: 0.2 },
  zeroResultRate: { operator: 'rise', threshold: 0.1 },
  latencyP95: { operator: 'times', threshold: 2 },
} as const

/** How people search; a share is that of a unit, which differs from the mean by up to so much. */
interface People {
  /** Searches of a unit, 1 to so many. */
  searches: number
  ctr: [mean: number, between: number]
  empty: [mean: number, between: number]
  /** Deviation of ln(latency) between searches, and between units. */
  latency: [within: number, between: number]
}
const PEOPLE: Record<string, People> = {
  'who search once': { searches: 1, ctr: [0.35, 0], empty: [0.05, 0], latency: [0.7, 0] },
  'who differ': { searches: 9, ctr: [0.35, 0.3], empty: [0.1, 0.1], latency: [0.7, 0.4] },
  'who seldom click': { searches: 5, ctr: [0.08, 0.08], empty: [0.4, 0.4], latency: [1.2, 0.8] },
}
interface Harm {
  clicks?: number
  empty?: number
  slower?: number
}

interface Side {
  arm: ArmTotals
  sums: Record<SummedByUnit, UnitSums>
}
const newSide = (): Side => ({
  arm: emptyArm(),
  sums: { ctr: NO_UNITS, zeroResultRate: NO_UNITS, tookMs: NO_UNITS },
})
const known = ({ arm, sums }: Side): Known => ({ arm, sums: (name) => sums[name] })

/** One unit searches as often as it does; returns how often. */
function visit({ arm, sums }: Side, people: People, random: Random, harm: Harm = {}): number {
  const around = ([mean, between]: readonly [number, number]) => mean + between * (2 * random() - 1)
  const [ctr, empty] = [around(people.ctr), around(people.empty)]
  const own = 3.4 + people.latency[1] * normal(random) + Math.log(harm.slower ?? 1)
  const searches = 1 + Math.floor(random() * people.searches)
  let [clicked, empties, tookMs] = [0, 0, 0]
  for (let search = 0; search < searches; search += 1) {
    const isEmpty = random() < empty + (harm.empty ?? 0)
    const took = Math.round(Math.exp(own + people.latency[0] * normal(random)))
    countSearch(arm, { total: isEmpty ? 0 : 9, unit: 'u' }, latencyBucket(took))
    const isClicked = random() < ctr * (harm.clicks ?? 1)
    if (isClicked) countClick(arm, 1)
    clicked += isClicked ? 1 : 0
    empties += isEmpty ? 1 : 0
    tookMs += took
  }
  sums.ctr = addUnit(sums.ctr, { x: clicked, y: searches })
  sums.zeroResultRate = addUnit(sums.zeroResultRate, { x: empties, y: searches })
  sums.tookMs = addUnit(sums.tookMs, { x: tookMs, y: searches })
  return searches
}

interface Design {
  people: People
  /** Share of the units that get the change; undefined: all do, and are compared with those before. */
  canary?: number
  harm?: Harm
}

const LOOKS = 100
const SEARCHES_A_LOOK = 20
const BEFORE = 600

/** After how many searches each metric is found to be worse, of a change that is looked at a hundred times. */
function watchChange({ people, canary, harm = {} }: Design, random: Random) {
  const [control, treatment] = [newSide(), newSide()]
  if (canary === undefined) for (let of = 0; of < BEFORE; ) of += visit(control, people, random)
  const found = new Map<Watched, number>()
  let searches = 0
  for (let look = 1; look <= LOOKS; look += 1) {
    while (searches < look * SEARCHES_A_LOOK) {
      const having = canary === undefined || random() < canary
      searches += visit(having ? treatment : control, people, random, having ? harm : {})
    }
    const without = canary === undefined ? { arm: control.arm } : known(control)
    for (const metric of METRICS) {
      const isWorse = worseThan(TRIGGER[metric], metric, without, known(treatment))?.isCertain
      if (isWorse === true && !found.has(metric)) found.set(metric, searches)
    }
  }
  return found
}

describe.each(Object.entries(PEOPLE))('a sound change for people %s', (_, people) => {
  it.each([
    ['a canary of half', 0.5],
    ['a canary of a fifth', 0.2],
    ['searches before', undefined],
  ])('is found worse than %s in less than one of twenty, at all looks together', (_, canary) => {
    const changes = 250
    const found = { ctr: 0, zeroResultRate: 0, latencyP95: 0 }
    const random = seeded(17)
    for (let change = 0; change < changes; change += 1) {
      const design = canary === undefined ? { people } : { people, canary }
      for (const metric of watchChange(design, random).keys()) found[metric] += 1
    }
    for (const metric of METRICS) expect(found[metric] / changes, metric).toBeLessThan(0.05)
  })
})

describe('a change that does harm', () => {
  const people = PEOPLE['who differ']!
  it.each([
    ['latencyP95', { slower: 2 }, 0.5],
    ['latencyP95', { slower: 2 }, undefined],
    ['ctr', { clicks: 0.5 }, 0.5],
    ['ctr', { clicks: 0.5 }, undefined],
    ['zeroResultRate', { empty: 0.25 }, 0.5],
    ['zeroResultRate', { empty: 0.25 }, undefined],
  ] as const)('is found by its %s: %j in a canary of %j', (metric, harm, canary) => {
    const random = seeded(5)
    const design = canary === undefined ? { people, harm } : { people, harm, canary }
    const after = Array.from({ length: 40 }, () => watchChange(design, random).get(metric))
    const within = (searches: number) => after.filter((each = Infinity) => each <= searches).length
    expect(within(LOOKS * SEARCHES_A_LOOK)).toBe(40)
    expect(within(1200)).toBeGreaterThan(30)
  })
})

describe('few units', () => {
  it('say nothing, however often they search', () => {
    const [control, treatment] = [newSide(), newSide()]
    const random = seeded(2)
    for (let unit = 0; unit < 30; unit += 1) {
      visit(control, PEOPLE['who differ']!, random)
      visit(treatment, PEOPLE['who differ']!, random, { slower: 9, clicks: 0, empty: 1 })
    }
    expect(treatment.arm.searches).toBeGreaterThan(100)
    for (const metric of METRICS)
      expect(worseThan(TRIGGER[metric], metric, known(control), known(treatment))).toBeUndefined()
  })

  it('say nothing as what a change is compared with, either', () => {
    const [control, treatment] = [newSide(), newSide()]
    const random = seeded(3)
    for (let unit = 0; unit < 30; unit += 1) visit(control, PEOPLE['who differ']!, random)
    for (let unit = 0; unit < 300; unit += 1)
      visit(treatment, PEOPLE['who search once']!, random, { slower: 9, clicks: 0, empty: 1 })
    expect(control.arm.searches).toBeGreaterThan(100)
    for (const metric of METRICS)
      expect(worseThan(TRIGGER[metric], metric, known(control), known(treatment))).toBeUndefined()
  })
})

describe('the figures of a certainty', () => {
  it('are those that it went by', () => {
    const [control, treatment] = [newSide(), newSide()]
    const random = seeded(4)
    for (let unit = 0; unit < 500; unit += 1) {
      visit(control, PEOPLE['who search once']!, random)
      visit(treatment, PEOPLE['who search once']!, random, { slower: 3 })
    }
    const { isCertain, figures } = worseThan(
      TRIGGER.latencyP95,
      'latencyP95',
      known(control),
      known(treatment),
    )!
    expect(isCertain).toBe(true)
    expect(figures.of).toMatch(/^searches slower than \d+(\.\d+)? ms$/)
    expect(figures.without).toBeCloseTo(0.05, 1)
    expect(figures.with).toBeGreaterThan(0.3)
    const [low, high] = figures.interval as [number, number]
    expect(low).toBeGreaterThan(0.2)
    expect(low).toBeLessThan(Number(figures.with) - Number(figures.without))
    expect(high).toBe(1)
    expect(figures.pValue).toBeLessThan(0.05)
    expect(figures.units).toEqual({ with: 500, without: 500 })
  })

  it('of a fall lie below nothing', () => {
    const [control, treatment] = [newSide(), newSide()]
    const random = seeded(6)
    for (let unit = 0; unit < 500; unit += 1) {
      visit(control, PEOPLE['who search once']!, random)
      visit(treatment, PEOPLE['who search once']!, random, { clicks: 0 })
    }
    const { figures } = worseThan(TRIGGER.ctr, 'ctr', known(control), known(treatment))!
    const [low, high] = figures.interval as [number, number]
    expect(low).toBe(-1)
    expect(high).toBeLessThan(-0.2)
    expect(high).toBeGreaterThan(-0.35)
  })

  it('of a limit in ms are exact from the first searches on', () => {
    const arm = emptyArm()
    const look = (threshold: number) =>
      beyondLimit({ operator: 'gt', threshold }, 'latencyP95', arm)!
    for (let search = 0; search < 18; search += 1) countSearch(arm, { total: 1 }, latencyBucket(40))
    countSearch(arm, { total: 1 }, latencyBucket(900))
    countSearch(arm, { total: 1 }, latencyBucket(900))
    // Two of twenty: a figure beyond the limit, and nothing that chance would not do.
    expect(look(500).isCertain).toBe(false)
    expect(look(20)).toMatchObject({
      isCertain: true,
      figures: { with: 1, limit: 0.05, searches: 20 },
    })
  })
})
