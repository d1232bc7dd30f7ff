import { expect, it } from 'vitest'
import {
  type AppliedAdaptation,
  type AppliedVariant,
  makePlan,
  type PlanParts,
} from '../../../src/learn/plan/plan.ts'
import { layTunings } from '../../../src/learn/plan/tuning-layers.ts'
import type { SessionGlimpse } from '../../../src/learn/sessions/glimpse.ts'
import { type AddedScores, NOTHING_ADDED } from '../../../src/schema/plan.ts'
import type { SearchRequest } from '../../../src/schema/search.ts'

const LEARNED: AddedScores = { documents: '"1/a"', values: 'AAAAAAAA8D8=', count: 1, pins: false }
const CHANGE: AppliedAdaptation = {
  ...{ adaptationId: 'change', version: 2 },
  tuning: { fusion: 'rrf', minScore: 0.2 },
}
const VARIANT: AppliedVariant = {
  ...{ testId: 't', testName: 'T', variantId: 'b' },
  tuning: { minScore: 0.5 },
}
const ANN: SessionGlimpse = {
  ...{ sessionId: 's', userId: 'ann', clientId: undefined, active: true },
  metadata: { deviceType: 'phone' },
}

/** What learning knows, and for whom it was asked. */
function knowing(more: Omit<Partial<PlanParts>, 'settings'> = {}, settings = {}) {
  const asked: unknown[] = []
  const learned = { name: 'learned@1', handle: 1, depth: 40 }
  const parts: PlanParts = {
    ...{ added: () => LEARNED, isClicked: () => true },
    clickRates: { newest: () => 'newest', none: 'none' } as unknown as PlanParts['clickRates'],
    servedModel: () => learned,
    namedModel: (name) => ({ name, handle: 2 }),
    shadowModel: () => ({ name: 'shadow@1', handle: 3 }),
    glimpse: (sessionId) => (sessionId === 's' ? ANN : undefined),
    variants: (unit, target) => {
      asked.push([unit, target.sessionId])
      return []
    },
    adaptations: (_hash, unit) => {
      asked.push(unit)
      return []
    },
    mayRecord: () => true,
    lay: layTunings,
    seed: () => 7,
    clock: () => 7_200_001,
    ...more,
    settings: {
      ...{ learning: true, rerankSize: 100, explorationShare: 1, explorationTemperature: 0.1 },
      ...settings,
    },
  }
  const plan = (search: Partial<SearchRequest> = {}) =>
    makePlan({ query: 'one', ...search }, 'hash', parts)
  return { plan, asked }
}

const drawn = { seed: 7, epsilon: 1, temperature: 0.1, explored: true }

it('a search of a session is for its user, gets all that was learned, and is drawn and recorded', () => {
  const { plan, asked } = knowing()
  expect(plan({ sessionId: 's' })).toMatchObject({
    ...{ sessionId: 's', unit: 'ann', added: LEARNED, clickRates: 'newest', featured: true },
    ...{ model: { name: 'learned@1' }, rerankSize: 40, shadow: { name: 'shadow@1' } },
    exploration: drawn,
    device: 0,
    agesAt: 2,
    recorded: { sessionId: 's', unit: 'ann', deviceType: 'phone', variants: [] },
  })
  expect(asked).toEqual(['ann', ['ann', 's']])
})

it('what a session holds has a number for features, in whatever case it is said', () => {
  const device = (deviceType: unknown) => {
    const glimpse = () => ({ ...ANN, metadata: { deviceType } })
    return knowing({ glimpse }).plan({ sessionId: 's' }).device
  }
  expect(['desktop', 'Mobile', 'TABLET', 'watch', 2].map(device)).toEqual([1, 2, 3, 0, 0])
  expect(knowing().plan().device).toBe(0)
})

it('a search of nobody is neither drawn nor in a test, nor scored by a model on trial, and recorded where there is room', () => {
  const { plan, asked } = knowing()
  const made = plan()
  expect(made).toMatchObject({ sessionId: undefined, unit: undefined, featured: false })
  expect(made).toMatchObject({ added: LEARNED, exploration: undefined, shadow: undefined })
  expect(made.recorded).toEqual({ variants: [] })
  expect(asked).toEqual([undefined])
  expect(knowing({ mayRecord: () => false }).plan().recorded).toBeUndefined()
  // That bound is for searches of nobody.
  expect(knowing({ mayRecord: () => false }).plan({ sessionId: 's' }).recorded).toBeDefined()
})

it('a session that is over or unknown is nobody, but has its variant of each test', () => {
  const over = { ...ANN, active: false }
  const { plan, asked } = knowing({ glimpse: (id) => (id === 's' ? over : undefined) })
  for (const sessionId of ['s', 'unknown'])
    expect(plan({ sessionId })).toMatchObject({ unit: undefined, exploration: undefined })
  expect(asked).toEqual([undefined, ['ann', 's'], undefined, ['unknown', 'unknown']])
})

it('a search keeps the name of a session that is not known, by which it is found when that is forgotten', () => {
  const sent = '01A21D28-95B8-7133-B7F6-6F448D93F0EE'
  for (const sessionId of [sent, 'theirs'])
    expect(knowing().plan({ sessionId }).recorded).toEqual({
      ...{ variants: [], sessionId: sessionId === sent ? sent.toLowerCase() : sessionId },
    })
})

it.each<[string, Parameters<typeof knowing>]>([
  ['the setting', [{}, { learning: false }]],
  ['a variant', [{ variants: () => [{ ...VARIANT, tuning: { learning: false } }] }]],
])('without learning, by %s, nothing that was learned counts', (_how, parts) => {
  expect(knowing(...parts).plan({ sessionId: 's' })).toMatchObject({
    ...{ added: NOTHING_ADDED, clickRates: 'none', model: undefined, shadow: undefined },
    exploration: undefined,
  })
})

it('LEARNING=false records nothing and applies no change; a variant is shown all the same', () => {
  const parts = { adaptations: () => [CHANGE], variants: () => [VARIANT] }
  const made = knowing(parts, { learning: false }).plan({ sessionId: 's' })
  expect(made).toMatchObject({ recorded: undefined, featured: false, adaptations: [] })
  expect(made.tuning).toEqual(VARIANT.tuning)
  expect(made.experiments).toEqual([{ testId: 't', testName: 'T', variantId: 'b' }])
})

it('a variant wins over a change, and both are named', () => {
  const parts = { adaptations: () => [CHANGE], variants: () => [VARIANT] }
  const made = knowing(parts).plan({ sessionId: 's' })
  expect(made.tuning).toEqual({ fusion: 'rrf', minScore: 0.5 })
  expect(made).toMatchObject({ adaptations: ['change@2'], experiments: [{ variantId: 'b' }] })
  expect(made.recorded?.variants).toEqual([['t', 'b']])
})

it('a model that a ranking names ranks as deep as the setting says; null is none', () => {
  const naming = (model: string | null) =>
    knowing({ adaptations: () => [{ ...CHANGE, tuning: { model } }] }).plan()
  expect(naming('mine')).toMatchObject({ model: { name: 'mine' }, rerankSize: 100 })
  expect(naming(null).model).toBeUndefined()
})

it('a model that learned from clicks keeps out of queries that nobody clicked under', () => {
  const made = knowing({ added: () => NOTHING_ADDED, isClicked: () => false }).plan({
    sessionId: 's',
  })
  expect(made).toMatchObject({ model: undefined, rerankSize: 100 })
  // It has no depth: it did not learn from pages.
  expect(made.shadow).toMatchObject({ name: 'shadow@1' })
})

it('a model that learned from clicks ranks clicked queries, also where click memory has no strength', () => {
  const made = knowing({ added: () => NOTHING_ADDED }).plan()
  expect(made).toMatchObject({ model: { name: 'learned@1' }, rerankSize: 40 })
})

it.each<[string, Partial<SearchRequest>]>([
  ['later pages', { from: 10 }],
  ['later pages by cursor', { cursor: 'c' }],
  ['sorted lists', { sort: ['year'] }],
  ['very long pages', { size: 101 }],
  ['a fixed state of the index', { generation: 1 }],
])('%s are neither drawn nor dealt', (_what, search) => {
  const against = { tuning: {}, variantIds: ['a', 'b'] as const }
  const { plan } = knowing({ variants: () => [{ ...VARIANT, against }] })
  const longest = plan({ sessionId: 's', size: 100 })
  expect(longest).toMatchObject({ exploration: drawn, interleaved: { seed: 7 } })
  const made = plan({ sessionId: 's', ...search })
  expect(made).toMatchObject({ exploration: undefined, interleaved: undefined })
})

it('an explanation is of the ranking: dealt, but not drawn', () => {
  const against = { tuning: {}, variantIds: ['a', 'b'] as const }
  const { plan } = knowing({ variants: () => [{ ...VARIANT, against }] })
  const made = plan({ sessionId: 's', explain: true })
  expect(made).toMatchObject({ exploration: undefined, interleaved: { testId: 't' } })
})

it('what is dealt against a variant has its place among all that applies', () => {
  const against = { tuning: { operator: 'and' as const }, variantIds: ['a', 'b'] as const }
  const { plan } = knowing({
    adaptations: () => [CHANGE],
    variants: () => [{ ...VARIANT, against }],
  })
  const { tuning, interleaved } = plan({ sessionId: 's' })
  expect(tuning).toEqual({ fusion: 'rrf', minScore: 0.5 })
  expect(interleaved?.against.tuning).toEqual({ fusion: 'rrf', minScore: 0.2, operator: 'and' })
})
