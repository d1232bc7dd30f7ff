import { describe, expect, it } from 'vitest'
import { preferenceOf } from '../../../src/learn/statistics/interleaving.ts'
import { temporaryStore } from '../../store/open.ts'
import { openLaboratory } from './laboratory.ts'

describe('what a variant is told', () => {
  it('counts units, searches, clicks, first ranks, empty results and conversions', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const one = await lab.memberOf(testId, 'b')
    const two = await lab.memberOf(testId, 'b')
    const first = lab.searchIn(one, { tookMs: 10 })
    lab.searchIn(one, { tookMs: 20, total: 0 })
    const third = lab.searchIn(two, { tookMs: 30 })
    const fourth = lab.searchIn(two, { tookMs: 1000 })
    await lab.click(one, first, 'd')
    await lab.click(one, first, 'b')
    await lab.click(two, third, 'k')
    await lab.tell(two, fourth, 'a', { userAction: 'purchase' }, 0.5)
    const { metrics } = await lab.get('test', testId)
    expect(metrics.b).toMatchObject({
      units: 2,
      searches: 4,
      ctr: 2 / 4,
      // b stands second; k stands eleventh, too far down to count.
      mrr: 1 / 2 / 4,
      zeroResultRate: 1 / 4,
      conversionRate: 1 / 4,
      latencyMs: 265,
      rating: 3.5 / 4,
    })
    expect(Math.abs(metrics.b.latencyP95Ms - 1000)).toBeLessThan(20)
    expect(metrics.a).toMatchObject({ units: 0, searches: 0, ctr: 0, rating: null })
  })

  it('goes by the one word that everything else reads of an entry, when two are sent', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const member = await lab.memberOf(testId, 'b')
    const search = lab.searchIn(member)
    await lab.tell(member, search, 'a', { userAction: 'ignore', engagementType: 'click' }, 0)
    await lab.tell(member, search, 'b', { userAction: 'view', engagementType: 'purchase' }, 1)
    const { metrics } = await lab.get('test', testId)
    expect(metrics.b).toMatchObject({ searches: 1, ctr: 0, mrr: 0, conversionRate: 0 })
    // Of the two only the second is known.
    await lab.tell(member, search, 'c', { userAction: 'winked', engagementType: 'Click' }, 1)
    expect((await lab.get('test', testId)).metrics.b).toMatchObject({ ctr: 1, conversionRate: 0 })
  })

  it('has searches as its base: further pages are none, and nobody clicks what was not shown', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const member = await lab.memberOf(testId, 'b')
    const first = lab.searchIn(member)
    const further = lab.searchIn(member, { from: 20, list: first })
    await lab.click(member, first, 'never shown')
    expect((await lab.get('test', testId)).metrics.b).toMatchObject({ searches: 1, ctr: 0, mrr: 0 })
    await lab.click(member, further, 'a')
    await lab.tell(member, further, 'b', { userAction: 'purchase' }, 1)
    const { metrics } = await lab.get('test', testId)
    expect(metrics.b).toMatchObject({ units: 1, searches: 1, ctr: 1, mrr: 0, conversionRate: 1 })
  })

  it('counts a list once, on however many of its pages hits are clicked', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const member = await lab.memberOf(testId, 'b')
    const first = lab.searchIn(member)
    const pages = [2, 4, 6].map((from) => lab.searchIn(member, { from, list: first }))
    for (const page of [...pages, first]) {
      await lab.click(member, page, 'b')
      await lab.tell(member, page, 'c', { userAction: 'purchase' }, 1)
    }
    const once = { units: 1, searches: 1, ctr: 1, conversionRate: 1, rating: 1 }
    expect((await lab.get('test', testId)).metrics.b).toMatchObject({ ...once, mrr: 1 / 2 })
    const other = lab.searchIn(member)
    await lab.click(member, lab.searchIn(member, { from: 2, list: other }), 'b')
    expect((await lab.get('test', testId)).metrics.b).toMatchObject({
      ...{ searches: 2, ctr: 1, conversionRate: 1 / 2 },
      mrr: (1 / 2 + 1 / 4) / 2,
    })
  })

  it('counts no click on a page of a list that nobody knows the beginning of', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const member = await lab.memberOf(testId, 'b')
    lab.searchIn(member)
    await lab.click(member, lab.searchIn(member, { from: 20 }), 'a')
    const { metrics } = await lab.get('test', testId)
    expect(metrics.b).toMatchObject({ searches: 1, ctr: 0, mrr: 0, rating: 1 })
  })

  it('is the same in whatever order clicks come, and counts each once', async () => {
    const orders = [
      ['b', 'd', 'd', 'g'],
      ['g', 'd', 'b', 'b'],
      ['d', 'g', 'd', 'b'],
    ]
    const seen = await Promise.all(
      orders.map(async (order) => {
        const lab = openLaboratory()
        const { testId } = await lab.create('test', {})
        const member = await lab.memberOf(testId, 'b')
        const query = lab.searchIn(member)
        for (const document of order) await lab.click(member, query, document)
        const { ctr, mrr } = (await lab.get('test', testId)).metrics.b
        return { ctr, mrr }
      }),
    )
    for (const each of seen) expect(each).toEqual({ ctr: 1, mrr: 0.5 })
  })

  it('leaves out what others say of a search, and who searches outside the test', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', { targetingRules: { userId: { not: 'stranger' } } })
    const member = await lab.memberOf(testId, 'b')
    const stranger = await lab.session('stranger')
    const query = lab.searchIn(member)
    lab.searchIn(stranger)
    await lab.click(stranger, query, 'a')
    const { metrics, sampleRatio } = await lab.get('test', testId)
    expect(metrics.b).toMatchObject({ units: 1, searches: 1, ctr: 0 })
    expect(sampleRatio.observed).toEqual({ a: 0, b: 1 })
  })

  it('keeps nothing of what came of a search that no test shows', async () => {
    const lab = openLaboratory()
    const session = await lab.session('before all tests')
    const query = lab.searchIn(session)
    const { testId } = await lab.create('test', {})
    await lab.click(session, query, 'a')
    await lab.get('test', testId)
    const { experimentSearches } = lab.store.tables
    expect(experimentSearches.count()).toBe(0)
    const member = await lab.memberOf(testId, 'b')
    await lab.click(member, lab.searchIn(member), 'a')
    await lab.get('test', testId)
    expect(experimentSearches.count()).toBe(1)
  })

  it('is there after a restart, and goes on', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const member = await lab.memberOf(testId, 'b')
    const query = lab.searchIn(member)
    await lab.click(member, query, 'c')
    const before = (await lab.get('test', testId)).metrics
    const later = await lab.reopen()
    expect((await later.get('test', testId)).metrics).toEqual(before)
    await later.click(member, query, 'a')
    later.searchIn(member)
    expect((await later.get('test', testId)).metrics.b).toMatchObject({
      units: 1,
      searches: 2,
      ctr: 1 / 2,
      mrr: 1 / 2,
    })
  })

  it('is counted once when a transaction fails in the middle', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const member = await lab.memberOf(testId, 'b')
    await lab.click(member, lab.searchIn(member), 'b')
    await lab.loop.caughtUp()
    const { consumer } = lab.experiments
    const impression = lab.log.find(lab.searchIn(member))!.impression
    const fact = { kind: 'search' as const, sequence: 1, impression }
    const failed = lab.store.write(() => {
      consumer.take(fact)
      consumer.save()
      throw new Error('the power goes')
    })
    await expect(failed).rejects.toThrow('the power goes')
    consumer.load()
    expect((await lab.get('test', testId)).metrics.b).toMatchObject({ units: 1, searches: 2 })
  })

  it('goes when a unit is forgotten, as if it had never been', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const stays = await lab.memberOf(testId, 'b')
    await lab.click(stays, lab.searchIn(stays, { tookMs: 5 }), 'b')
    const before = (await lab.get('test', testId)).metrics.b
    const goes = await lab.memberOf(testId, 'b')
    await lab.click(goes, lab.searchIn(goes, { tookMs: 5 }), 'a')
    await lab.experiments.record({ experimentId: testId, sessionId: goes, metrics: { revenue: 9 } })
    const user = lab.sessions.peek(goes)!.userId!
    expect((await lab.get('test', testId)).metrics.b).toMatchObject({ units: 2 })
    expect(await lab.experiments.forget(user)).toBe(1)
    const { reported, ...after } = (await lab.get('test', testId)).metrics.b
    expect(after).toEqual(before)
    expect(reported).toBeUndefined()
    expect(lab.store.tables.experimentUnits.has([testId, user])).toBe(false)
    expect(lab.store.tables.experimentObserved.count()).toBe(0)
  })

  it('is compared with control, peek-safe, with a check of the sample ratio', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', { successMetrics: ['CTR', 'mrr'] })
    for (let n = 0; n < 140; n += 1) {
      const arm = n % 2 === 0 ? 'a' : 'b'
      const member = await lab.memberOf(testId, arm)
      for (let at = 0; at < 2; at += 1) {
        const query = lab.searchIn(member)
        if (n % 20 === at || (arm === 'b' && at === 0)) await lab.click(member, query, 'a')
      }
    }
    const { comparisons, sampleRatio, verdict } = await lab.get('test', testId)
    expect(sampleRatio).toMatchObject({
      ...{ status: 'OK', expected: { a: 70, b: 70 } },
      chiSquare: { statistic: 0, degreesOfFreedom: 1, pValue: 1 },
    })
    const [first] = comparisons
    expect(first).toMatchObject({
      metric: 'ctr',
      role: 'primary',
      variantId: 'b',
      significant: true,
    })
    expect(first.lift).toBeGreaterThan(1)
    expect(first.interval.low).toBeGreaterThan(0)
    expect(first.alwaysValid.low).toBeLessThan(first.interval.low)
    expect(first.pValue).toBeLessThan(first.alwaysValid.p)
    expect(verdict).toEqual({ metric: 'ctr', decision: 'VARIANT', variantId: 'b' })
    expect(comparisons.filter(({ role }: { role: string }) => role === 'primary')).toHaveLength(1)
  })

  it('gives no verdict when the sample ratio is unhealthy, and says so once in the history', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    for (let n = 0; n < 60; n += 1) lab.searchIn(await lab.memberOf(testId, n % 10 ? 'b' : 'a'))
    const report = await lab.get('test', testId)
    expect(report.sampleRatio.status).toBe('UNHEALTHY')
    expect(report).toMatchObject({ verdict: null, withheld: 'sample ratio' })
    await lab.experiments.tick()
    await lab.experiments.tick()
    const types = lab.events().map(({ type }) => type)
    expect(types.filter((type) => type === 'TEST_SAMPLE_RATIO_UNHEALTHY')).toHaveLength(1)
  })
})

it('a sample ratio that was unhealthy once stays so when the counts come even again', async () => {
  const lab = openLaboratory()
  const { testId } = await lab.create('test', {})
  const dealt = async (arms: string) => {
    for (const arm of arms) lab.searchIn(await lab.memberOf(testId, arm))
    await lab.loop.caughtUp()
    await lab.experiments.tick()
    return lab.get('test', testId)
  }
  const { sampleRatio: alarmed } = await dealt('b'.repeat(40))
  expect(alarmed).toMatchObject({ status: 'UNHEALTHY', observed: { a: 0, b: 40 } })
  expect(alarmed.pValue).toBeLessThan(0.001)
  const even = await dealt('a'.repeat(40))
  expect(even.sampleRatio).toMatchObject({ status: 'UNHEALTHY', observed: { a: 40, b: 40 } })
  expect(even.sampleRatio.pValue).toBe(alarmed.pValue)
  // One look tells of this look alone.
  expect([alarmed, even.sampleRatio].map(({ chiSquare }) => chiSquare.statistic)).toEqual([40, 0])
  expect(even).toMatchObject({ verdict: null, withheld: 'sample ratio' })
  expect((await (await lab.reopen()).get('test', testId)).sampleRatio).toEqual(even.sampleRatio)
})

describe('an interleaved test', () => {
  it('credits a click to the team that supplied the hit, by search and unit', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', { mode: 'interleaving' })
    const interleaved = { testId, seed: 1, teams: 'abababababab' }
    for (let n = 0; n < 60; n += 1) {
      const member = await lab.session(`someone ${n}`)
      const query = lab.searchIn(member, { interleaved })
      // b supplied the second and the fourth; every tenth unit prefers a.
      if (n % 10 === 0) await lab.click(member, query, 'a')
      else {
        await lab.click(member, query, 'a')
        await lab.click(member, query, 'b')
        await lab.click(member, query, 'd')
        await lab.click(member, query, 'd')
      }
    }
    const { interleaving, verdict, metrics } = await lab.get('test', testId)
    expect(metrics['@interleaved']).toMatchObject({ units: 60, searches: 60, ctr: 1 })
    expect(interleaving).toMatchObject({ units: 60, preference: (54 - 6) / 60, significant: true })
    expect(interleaving.alwaysValid).toEqual(
      preferenceOf({ units: 60, x: 48, xx: 60, y: 60, yy: 60, xy: 48 })!.alwaysValid,
    )
    expect(verdict).toEqual({ metric: 'preference', decision: 'VARIANT', variantId: 'b' })
  })
})

describe('what ended long ago', () => {
  it('loses the rows of its units, and keeps its figures', async () => {
    const lab = openLaboratory()
    const { testId } = await lab.create('test', {})
    const member = await lab.memberOf(testId, 'b')
    await lab.click(member, lab.searchIn(member), 'a')
    const { metrics } = await lab.get('test', testId)
    await lab.experiments.steer('test', testId, 'stop')
    const DAY_MS = 86_400_000
    expect(await lab.experiments.sweep(lab.clock.nowMs + 29 * DAY_MS)).toBe(0)
    let removed = 0
    for (let n = 0; n < 5; n += 1)
      removed += await lab.experiments.sweep(lab.clock.nowMs + 31 * DAY_MS)
    expect(removed).toBe(2)
    expect(lab.store.tables.experimentUnits.count()).toBe(0)
    expect(lab.store.tables.experimentSearches.count()).toBe(0)
    expect((await lab.get('test', testId)).metrics).toEqual(metrics)
  })
})

it('a search is written into the arm that it is of, not into all', async () => {
  const store = temporaryStore()
  const lab = openLaboratory(store)
  const variants = Array.from({ length: 100 }, (_, n) => ({ id: `v${n}` }))
  const { testId } = await lab.create('test', { variants })
  lab.searchIn(await lab.memberOf(testId, 'v7'))
  await lab.loop.caughtUp()
  expect([...store.tables.experimentArms.keys()]).toEqual([[testId, 7]])
  expect((await lab.get('test', testId)).metrics.v7.searches).toBe(1)
})
