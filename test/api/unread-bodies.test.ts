import { afterAll, beforeAll, expect, it } from 'vitest'
import { routes } from '../../src/api/index.ts'
import { LARGE_BYTES } from '../../src/json/gradual.ts'
import { type RunningApp, startApp } from '../running-app.ts'

let service: RunningApp

beforeAll(async () => {
  service = await startApp()
})
afterAll(() => service.close())

interface Told {
  warnings?: string[]
  adaptationId?: string
}
interface Shape {
  properties?: Record<string, Shape>
  additionalProperties?: unknown
}

/** Bodies that are kept in whole, and tell themselves what of them counts; or that may have several forms. */
const KEPT = ['/cortex/documents/{id}', '/cortex/documents/bulk', '/cortex/analytics/search']

const bodies = routes.filter(({ body }) => (body as Shape | undefined)?.properties !== undefined)
it.each(bodies.filter(({ path }) => !KEPT.includes(path)))(
  '$method $path has a place in its answer for what it does not read',
  ({ reply }) => {
    const { properties = {} } = reply as Shape
    const { searchContext = {} } = properties
    const warnings = properties.warnings ?? searchContext.properties?.warnings
    expect(warnings, 'the warnings of its reply: `...UnreadBody`, or its own').toBeDefined()
  },
)

const STATE = { weights: [1], featureNames: ['textScore'], bias: 0 }
const ignored = (name: string, is: string, meant?: string) =>
  `"${name}" is not a field of ${is} and was ignored${meant === undefined ? '.' : `; "${meant}" is.`}`

it('a model that is synced tells what of the body beside its state was meant for it', async () => {
  const path = '/nous/learn/models/sync'
  const sent = { modelId: 'm', state: STATE, bias: 1, actvate: true, unheardOf: 1 }
  const { warnings } = await service.must<Told>('POST', path, sent)
  expect(warnings).toEqual([
    ignored('bias', 'a model', 'state.bias'),
    ignored('actvate', 'a model', 'activate'),
    ignored('unheardOf', 'a model'),
  ])
  const right = { modelId: 'm', state: { ...STATE, own: 1 } }
  expect(await service.must('POST', path, right)).not.toHaveProperty('warnings')
})

it('so does one whose body another thread reads', async () => {
  const state = { ...STATE, notes: 'x'.repeat(2 * LARGE_BYTES) }
  const sent = { modelId: 'large', state, scaler: { mean: [0] } }
  const { warnings } = await service.must<Told>('POST', '/nous/learn/models/sync', sent)
  expect(warnings).toEqual([ignored('scaler', 'a model', 'state.scaler')])
})

it('so do an activation, a gate, a rollback and a training', async () => {
  const model = '/nous/learn/models/m'
  const told = async (path: string, sent: object) =>
    (await service.must<Told>('POST', path, sent)).warnings
  const choice = 'the choice of a version'
  expect(await told(`${model}/activate`, { verison: 1 })).toEqual([
    ignored('verison', choice, 'version'),
  ])
  expect(await told(`${model}/rollback`, { trail: false })).toEqual([
    ignored('trail', 'a rollback', 'trial'),
  ])
  await service.must('POST', '/nous/learn/models/sync', {
    modelId: 'm',
    state: { ...STATE, bias: 1 },
  })
  expect(await told(`${model}/evaluate`, { modelVersion: 1 })).toEqual([
    ignored('modelVersion', choice, 'version'),
  ])
  expect(await told('/nous/learn/models/train', { startDate: '2026-01-01' })).toEqual([
    ignored('startDate', 'a training', 'since'),
  ])
  expect(await told('/nous/learn/models/train', { kind: 'trees' })).toBeUndefined()
})

it('so does a suggestion, of its patterns too, also when it was made before', async () => {
  const sent = {
    queryHash: '0123456789abcdef',
    patterns: { clickThroughRate: 0.2, ctr: 0.1 },
    confidence: 0.9,
    averageRelevance: 0.1,
  }
  const warnings = [
    ignored('averageRelevance', 'a suggestion', 'patterns.averageRelevance'),
    `patterns: ${ignored('ctr', 'the patterns', 'clickThroughRate')}`,
  ]
  const first = await service.must<Told>('POST', '/nous/adapt/suggest', sent)
  expect(first.warnings).toEqual(warnings)
  expect(await service.must('POST', '/nous/adapt/suggest', sent)).toEqual(first)
  const { suggestions } = await service.must<{ suggestions: Told[] }>(
    ...(['GET', '/nous/adapt/suggestions'] as const),
  )
  expect(suggestions[0]).not.toHaveProperty('warnings')
})

it('so does a change that is rolled back, before what was said when it was applied', async () => {
  const { adaptationId, warnings = [] } = await service.must<Told>('POST', '/nous/adapt/apply', {
    type: 'ranking',
    changes: { fusion: 'rrf', colour: 1 },
  })
  expect(warnings).toHaveLength(1)
  const path = `/nous/adaptations/${adaptationId}`
  const rolled = await service.must<Told>('POST', `${path}/rollback`, { resaon: 'no good' })
  expect(rolled.warnings).toEqual([ignored('resaon', 'a rollback', 'reason'), ...warnings])
  expect((await service.must<Told>('GET', path)).warnings).toEqual(warnings)
})
