import { v7 as uuid } from 'uuid'
import { expect, it } from 'vitest'
import type {
  Fact,
  FeedbackEntry,
  FeedbackFact,
  FeedbackStatus,
  Impression,
} from '../../../src/learn/facts.ts'
import { showUsage } from '../../../src/learn/models/answers.ts'
import { judgeCanary } from '../../../src/learn/models/canary.ts'
import { type ModelEvidence, openEvidence } from '../../../src/learn/models/evidence.ts'
import { isInShare } from '../../../src/learn/models/trial-units.ts'
import type { Trial } from '../../../src/schema/model-record.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/open.ts'
import { impressionOf } from '../impressions/parts.ts'

const GAINS: Record<string, number> = { click: 0.3, purchase: 1, dismiss: 0 }
const trial: Trial = {
  modelId: 'm',
  version: 2,
  stage: 'CANARY',
  number: 7,
  sinceMs: 1000,
  share: 0.5,
  control: 'live@1',
  base: 0,
  asked: 0,
}

function start(now: Trial | undefined = undefined, store: Store = temporaryStore()) {
  const gainOf = ({ action }: FeedbackEntry) => GAINS[action]
  const evidence = openEvidence({ store, trial: () => now, gainOf })
  evidence.load()
  return { store, evidence, fold: (...facts: Fact[]) => fold(store, evidence, facts) }
}

function fold(store: Store, evidence: ModelEvidence, facts: Fact[]): Promise<void> {
  return store.write(() => {
    for (const fact of facts) evidence.take(fact)
    evidence.save()
  })
}

const impression = (more: Partial<Impression> = {}) => impressionOf({ unit: 'u', ...more })

const search = (shown: Impression): Fact => ({
  kind: 'search',
  sequence: 1,
  impression: shown,
})

function feedback(
  shown: Impression | undefined,
  hit: number | undefined,
  action = 'click',
  status: FeedbackStatus = 'learned',
): Fact {
  const queryId = shown?.queryId ?? 'unknown'
  const entry = { signalId: 's', queryId, action, rating: 1, timeMs: 2000, status }
  const who = { sessionId: 's', unit: shown?.unit ?? 'u' }
  return { kind: 'feedback', sequence: 2, receivedMs: 2000, ...who, entry, impression: shown, hit }
}

it('a search with several clicks is one search with a click, at the best place', async () => {
  const { evidence, fold } = start()
  const shown = impression({ model: 'm@2' })
  await fold(search(shown), feedback(shown, 2))
  expect(evidence.usage('m@2')).toMatchObject({ searches: 1, clicked: 1, reciprocalRank: 1 / 3 })
  await fold(feedback(shown, 1), feedback(shown, 2, 'purchase'))
  expect(evidence.clicked()).toBe(1)
  expect(evidence.usage('m@2')).toEqual({
    searches: 1,
    clickable: 1,
    clicked: 1,
    clickedOfNobody: 0,
    reciprocalRank: expect.closeTo(1 / 2, 12),
    shadowSearches: 0,
  })
})

it('of a search of nobody nothing can be said, so that no rate counts it', async () => {
  const { store, evidence, fold } = start()
  const { unit: _, ...nobody } = impression({ model: 'm@2' })
  await fold(search(impression({ model: 'm@2' })), search({ ...nobody, queryId: uuid() }))
  expect(evidence.usage('m@2')).toMatchObject({ searches: 2, clickable: 1 })
  const told = { ...nobody, queryId: uuid() }
  await fold(search(told), feedback(told, 0))
  expect(evidence.usage('m@2')).toMatchObject({ searches: 3, clickable: 1, clicked: 1 })
  // No training takes its page, so none waits for it.
  expect(evidence.clicked()).toBe(0)
  expect(showUsage(evidence.usage('m@2'))).toMatchObject({ clicked: 1, ctr: 0, mrr: 0 })
  // A row of a version before, which took every search for such a one.
  const row = { searches: 4, clicked: 1, reciprocalRank: 1, shadowSearches: 0 }
  await store.write(() => store.tables.modelUsage.put('old@1', row))
  expect(evidence.usage('old@1')).toEqual({ ...row, clickable: 4, clickedOfNobody: 0 })
})

it('what others say of a search is neither a use of the model, nor a lesson, nor a part of a trial', async () => {
  const { store, evidence, fold } = start(trial)
  const [unit = ''] = users(true)
  const shown = impression({ unit, model: 'm@2' })
  const told = feedback(shown, 0, 'purchase') as FeedbackFact
  await fold(search(shown), { ...told, sessionId: 'thief', unit: 'thief' })
  expect(evidence.usage('m@2')).toMatchObject({ searches: 1, clickable: 1, clicked: 0 })
  expect(evidence.clicked()).toBe(0)
  expect(store.tables.judgements.count()).toBe(0)
  expect(store.tables.trialUnits.get([7, unit])).toMatchObject({ searches: 1, clicked: 0 })
  // Another session of the same user is no other.
  await fold({ ...told, sessionId: 'on the phone' })
  expect(evidence.usage('m@2')).toMatchObject({ clicked: 1, reciprocalRank: 1 })
  expect(store.tables.judgements.get(shown.queryId)).toEqual({ unit, gains: [[0, 1]] })
  expect(store.tables.trialUnits.get([7, unit])).toMatchObject({ searches: 1, clicked: 1 })
})

it('a click beyond the tenth place is one without a rank, here as in tests, reports and patterns', async () => {
  const { evidence, fold } = start()
  const shown = impression({ model: 'm@2', from: 8 })
  await fold(search(shown), feedback(shown, 2))
  expect(evidence.usage('m@2')).toMatchObject({ clicked: 1, reciprocalRank: 0 })
  await fold(feedback(shown, 1))
  expect(evidence.usage('m@2')).toMatchObject({ clicked: 1, reciprocalRank: 1 / 10 })
})

it('what is kept of a search is the greatest gain of each hit', async () => {
  const { store, fold } = start()
  const shown = impression({ from: 10 })
  await fold(feedback(shown, 0), feedback(shown, 0, 'purchase'), feedback(shown, 1))
  await fold(feedback(shown, 0))
  expect(store.tables.judgements.get(shown.queryId)).toEqual({
    unit: 'u',
    gains: [
      [0, 1],
      [1, 0.3],
    ],
  })
})

it('what carries no weight or no gain is nothing', async () => {
  const { store, evidence, fold } = start()
  const shown = impression()
  const statuses: FeedbackStatus[] = ['duplicate', 'unmatched', 'late']
  await fold(...statuses.map((status) => feedback(shown, 0, 'click', status)))
  await fold(feedback(shown, 0, 'dismiss'), feedback(shown, 0, 'unheard-of'))
  await fold(feedback(shown, undefined), feedback(undefined, undefined))
  expect(evidence.clicked()).toBe(0)
  expect(store.tables.judgements.count()).toBe(0)
})

it('searches scored in shadow are counted for that model', async () => {
  const { evidence, fold } = start()
  await fold(search(impression({ shadowModel: 'm@2', shadowScores: [1, 2, 3] })))
  await fold(search(impression({ shadowModel: 'm@2' })))
  expect(evidence.searches({ modelId: 'm', version: 2 }, 'SHADOW')).toBe(1)
  expect(evidence.usage('')).toMatchObject({ searches: 2 })
})

/** Names of users in the share of the trial, or of others. */
function users(inShare: boolean): string[] {
  const names = Array.from({ length: 50 }, (_, n) => `user-${n}`)
  return names.filter((name) => isInShare(trial, name) === inShare)
}

it('a trial counts its users by who ranked for them', async () => {
  const { store, fold } = start(trial)
  const [a = '', b = '', c = ''] = users(true)
  const [other = ''] = users(false)
  const mine = impression({ unit: a, model: 'm@2' })
  const others = impression({ unit: other, model: 'live@1' })
  await fold(search(mine), search(mine), search(others), feedback(mine, 1))
  // Before the stage, by another model than the user's, of nobody.
  await fold(search(impression({ unit: b, model: 'm@2', timeMs: 999 })))
  await fold(search(impression({ unit: c, model: 'live@1' })))
  await fold(search(impression({ unit: c, model: 'other@1' })))
  await fold(search(impression({ unit: other, model: 'm@2' })))
  const { unit, ...nobody } = impression({ model: 'm@2' })
  await fold(search(nobody))
  const rows = [...store.tables.trialUnits.range()].map(({ key, value }) => [...key, value])
  expect(rows).toHaveLength(2)
  expect(rows).toContainEqual([
    ...[7, a, { arm: 'CANARY', searches: 2, clicked: 1, reciprocalRank: 0.5 }],
  ])
  expect(rows).toContainEqual([
    ...[7, other, { arm: 'CONTROL', searches: 1, clicked: 0, reciprocalRank: 0 }],
  ])
})

it('a model that harms the queries that it knows is found out, however few click under the others', async () => {
  const { store, fold } = start({ ...trial, control: '' })
  const names = Array.from({ length: 600 }, (_, n) => `user-${n}`)
  for (const [n, unit] of names.entries()) {
    const inShare = isInShare(trial, unit)
    // Of queries that nobody clicked under the model leaves everybody's order alone.
    const unknown = impression({ unit, queryHash: 'unknown' })
    const known = [1, 2].map(() => impression({ unit, ...(inShare ? { model: 'm@2' } : {}) }))
    const clicked = known.filter((_, at) => (n + at) % 10 < (inShare ? 4 : 7))
    await fold(
      ...[unknown, unknown, ...known].map(search),
      ...clicked.map((shown) => feedback(shown, 0)),
    )
  }
  const units = Array.from(store.tables.trialUnits.range(), ({ value }) => value)
  const { outcome, figures } = judgeCanary(units, { ranked: 600, searchesMin: 100 })
  expect(figures.ctr).toMatchObject({
    control: expect.closeTo(0.35, 1),
    canary: expect.closeTo(0.2, 1),
  })
  expect(outcome).toBe('refuse')
})

it('a transaction that fails leaves nothing behind', async () => {
  const { store, evidence, fold } = start()
  const shown = impression()
  await fold(search(shown))
  const failing = store.write(() => {
    evidence.take(feedback(shown, 0))
    evidence.save()
    throw new Error('no room')
  })
  await expect(failing).rejects.toThrow('no room')
  evidence.load()
  expect(evidence.clicked()).toBe(0)
  expect(evidence.usage('')).toMatchObject({ searches: 1, clicked: 0 })
  await fold(feedback(shown, 0))
  expect(evidence.clicked()).toBe(1)
})

it('folded anew the state is the same', async () => {
  const { store, evidence, fold } = start(trial)
  const facts = Array.from({ length: 50 }, (_, n) => {
    const shown = impression({ unit: `u${n % 7}`, model: n % 2 ? 'm@2' : 'live@1' })
    return [search(shown), feedback(shown, n % 3), feedback(shown, 0, 'purchase')]
  }).flat()
  const rows = () =>
    (['modelUsage', 'judgements', 'trialUnits'] as const).map((name) => [
      ...store.tables[name].range(),
    ])
  await fold(...facts)
  const once = rows()
  expect(once.every((table) => table.length > 0)).toBe(true)
  await store.write(() => evidence.reset!())
  expect(rows()).toEqual([[], [], []])
  for (const fact of facts) await fold(fact)
  expect(rows()).toEqual(once)
  expect(evidence.clicked()).toBe(50)
})

it('what a forgotten session told goes, also under the name of its user; what others told stays', async () => {
  const { store, evidence, fold } = start()
  const [own, other] = [impression({ unit: 'ann' }), impression({ unit: 'bob' })]
  const told = feedback(own, 0)
  await fold(told, feedback(other, 0))
  const doomed = { names: new Set(['s']), facts: [search(own), told], sequence: 9 }
  await store.write(() => evidence.forget!(doomed))
  expect([...store.tables.judgements.range()].map(({ value }) => value.unit)).toEqual(['bob'])
  expect(evidence.clicked()).toBe(2)
})

it('what a forgotten one told of a search goes with the search, also when another told of it later', async () => {
  const { store, evidence, fold } = start()
  const own = impression({ unit: 'ann' })
  const told = feedback(own, 0)
  await fold(told, { ...(feedback(own, 1) as FeedbackFact), unit: 'bob' })
  const doomed = { names: new Set(['s']), facts: [search(own), told], sequence: 9 }
  await store.write(() => evidence.forget!(doomed))
  expect(store.tables.judgements.count()).toBe(0)
})

it('what is too old goes, and trials that are over', async () => {
  const { store, evidence, fold } = start({ ...trial, number: 8 })
  const old = impression({ queryId: uuid({ msecs: 5000 }) })
  const young = impression({ queryId: uuid({ msecs: 9000 }) })
  await fold(feedback(old, 0), feedback(young, 0))
  await store.write(() => {
    const value = { arm: 'CANARY' as const, searches: 1, clicked: 0, reciprocalRank: 0 }
    store.tables.trialUnits.put([7, 'u'], value)
    store.tables.trialUnits.put([8, 'u'], value)
  })
  expect(await evidence.sweep(9000)).toBe(2)
  expect(await evidence.sweep(9000)).toBe(0)
  expect([...store.tables.judgements.keys()]).toEqual([young.queryId])
  expect([...store.tables.trialUnits.keys()]).toEqual([[8, 'u']])
})
