import { describe, expect, it } from 'vitest'
import { BUCKETS, bucketOf } from '../../../src/learn/statistics/buckets.ts'
import { type Answered, type Laboratory, openLaboratory } from './laboratory.ts'

const report = (lab: Laboratory, sent: object) =>
  lab.experiments.record({ metrics: { revenue: 2 }, ...sent } as never) as Promise<Answered>

/** Revenue by variant, as it is read. */
async function revenue(lab: Laboratory, id: string): Promise<unknown[]> {
  const { metrics } = await lab.get('experiment', id)
  return ['a', 'b'].map((variant) => metrics[variant].reported?.revenue)
}

async function growing(lab: Laboratory): Promise<string> {
  const rolloutStrategy = { type: 'steps', steps: [0.01, 100], interval: 0, minSamples: 0 }
  return (await lab.create('experiment', { rolloutStrategy })).experimentId
}

/** A unit that a share of one in a hundred leaves out, as the first step of `growing` is. */
function outsiderOf(id: string): string {
  for (let number = 0; ; number += 1)
    if (bucketOf(id, `u${number}`, 'inclusion') >= BUCKETS / 100) return `u${number}`
}

describe('a reported value', () => {
  it('that is forgotten leaves the others as they were, however great it was', async () => {
    const lab = openLaboratory()
    const { experimentId } = await lab.create('experiment', {
      rolloutStrategy: { type: 'immediate' },
    })
    for (const unit of ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'])
      await report(lab, { experimentId, unit })
    const before = await revenue(lab, experimentId)
    await report(lab, { experimentId, unit: 'great', metrics: { revenue: 1e100 } })
    expect(await revenue(lab, experimentId)).not.toEqual(before)
    expect(await lab.experiments.forget('great')).toBe(1)
    expect(await revenue(lab, experimentId)).toEqual(before)
  })

  it('of a unit outside of the experiment is not counted until it is in', async () => {
    const lab = openLaboratory()
    const id = await growing(lab)
    const unit = outsiderOf(id)
    const outside = await report(lab, { experimentId: id, unit })
    expect(outside).toMatchObject({ recorded: 0, variantId: 'a', status: 'ACTIVE' })
    expect(await revenue(lab, id)).toEqual([undefined, undefined])
    await lab.experiments.tick()
    expect(await report(lab, { experimentId: id, unit })).toMatchObject({ recorded: 1 })
  })

  it('of a unit that is no target is not counted', async () => {
    const lab = openLaboratory()
    const { experimentId } = await lab.create('experiment', {
      rolloutStrategy: { type: 'immediate' },
      targetingRules: { plan: 'pro' },
    })
    expect(await report(lab, { experimentId, unit: 'u' })).toMatchObject({ recorded: 0 })
  })

  it('of a unit outside is not counted in the variant that it is shown either', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', { trafficAllocation: 0.01 })
    const unit = outsiderOf(testId)
    const sessionId = await lab.session(unit)
    for (const who of [{ unit }, { sessionId }, { unit, sessionId }])
      expect(await report(lab, { testId, ...who, variantId: 'a' })).toMatchObject({
        ...{ recorded: 0, variantId: 'a' },
        warnings: [expect.stringMatching(/^variantId: .*outside/)],
      })
    expect(await report(lab, { testId, unit })).not.toHaveProperty('warnings')
    await report(lab, { testId, variantId: 'a' })
    const { metrics } = await lab.get('test', testId)
    expect(metrics.a.reported).toEqual({ revenue: { mean: 2, values: 1, units: 1 } })
  })

  it('of a unit whose session is not known to be a target counts where the client says', async () => {
    const lab = openLaboratory()
    const { experimentId } = await lab.create('experiment', {
      rolloutStrategy: { type: 'immediate' },
      targetingRules: { plan: 'pro' },
    })
    const named = { experimentId, variantId: 'b' }
    expect(await report(lab, { ...named, unit: 'u' })).toMatchObject({
      ...{ recorded: 1, variantId: 'b' },
    })
    const sessionId = await lab.session('v')
    expect(await report(lab, { ...named, sessionId })).toMatchObject({ recorded: 0 })
  })

  it('of a unit that searched counts there, whatever its session said since', async () => {
    const lab = openLaboratory()
    const { experimentId } = await lab.create('experiment', {
      rolloutStrategy: { type: 'immediate' },
    })
    const session = await lab.memberOf(experimentId, 'b')
    lab.searchIn(session)
    await lab.get('experiment', experimentId)
    const unit = lab.sessions.peek(session)!.userId
    const table = lab.store.tables.experiments
    const stored = table.get(experimentId)!
    const targeting = [{ field: 'plan', operator: 'any' as const, values: ['pro'] }]
    await lab.store.write(() => table.put(experimentId, { ...stored, targeting }))
    const later = await lab.reopen()
    expect(await report(later, { experimentId, unit })).toMatchObject({
      recorded: 1,
      variantId: 'b',
    })
  })

  it('stays with the variant that its unit was counted in', async () => {
    const lab = openLaboratory()
    const id = await growing(lab)
    await lab.experiments.tick()
    const units = Array.from({ length: 20 }, (_, at) => `u${at}`)
    for (const unit of units) await report(lab, { experimentId: id, unit, variantId: 'a' })
    for (const unit of units)
      expect(await report(lab, { experimentId: id, unit })).toMatchObject({ variantId: 'a' })
    expect(await revenue(lab, id)).toEqual([{ mean: 2, values: 40, units: 20 }, undefined])
    const other = await report(lab, { experimentId: id, unit: 'u0', variantId: 'b' })
    expect(other).toMatchObject({
      variantId: 'a',
      warnings: [expect.stringMatching(/^variantId: /)],
    })
    const same = await report(lab, { experimentId: id, unit: 'u0', variantId: 'a' })
    expect(same).not.toHaveProperty('warnings')
  })
})

describe('a name that a test and an experiment share', () => {
  it('means the test where it was sent as that of one, and otherwise the experiment', async () => {
    const lab = openLaboratory()
    const name = 'shared'
    const { experimentId } = await lab.create('experiment', {
      ...{ name, rolloutStrategy: { type: 'immediate' } },
    })
    const { testId } = await lab.create('test', { name })
    expect(await report(lab, { testName: name, unit: 'u' })).toMatchObject({ experimentId: testId })
    for (const sent of [{ experimentName: name }, { experimentName: name, testName: name }])
      expect(await report(lab, { ...sent, unit: 'u' })).toMatchObject({ experimentId })
    await lab.create('test', { name: 'alone' })
    expect(await report(lab, { experimentName: 'alone', unit: 'u' })).toMatchObject({ recorded: 1 })
  })
})

describe('a reported metric with the name of one that is counted', () => {
  /** Each unit of b reports more conversions than those of a; `searches` of them search, too. */
  async function converted(lab: Laboratory, searches: number): Promise<Answered> {
    const { experimentId } = await lab.create('experiment', {
      rolloutStrategy: { type: 'immediate' },
      successMetrics: ['conversionRate'],
    })
    for (let n = 0; n < 60; n += 1)
      for (const variantId of ['a', 'b']) {
        const sessionId = await lab.memberOf(experimentId, variantId)
        if (n < searches) lab.searchIn(sessionId)
        const conversions = variantId === 'a' ? n % 2 : 3 + (n % 2)
        await report(lab, { experimentId, sessionId, metrics: { conversions } })
      }
    return lab.get('experiment', experimentId)
  }
  const rates = ({ comparisons }: Answered) =>
    comparisons
      .filter(({ metric }: Answered) => metric === 'conversionRate')
      .map(({ source, role, difference }: Answered) => ({ source, role, difference }))

  it('is compared beside it, and decides when nothing was counted', async () => {
    const read = await converted(openLaboratory(), 0)
    expect(rates(read)).toEqual([{ source: 'reported', role: 'primary', difference: 3 }])
    expect(read.verdict).toMatchObject({ decision: 'VARIANT', variantId: 'b' })
  })

  it('leaves the decision to what was counted', async () => {
    const read = await converted(openLaboratory(), 5)
    expect(rates(read)).toEqual([
      { source: 'counted', role: 'primary', difference: 0 },
      { source: 'reported', role: 'secondary', difference: 3 },
    ])
    expect(read.verdict).toMatchObject({ decision: 'UNDECIDED' })
  })
})
