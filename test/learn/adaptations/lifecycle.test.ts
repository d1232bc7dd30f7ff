import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { RELEARNING } from '../../../src/learn/loop/fold.ts'
import { MACHINES } from '../../../src/learn/states.ts'
import { countTurns } from '../../count-turns.ts'
import { MINUTE_MS, QUERY_HASH, runOn } from '../learner.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

const HALF = { ADAPTATION_CANARY_SHARE: '0.5' }
const YEARS_MS = 10 * 365 * 24 * 60 * MINUTE_MS
const PINS = { pins: ['b'] }

/** Sessions of new users until `count` have the change and as many have not. */
async function sessionsOf(shop: Workshop, name: string, count: number) {
  const withIt: string[] = []
  const without: string[] = []
  while (withIt.length < count || without.length < count) {
    const session = await shop.session()
    const side = shop.applying(session).includes(name) ? withIt : without
    if (side.length < count) side.push(session)
  }
  return { withIt, without }
}

const nameOf = ({ adaptationId, version }: { adaptationId: string; version: number }) =>
  `${adaptationId}@${version}`

/** Expects a change that is searched with often enough to stay in canary until its time is over, and no longer. */
async function expectItsTime(shop: Workshop, change: Parameters<typeof nameOf>[0]) {
  const { withIt, without } = await sessionsOf(shop, nameOf(change), 1)
  for (let search = 0; search < 100; search += 1)
    for (const session of [withIt[0], without[0]]) shop.searchIn(session)
  await shop.pass(MINUTE_MS - 1)
  expect(shop.adaptations.get(change.adaptationId).status).toBe('CANARY')
  await shop.pass(1)
  expect(shop.adaptations.get(change.adaptationId).status).toBe('ACTIVE')
}

describe('a change', () => {
  it('starts in canary, for its share of the units and for nobody else', async () => {
    const shop = openWorkshop({ ADAPTATION_CANARY_SHARE: '0.25' })
    const change = await shop.apply(PINS)
    expect(change).toMatchObject({ status: 'CANARY', version: 1, queryHash: null })
    expect(change.rollbackPlan).toMatchObject({ targetVersion: 0, automatic: true })
    expect(shop.applying()).toEqual([])
    const sessions = await Promise.all(Array.from({ length: 400 }, () => shop.session()))
    const having = sessions.filter((session) => shop.applying(session).length > 0)
    expect(having.length).toBeGreaterThan(60)
    expect(having.length).toBeLessThan(140)
    for (const session of having) expect(shop.applying(session)).toEqual([nameOf(change)])
  })

  it('applies to all once it has served long enough and often enough', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply(PINS)
    const { withIt, without } = await sessionsOf(shop, nameOf(change), 1)
    for (let search = 0; search < 99; search += 1) shop.searchIn(withIt[0])
    for (let search = 0; search < 100; search += 1) shop.searchIn(without[0])
    await shop.pass(2 * MINUTE_MS)
    expect(shop.adaptations.get(change.adaptationId).status).toBe('CANARY')
    shop.searchIn(withIt[0])
    await shop.pass(1000)
    expect(shop.adaptations.get(change.adaptationId)).toMatchObject({
      status: 'ACTIVE',
      metrics: { with: { searches: 100, units: 1 } },
    })
    expect(shop.applying()).toEqual([nameOf(change)])
  })

  it('comes to all sooner where all its triggers ask for less, not before the searches of a canary', async () => {
    const shop = openWorkshop(HALF)
    const rollbackTriggers = ['ctr', 'zeroResultRate', 'latencyP95'].map((metric) => ({
      ...{ metric, operator: 'rise', threshold: 9, minSamples: 5 },
    }))
    const change = await shop.apply(PINS, { rollbackTriggers })
    const { withIt, without } = await sessionsOf(shop, nameOf(change), 1)
    for (let search = 0; search < 19; search += 1)
      for (const session of [withIt[0], without[0]]) shop.searchIn(session)
    await shop.pass(2 * MINUTE_MS)
    expect(shop.adaptations.get(change.adaptationId).status).toBe('CANARY')
    shop.searchIn(withIt[0])
    await shop.pass(1000)
    expect(shop.adaptations.get(change.adaptationId).status).toBe('ACTIVE')
  })

  it('that drives people away comes to nobody but those who get it first', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply(PINS)
    for (let search = 0; search < 300; search += 1) {
      const session = await shop.session()
      const isWithIt = shop.applying(session).length > 0
      const queryId = shop.searchIn(session)
      if (!isWithIt && search % 2 === 0) {
        await shop.log.flush()
        await shop.tell(session, queryId, 'a')
      }
      // Its canary time is over early on.
      if (search % 10 === 0) await shop.pass(MINUTE_MS / 4)
      expect(shop.applying()).toEqual([])
    }
    expect(shop.adaptations.get(change.adaptationId).status).toBe('ROLLED_BACK')
  })

  it('waits for its time though searches are many', async () => {
    const shop = openWorkshop(HALF)
    const change = await shop.apply(PINS)
    await expectItsTime(shop, change)
  })

  it('is in canary for its time where that began while the clock was years ahead', async () => {
    const shop = openWorkshop(HALF)
    shop.clock.nowMs += YEARS_MS
    const change = await shop.apply(PINS)
    await shop.pass(-YEARS_MS)
    runOn(60 * MINUTE_MS)
    await shop.pass(0)
    await expectItsTime(shop, change)
  })

  it('is taken back by what is seen once a clock that was ahead is right', async () => {
    const shop = openWorkshop(HALF)
    shop.clock.nowMs += YEARS_MS
    const rollbackTriggers = [{ metric: 'zeroResultRate', operator: 'gt', threshold: 0.5 }]
    const change = await shop.apply(PINS, { rollbackTriggers })
    const { withIt } = await sessionsOf(shop, nameOf(change), 1)
    // Good for as long as it was ahead: that no longer counts in the trigger's window.
    for (let search = 0; search < 60; search += 1) shop.searchIn(withIt[0])
    await shop.pass(-YEARS_MS)
    const { withIt: now } = await sessionsOf(shop, nameOf(change), 1)
    for (let search = 0; search < 30; search += 1) shop.searchIn(now[0], { total: 0 })
    await shop.pass(1000)
    expect(shop.adaptations.get(change.adaptationId)).toMatchObject({
      status: 'ROLLED_BACK',
      history: expect.arrayContaining([
        expect.objectContaining({ reason: 'zeroResultRate gt 0.5: 1' }),
      ]),
    })
  })

  it('does not wait for ever where nobody searches', async () => {
    const shop = openWorkshop()
    const change = await shop.apply(PINS)
    await shop.pass(10 * MINUTE_MS - 1)
    expect(shop.adaptations.get(change.adaptationId).status).toBe('CANARY')
    await shop.pass(1)
    expect(shop.adaptations.get(change.adaptationId).status).toBe('ACTIVE')
  })

  it.each(['immediate', 'force'])('applies to all at once when asked to (%s)', async (word) => {
    const shop = openWorkshop()
    const change = await shop.apply(PINS, { [word]: true })
    expect(change.status).toBe('ACTIVE')
    expect(shop.applying()).toEqual([nameOf(change)])
    expect(shop.adaptations.get(change.adaptationId).history.map(({ status }) => status)).toEqual([
      'PENDING',
      'VALIDATING',
      'CANARY',
      'ACTIVE',
    ])
  })

  it('is not judged while what it is judged by is counted anew, also when that begins behind another', async () => {
    const shop = openWorkshop()
    const { meta } = shop.store.tables
    const [one, other] = [await shop.apply(PINS), await shop.apply({ minScore: 0.5 })]
    shop.clock.nowMs += 60 * MINUTE_MS
    const ticking = shop.adaptations.tick(shop.clock.nowMs)
    await shop.store.write(() => meta.put(RELEARNING, 0))
    await ticking
    const statuses = () =>
      [one, other].map(({ adaptationId }) => shop.adaptations.get(adaptationId).status)
    expect(statuses()).toEqual(['ACTIVE', 'CANARY'])
    await shop.store.write(() => meta.remove(RELEARNING))
    await shop.adaptations.tick(shop.clock.nowMs)
    expect(statuses()).toEqual(['ACTIVE', 'ACTIVE'])
  })

  it('holds for its query alone when it names one', async () => {
    const shop = openWorkshop()
    const inBody = await shop.apply(PINS, { queryHash: QUERY_HASH, immediate: true })
    const other = 'fedcba9876543210'
    const inside = await shop.apply({ ...PINS, queryHash: other }, { immediate: true })
    expect(inside).toMatchObject({ queryHash: other, tuning: { pins: [{ id: 'b' }] } })
    expect(inside.warnings).toBeUndefined()
    expect(shop.applying()).toEqual([nameOf(inBody)])
    expect(shop.applying(undefined, other)).toEqual([nameOf(inside)])
    expect(shop.applying(undefined, 'third')).toEqual([])
  })

  it('comes after those for every query, so that the narrower one wins', async () => {
    const shop = openWorkshop()
    const own = await shop.apply(PINS, { queryHash: QUERY_HASH, immediate: true })
    const all = await shop.apply({ fusion: 'rrf' }, { immediate: true })
    expect(shop.applying()).toEqual([nameOf(all), nameOf(own)])
  })

  it('is rejected when its figures miss a threshold, and ranks nothing', async () => {
    const shop = openWorkshop()
    for (const validationMetrics of [{ ndcg: 0.6 }, [{ metric: 'ndcg', value: 0.6 }]]) {
      const rejected = await shop.apply(PINS, {
        ...{ immediate: true, validationMetrics },
        acceptanceThresholds: { ndcg: 0.7 },
      })
      expect(rejected).toMatchObject({ status: 'REJECTED', validation: { passed: false } })
      expect(shop.applying()).toEqual([])
    }
    const taken = await shop.apply(PINS, { acceptanceThresholds: { ndcg: 0.7 } })
    expect(taken).toMatchObject({ status: 'CANARY', validation: { passed: true, samples: 0 } })
    expect(taken.validation.note).toContain('Not judged, for no figure was sent: ndcg.')
  })

  it('says which threshold nothing was held against, and which figure is none', async () => {
    const shop = openWorkshop()
    const sent = { acceptanceThresholds: { foo: { min: 0.1, max: 0.5 } } }
    const change = await shop.apply(PINS, { ...sent, validationMetrics: { ctr: 'x', mrr: null } })
    expect(change).toMatchObject({ status: 'CANARY', validation: { passed: true } })
    expect(change.warnings).toEqual([
      expect.stringMatching(/^acceptanceThresholds: there is no figure of foo, .*ctrChange/),
      expect.stringMatching(/^validationMetrics: what is sent of ctr is no number/),
    ])
    const listed = [{ metric: 'ndcg', value: 'high' }, 'mrr']
    const more = { queryHash: QUERY_HASH, validationMetrics: listed }
    expect((await shop.apply(PINS, more)).warnings).toEqual([
      expect.stringMatching(/^validationMetrics: what is sent of ndcg is no number/),
    ])
    const judged = { acceptanceThresholds: { ndcg: 0.5 }, validationMetrics: { ndcg: 0.6 } }
    expect(
      (await shop.apply(PINS, { ...judged, queryHash: 'fedcba9876543210' })).warnings,
    ).toBeUndefined()
  })

  it('is kept, and says so, when nothing of it ranks', async () => {
    const shop = openWorkshop()
    const change = await shop.apply({ palette: 'blue' }, { immediate: true })
    expect(change).toMatchObject({ status: 'ACTIVE', changes: { palette: 'blue' }, tuning: {} })
    expect(change.warnings).toEqual([
      'Kept, but no setting of the ranking: palette.',
      'The change is recorded and ranks nothing: none of it is a setting of the ranking.',
    ])
    expect((await shop.apply({ palette: 'red' })).status).toBe('CANARY')
  })

  it.each([
    { pins: [] },
    { queryHash: 'x', synonyms: [], boosts: {} },
    { ranking: { fieldWeights: {} } },
    { boost: {} },
    [{ parameter: 'pins', value: [] }],
  ])('is refused when nothing is in it: %j', async (changes) => {
    const shop = openWorkshop()
    const refused = { code: 'VALIDATION_FAILED', details: [{ path: 'changes' }] }
    const sent = { type: 'ranking', changes }
    await expect(shop.adaptations.apply(sent)).rejects.toMatchObject(refused)
    await expect(shop.adaptations.createRule({ changes })).rejects.toMatchObject(refused)
    expect(await shop.listed()).toEqual([])
  })

  it.each([
    [{ fusion: 'convex', pins: [] }, { fusion: 'convex' }],
    [{ model: null }, { model: null }],
    [{ learning: true }, { learning: true }],
    [
      { minScore: 0, synonyms: ['tv, telly'] },
      { minScore: 0, synonyms: [['tv', 'telly']] },
    ],
  ])('is taken when it says what holds anyway: %j', async (changes, tuning) => {
    expect(await openWorkshop().apply(changes)).toMatchObject({ status: 'CANARY', tuning })
  })

  it('is that of its other settings where a list or an object in it is empty, which it says', async () => {
    const shop = openWorkshop()
    const earlier = await shop.apply({ fusion: 'rrf' }, { immediate: true })
    const sent = { fusion: 'convex', synonyms: [], fieldWeights: {}, pins: [] }
    const change = await shop.apply(sent, { immediate: true })
    expect(change.tuning).toEqual({ fusion: 'convex' })
    const each = ['synonyms', 'fieldWeights', 'pins'].map(
      (name) => `${name} (empty, which counts as not sent)`,
    )
    expect(change.warnings).toEqual([`Kept, but no setting of the ranking: ${each.join(', ')}.`])
    // It takes the place of one that sets the same.
    expect(shop.adaptations.get(earlier.adaptationId).status).toBe('SUPERSEDED')
  })

  it('says when it names a model that is not there', async () => {
    const shop = openWorkshop()
    expect(
      (await shop.apply({ model: 'known' }, { queryHash: QUERY_HASH })).warnings,
    ).toBeUndefined()
    expect((await shop.apply({ model: 'gone' })).warnings?.[0]).toContain('model')
  })

  it('is one of many that are judged, between which others have their turn', async () => {
    const shop = openWorkshop()
    for (let at = 0; at < 8; at += 1)
      await shop.apply(PINS, { queryHash: `${QUERY_HASH}${at}`, immediate: true })
    const { turns } = await countTurns(() => shop.adaptations.tick(shop.clock.nowMs))
    expect(turns).toBeGreaterThan(7)
  })

  it('is answered once its model is loaded: the next search ranks by it', async () => {
    const steps: string[] = []
    const shop = openWorkshop({}, undefined, undefined, async (name) => {
      await setImmediate()
      steps.push(name, ...shop.applying())
    })
    await shop.apply({ model: 'known' }, { immediate: true })
    steps.push('answered')
    expect(steps).toEqual(['known', 'answered'])
    expect(shop.applying()).toHaveLength(1)
  })

  it('that a rollback brings back is told of once its model is loaded', async () => {
    const steps: string[] = []
    const shop = openWorkshop({}, undefined, undefined, async (name) => {
      await setImmediate()
      steps.push(name)
    })
    await shop.apply({ model: 'known' }, { immediate: true })
    const { adaptationId } = await shop.apply({ model: null }, { immediate: true })
    steps.push('superseded')
    await shop.adaptations.rollBack(adaptationId)
    steps.push('rolled back')
    expect(steps).toEqual(['known', 'superseded', 'known', 'rolled back'])
  })
})

describe('two changes', () => {
  it('of the same setting collide while one is in canary', async () => {
    const shop = openWorkshop()
    await shop.apply({ pins: ['b'], fusion: 'rrf' })
    const conflict = expect.objectContaining({ code: 'ADAPTATION_CONFLICT' })
    await expect(shop.apply({ fusion: 'convex' })).rejects.toEqual(conflict)
    await expect(shop.apply({ fusion: 'convex' }, { immediate: true })).rejects.toEqual(conflict)
    expect((await shop.apply({ fusion: 'convex' }, { queryHash: 'other' })).status).toBe('CANARY')
    expect((await shop.apply({ minScore: 0.1 })).status).toBe('CANARY')
  })

  it('of the same setting: the newer takes the place of the active one', async () => {
    const shop = openWorkshop(HALF)
    const older = await shop.apply({ minScore: 0.1 }, { immediate: true })
    const newer = await shop.apply({ minScore: 0.2 })
    const { withIt, without } = await sessionsOf(shop, nameOf(newer), 1)
    expect(shop.applying(withIt[0])).toEqual([nameOf(newer)])
    expect(shop.applying(without[0])).toEqual([nameOf(older)])
    await shop.pass(10 * MINUTE_MS)
    expect(shop.applying()).toEqual([nameOf(newer)])
    expect(shop.adaptations.get(older.adaptationId).status).toBe('SUPERSEDED')
    expect(shop.adaptations.get(newer.adaptationId).rollbackPlan.targetVersion).toBe(older.version)
  })

  it('of which the newer sets less both stay', async () => {
    const shop = openWorkshop()
    const older = await shop.apply({ minScore: 0.1, fusion: 'rrf' }, { immediate: true })
    const newer = await shop.apply({ minScore: 0.2 }, { immediate: true })
    expect(shop.applying()).toEqual([nameOf(older), nameOf(newer)])
  })
})

describe('a rollback', () => {
  it('by hand is a new version with the content of the earlier one, in one step', async () => {
    const shop = openWorkshop()
    const older = await shop.apply({ minScore: 0.1 }, { immediate: true })
    const newer = await shop.apply({ minScore: 0.2 }, { immediate: true })
    const rolled = await shop.adaptations.rollBack(newer.adaptationId, { reason: 'no good' })
    expect(rolled).toMatchObject({ status: 'ROLLED_BACK', restored: { restores: older.version } })
    expect(rolled.restored?.version).toBe(newer.version + 1)
    expect(rolled.version).toBe(newer.version + 1)
    expect(shop.adaptations.get(newer.adaptationId).version).toBe(newer.version + 1)
    const versions = shop.store.tables.rankingVersions
    expect(versions.get(rolled.restored!.version)?.content).toEqual(
      versions.get(older.version)?.content,
    )
    expect(shop.applying()).toEqual([nameOf(older)])
    expect(shop.adaptations.get(older.adaptationId).status).toBe('ACTIVE')
    expect(rolled.history.at(-1)).toMatchObject({ status: 'ROLLED_BACK', reason: 'no good' })
  })

  it('is read where it was taken back and where it is in force again: the version, its content, what it restores', async () => {
    const shop = openWorkshop()
    const older = await shop.apply({ minScore: 0.1 }, { immediate: true })
    const newer = await shop.apply({ minScore: 0.2 }, { immediate: true })
    expect([older.rankingVersion, newer.rankingVersion]).toEqual([1, 2])
    expect(shop.adaptations.get(older.adaptationId)).not.toHaveProperty('rankingVersion')
    const { restored } = await shop.adaptations.rollBack(newer.adaptationId)
    expect(restored).toEqual({ version: 3, restores: 1, kept: [] })
    const again = { version: 3, reason: 'ROLLED_BACK', restores: 1 }
    const content = [{ adaptationId: older.adaptationId, version: 1, tuning: { minScore: 0.1 } }]
    for (const { adaptations, listed } of [shop, await shop.reopen()]) {
      const taken = adaptations.get(newer.adaptationId)
      expect(taken).toMatchObject({ version: 3, restored })
      expect(taken.versions.at(-1)).toMatchObject({ ...again, content })
      expect(taken).not.toHaveProperty('rankingVersion')
      const back = adaptations.get(older.adaptationId)
      expect(back).toMatchObject({ status: 'ACTIVE', version: 1, rankingVersion: 3 })
      expect(back.versions).toMatchObject([{ version: 1 }, { ...again, content }])
      expect(back).not.toHaveProperty('restored')
      expect((await listed()).map((each) => each.rankingVersion)).toEqual([undefined, 3])
    }
    const [told] = Array.from(shop.store.tables.events.range(), ({ value }) => value)
      .filter(({ type }) => type === 'ADAPTATION_ACTIVE')
      .slice(-1)
    expect(told).toMatchObject({ adaptationId: older.adaptationId, data: { rankingVersion: 3 } })
  })

  it('tells which later changes it kept whenever it is read', async () => {
    const shop = openWorkshop(HALF)
    const bad = await shop.apply({ minScore: 0.1 }, { immediate: true })
    const later = await shop.apply({ fusion: 'rrf' }, { immediate: true })
    const canary = await shop.apply({ neighbors: 9 })
    for (const { adaptationId } of [bad, canary]) {
      const { restored } = await shop.adaptations.rollBack(adaptationId)
      expect(restored).toBeDefined()
      expect(shop.adaptations.get(adaptationId).restored).toEqual(restored)
    }
    const { rankingVersion, versions } = shop.adaptations.get(later.adaptationId)
    expect(versions.at(-1)).toMatchObject({ version: rankingVersion, reason: 'ROLLED_BACK' })
    expect(versions.map(({ version }) => version)).toEqual([later.version, rankingVersion])
  })

  it('of a canary leaves the ranking as it was', async () => {
    const shop = openWorkshop(HALF)
    const older = await shop.apply({ minScore: 0.1 }, { immediate: true })
    const canary = await shop.apply({ minScore: 0.2 })
    const { withIt } = await sessionsOf(shop, nameOf(canary), 1)
    await shop.adaptations.rollBack(canary.adaptationId)
    expect(shop.applying(withIt[0])).toEqual([nameOf(older)])
    expect((await shop.apply({ minScore: 0.3 })).status).toBe('CANARY')
  })

  it('that comes just when the canary has passed is what counts', async () => {
    const shop = openWorkshop(HALF)
    const { adaptationId } = await shop.apply(PINS)
    shop.clock.nowMs += 60 * MINUTE_MS
    await Promise.all([
      shop.adaptations.rollBack(adaptationId),
      shop.adaptations.tick(shop.clock.nowMs),
    ])
    expect(shop.adaptations.get(adaptationId).status).toBe('ROLLED_BACK')
    expect(shop.eventTypes()).not.toContain('ADAPTATION_FAILED')
    expect(shop.applying()).toEqual([])
  })

  it('leaves later changes in force', async () => {
    const shop = openWorkshop()
    const bad = await shop.apply({ minScore: 0.1 }, { immediate: true })
    const later = await shop.apply({ fusion: 'rrf' }, { immediate: true })
    const { restored } = await shop.adaptations.rollBack(bad.adaptationId)
    expect(restored?.kept).toEqual([later.adaptationId])
    expect(shop.applying()).toEqual([nameOf(later)])
  })

  it('of what is not in force is refused', async () => {
    const shop = openWorkshop()
    const older = await shop.apply({ minScore: 0.1 }, { immediate: true })
    const newer = await shop.apply({ minScore: 0.2 }, { immediate: true })
    const refused = expect.objectContaining({ code: 'INVALID_TRANSITION' })
    await expect(shop.adaptations.rollBack(older.adaptationId)).rejects.toEqual(refused)
    await shop.adaptations.rollBack(newer.adaptationId)
    await expect(shop.adaptations.rollBack(newer.adaptationId)).rejects.toEqual(refused)
    await expect(shop.adaptations.rollBack('nothing')).rejects.toEqual(
      expect.objectContaining({ code: 'ADAPTATION_NOT_FOUND' }),
    )
  })

  it('and all else is the same after the service was opened anew', async () => {
    const shop = openWorkshop(HALF)
    await shop.apply({ minScore: 0.1 }, { immediate: true })
    const canary = await shop.apply({ fusion: 'rrf' })
    const { withIt, without } = await sessionsOf(shop, nameOf(canary), 2)
    for (const session of [...withIt, ...without]) shop.searchIn(session)
    await shop.loop.caughtUp()
    const { metrics } = shop.adaptations.get(canary.adaptationId)
    expect(metrics).toMatchObject({ with: { searches: 2, units: 2 }, without: { searches: 2 } })
    const before = [shop.applying(), shop.applying(withIt[0])]
    const again = await shop.reopen()
    expect([again.applying(), again.applying(withIt[0])]).toEqual(before)
    expect(again.adaptations.get(canary.adaptationId).metrics).toEqual(metrics)
    again.searchIn(withIt[0])
    await again.loop.caughtUp()
    const { with: arm } = again.adaptations.get(canary.adaptationId).metrics
    expect(arm).toMatchObject({ searches: 3, units: 2 })
  })
})

describe('the statuses of a change', () => {
  it('only go where the table lets them, and every verb goes through it', async () => {
    const reached = new Set<string>()
    const shop = openWorkshop()
    await shop.apply(PINS, { acceptanceThresholds: { ndcg: 1 }, validationMetrics: { ndcg: 0 } })
    const active = await shop.apply(PINS, { immediate: true })
    const newer = await shop.apply(PINS, { immediate: true })
    await shop.adaptations.rollBack(newer.adaptationId)
    await shop.adaptations.rollBack(active.adaptationId)
    const canary = await shop.apply(PINS)
    await shop.adaptations.rollBack(canary.adaptationId)
    for (const { adaptationId } of await shop.listed()) {
      const { history } = shop.adaptations.get(adaptationId)
      history.reduce((from, to) => {
        reached.add(`${from.status} ${to.status}`)
        return to
      })
    }
    const allowed = Object.entries(MACHINES.adaptation).flatMap(([from, to]) =>
      to.map((each) => `${from} ${each}`),
    )
    for (const step of reached) expect(allowed).toContain(step)
    expect([...reached].sort()).toEqual([
      'ACTIVE ROLLED_BACK',
      'ACTIVE SUPERSEDED',
      'CANARY ACTIVE',
      'CANARY ROLLED_BACK',
      'PENDING VALIDATING',
      'SUPERSEDED ACTIVE',
      'VALIDATING CANARY',
      'VALIDATING REJECTED',
    ])
    expect(new Set(shop.eventTypes())).toEqual(
      new Set([
        ...['ADAPTATION_APPLIED', 'ADAPTATION_REJECTED', 'ADAPTATION_CANARY'],
        ...['ADAPTATION_ACTIVE', 'ADAPTATION_SUPERSEDED', 'ADAPTATION_ROLLED_BACK'],
      ]),
    )
  })

  it('end somewhere: old changes and versions go, those in force stay', async () => {
    const shop = openWorkshop()
    const kept = await shop.apply({ minScore: 0.1 }, { immediate: true })
    const over = await shop.apply({ minScore: 0.2 }, { immediate: true })
    const gone = await shop.apply({ fusion: 'rrf' }, { immediate: true })
    shop.searchIn(undefined)
    await shop.adaptations.rollBack(gone.adaptationId)
    await shop.pass(31 * 86_400_000)
    const ids = (await shop.listed()).map(({ adaptationId }) => adaptationId)
    expect(ids.sort()).toEqual([over.adaptationId, kept.adaptationId].sort())
    await shop.adaptations.rollBack(over.adaptationId)
    expect(shop.applying()).toEqual([nameOf(kept)])
    const figures = [...shop.store.tables.adaptationFigures.keys()].map(([id]) => id)
    expect(figures).not.toContain(gone.adaptationId)
  })

  it('bring nothing back that is gone, however many took its place one after the other', async () => {
    const shop = openWorkshop()
    const [first, second, third] = [
      await shop.apply({ minScore: 0.1 }, { immediate: true }),
      await shop.apply({ minScore: 0.2 }, { immediate: true }),
      await shop.apply({ minScore: 0.3 }, { immediate: true }),
    ]
    await shop.pass(31 * 86_400_000)
    expect((await shop.listed()).map((each) => each.adaptationId)).not.toContain(first.adaptationId)
    await shop.adaptations.rollBack(third.adaptationId)
    expect(shop.applying()).toEqual([nameOf(second)])
    await shop.adaptations.rollBack(second.adaptationId)
    expect(shop.applying()).toEqual([])
  })

  it('leave no row for a query whose ranking has long been as it was', async () => {
    const shop = openWorkshop()
    const { rankingScopes, rankingVersions } = shop.store.tables
    const change = (queryHash: string) => shop.apply(PINS, { queryHash, immediate: true })
    const { adaptationId } = await change('q-over')
    await shop.adaptations.rollBack(adaptationId)
    const { adaptationId: going } = await change('q-kept')
    const scopes = () => [...rankingScopes.keys()]
    await shop.pass(86_400_000)
    expect(scopes()).toEqual(['q-kept', 'q-over'])
    await shop.pass(31 * 86_400_000)
    expect(scopes()).toEqual(['q-kept'])
    expect([...rankingVersions.keys()]).toHaveLength(1)
    expect(shop.applying(undefined, 'q-kept')).toEqual([`${going}@3`])
    expect(await change('q-over')).toMatchObject({ rollbackPlan: { targetVersion: 0 } })
    expect(shop.applying(undefined, 'q-over')).toHaveLength(1)
  })

  it('make room for later versions, however many early ones stay', async () => {
    const shop = openWorkshop()
    const { rankingScopes, rankingVersions } = shop.store.tables
    const same = { timeMs: shop.clock.nowMs, reason: 'ACTIVE' as const }
    await shop.store.write(() => {
      for (let version = 1; version <= 1001; version += 1) {
        const [scope, adaptationId] = [`q${version}`, `a${version}`]
        const content = [{ adaptationId, version, tuning: {} }]
        rankingVersions.put(version, { ...same, version, scope, adaptationId, content })
        if (version <= 1000) rankingScopes.put(scope, { head: version, open: [adaptationId] })
      }
    })
    await shop.pass(31 * 86_400_000)
    expect(rankingVersions.get(1001)).toBeUndefined()
    expect([...rankingVersions.keys()]).toHaveLength(1000)
  })
})

describe('the most that may be in force', () => {
  it('is kept by those that are applied at the same time, and one that is rolled back makes room', async () => {
    const shop = openWorkshop()
    const apply = (at: number) => shop.apply(PINS, { queryHash: `q${at}`, immediate: at % 2 === 0 })
    const asked = await Promise.allSettled(Array.from({ length: 1002 }, (_, at) => apply(at)))
    const refused = { code: 'LIMIT_REACHED', message: expect.stringContaining('roll back') }
    expect(asked.filter(({ status }) => status === 'rejected')).toMatchObject(
      Array(2).fill({ reason: refused }),
    )
    const [one] = await shop.listed({ status: ['ACTIVE'], limit: 1 })
    await shop.adaptations.rollBack(one!.adaptationId)
    expect((await apply(1002)).status).toBe('ACTIVE')
    await expect(apply(1003)).rejects.toMatchObject(refused)
  })

  it('is so much of what was sent together, too', async () => {
    const shop = openWorkshop()
    const apply = (at: number, letters: number) =>
      shop.apply(PINS, {
        queryHash: `q${at}`,
        immediate: true,
        expectedImpact: 'x'.repeat(letters),
      })
    for (let at = 0; at < 15; at += 1) await apply(at, 2 ** 20)
    const asked = await Promise.allSettled([apply(15, 2 ** 19), apply(16, 2 ** 19)])
    // Long ones are written a part at a time: which is first is not told.
    const refused = asked.findIndex(({ status }) => status === 'rejected')
    expect(asked[1 - refused]).toMatchObject({ status: 'fulfilled' })
    const message = expect.stringMatching(/16777216 characters of JSON together.*roll back/)
    expect(asked[refused]).toMatchObject({ reason: { code: 'LIMIT_REACHED', message } })
    const [one] = await shop.listed({ queryHash: 'q0' })
    await shop.adaptations.rollBack(one!.adaptationId)
    expect((await apply(15 + refused, 2 ** 19)).status).toBe('ACTIVE')
  })
})

describe('the changes of one query', () => {
  /** What none of two changes sets takes the place of the other: those that set more come first. */
  const settings = { minScore: 0.1, fusion: 'rrf', operator: 'and', neighbors: 50, feedback: false }
  const more = { similarity: 0.2, fuzziness: '1', learning: false }
  const entries = Object.entries({ ...settings, ...more })
  const subsets = Array.from({ length: 2 ** entries.length - 1 }, (_, at) =>
    entries.filter((_, bit) => ((at + 1) >> bit) % 2 === 1),
  ).sort((a, b) => b.length - a.length)

  it('are a hundred in force at most', async () => {
    const shop = openWorkshop()
    const apply = (at: number, queryHash = QUERY_HASH) =>
      shop.apply(Object.fromEntries(subsets[at] ?? []), { queryHash, immediate: true })
    for (let at = 0; at < 100; at += 1) await apply(at)
    expect(shop.applying()).toHaveLength(100)
    await expect(apply(100)).rejects.toMatchObject({ code: 'ADAPTATION_CONFLICT' })
    await expect(apply(100, 'f'.repeat(16))).resolves.toMatchObject({ status: 'ACTIVE' })
  })

  it('are so long at most that a version of the ranking can hold all of them', async () => {
    const shop = openWorkshop()
    const boosts = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [String(at).padStart(500, 'x'), 0.1]),
    )
    const apply = (changes: Record<string, unknown>, queryHash = QUERY_HASH) =>
      shop.apply(changes, { queryHash, immediate: true })
    // One alone may be as long as a request, and what takes its place, too.
    const first = await apply({ boosts, minScore: 0.1 })
    const second = await apply({ boosts, minScore: 0.2 })
    await apply({ boosts, neighbors: 50 })
    await expect(apply({ boosts, feedback: false })).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
      message: expect.stringMatching(/one query, or for all, .*1048576 characters.*roll back/),
    })
    await expect(apply({ feedback: false })).resolves.toMatchObject({ status: 'ACTIVE' })
    await expect(apply({ boosts, feedback: false }, 'f'.repeat(16))).resolves.toBeDefined()
    await shop.adaptations.rollBack(second.adaptationId)
    expect(shop.adaptations.get(first.adaptationId)).toMatchObject({
      rankingVersion: 6,
      versions: [{ version: 1 }, { version: 6 }],
    })
  })

  it('are read of what they led to alone, not of all that came later', async () => {
    const shop = openWorkshop()
    const first = await shop.apply({ minScore: 0.1 }, { immediate: true })
    await shop.apply({ neighbors: 50 }, { immediate: true })
    const range = vi.spyOn(shop.store.tables.rankingVersions, 'range')
    expect(shop.adaptations.get(first.adaptationId).versions).toMatchObject([
      { version: 1, reason: 'APPLIED' },
      { version: 2, content: [{ version: 1 }, { version: 2 }] },
    ])
    expect(range).not.toHaveBeenCalled()
    // As an earlier version of the service has it.
    const { adaptations } = shop.store.tables
    const { led: _, ...earlier } = adaptations.get(first.adaptationId)!
    await shop.store.write(() => adaptations.put(first.adaptationId, earlier))
    expect(shop.adaptations.get(first.adaptationId).versions).toHaveLength(2)
    await shop.adaptations.rollBack(first.adaptationId)
    expect(shop.adaptations.get(first.adaptationId).versions).toMatchObject([
      { version: 1, reason: 'APPLIED' },
      { version: 3, reason: 'ROLLED_BACK' },
    ])
  })
})
