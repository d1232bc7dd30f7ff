import { afterAll, beforeAll, expect, it } from 'vitest'
import { routeOf } from '../contract.ts'
import { type RunningApp, startApp } from '../running-app.ts'

/** Bodies with nearly every field that is read, nested ones too; where null stands for a value, the pattern of those places. */
interface Full {
  body: object
  /** Places where null says something, or where what stands is kept as it came. */
  meant?: RegExp
}

const DOCUMENT = {
  ...{ title: 'a', content: 'b', abstract: 'c', authors: ['d'], tags: ['e'], source: 'f', own: 1 },
}
const TUNING = {
  ...{ fieldWeights: { title: 2 }, legWeights: { text: 0.5, vector: 0.5 }, fusion: 'rrf' },
  ...{ operator: 'and', fuzziness: 'auto', neighbors: 9, similarity: 0.1, minScore: 0.1 },
  ...{ model: 'none', pins: ['a'], synonyms: ['a, b'], feedback: true, learning: true },
}
const TUNED = '(?:model|feedback|learning)$'
const EXPERIMENT = {
  variants: [
    { id: 'a', name: 'A', weight: 0.5 },
    { id: 'b', name: 'B', weight: 0.5, config: TUNING },
  ],
  ...{ trafficAllocation: { a: 0.5, b: 0.5 }, successMetrics: ['ctr', { name: 'mrr' }] },
  targetingRules: [{ field: 'age', operator: 'gte', value: 18 }],
  guardrails: [{ metric: 'ctr', operator: 'lt', threshold: 0.1, minSamples: 9, relative: false }],
  rolloutStrategy: {
    type: 'steps',
    steps: [50, { percentage: 100 }],
    interval: '1h',
    minSamples: 9,
  },
  fallbackConfig: { minScore: 0.1 },
  ...{ mode: 'split', status: 'DRAFT', startDate: '2026-01-01', endDate: '2090-01-01' },
}
const SIGNAL = {
  ...{ signalId: 's', type: 'CLICK', status: 'PENDING' },
  metadata: {
    ...{ processingTime: 1, processor: 'p', attemptCount: 1, failureReason: 'f' },
    processingSteps: [{ step: 's', status: 'done', duration: 1, timestamp: 'now' }],
    performance: { cpuUsage: 1, memoryUsage: 2, latency: 3 },
    context: { environment: 'e', version: 'v', batchId: 'b' },
  },
}
const FULL: Record<string, Full> = {
  'POST /cortex/sessions': {
    body: { clientId: 'web', userId: 'u', metadata: { deviceType: 'phone' } },
    meant: /^metadata\./,
  },
  'POST /cortex/documents': {
    body: { index: 'full', id: 'a', document: DOCUMENT },
    meant: /\.own$/,
  },
  'PUT /cortex/documents/a': { body: DOCUMENT, meant: /^\w+$/ },
  'POST /cortex/indices': {
    body: {
      name: 'declared',
      settings: {
        ...{ shards: 1, replication: 0 },
        analysis: {
          ...{ language: 'english', stemming: true, asciiFolding: true, stopWords: ['the'] },
          synonyms: ['a, b'],
          analyzer: { own: { type: 'custom', tokenizer: 'cut', filter: ['lowercase', 'long'] } },
          tokenizer: { cut: { type: 'ngram', min_gram: 2, max_gram: 3 } },
          filter: {
            long: { type: 'length', min: 1, max: 9 },
            few: { type: 'stop', stopwords: [] },
          },
        },
        embedder: { kind: 'given', dimensions: 4, cut: 0.1, weights: [0.5, 0.5] },
      },
      mappings: {
        dynamic: true,
        properties: {
          title: {
            ...{ type: 'text', analyzer: 'own', search_analyzer: 'standard', weight: 2 },
            ...{ searched: true, vectorized: true, fields: { raw: { type: 'keyword' } } },
          },
          place: { type: 'object', properties: { city: { type: 'keyword' } } },
        },
      },
    },
  },
  'POST /cortex/search': {
    body: {
      ...{ query: 'a', index: ['full'], searchType: 'text', sessionId: 's', userId: 'u' },
      filters: { own: { gte: 0 }, and: [{ tags: ['e'] }], not: { source: 'x' } },
      ...{ boost: { text: 1, title: 2 }, from: 0, size: 5, fields: ['title'] },
      ...{ searchFields: { title: 1 }, operator: 'or', fuzziness: 'auto', phrase: false, slop: 1 },
      ...{
        prefix: true,
        facets: { tags: { size: 3, ranges: [{ key: 'k', from: 'a' }], stats: true } },
      },
      ...{
        sort: [{ own: 'desc' }, '_score'],
        highlight: { fields: ['title'], fragments: 2, pre: '<b>' },
      },
      ...{ fusion: 'convex', feedback: true, neighbors: 9, similarity: 0.1, minScore: 0 },
      explain: false,
    },
    meant: /^filters\.(?:and\[0\]\.tags|not\.source|own)$/,
  },
  'POST /cortex/suggest': { body: { prefix: 'a', query: 'b', index: ['full'], limit: 5 } },
  'POST /cortex/feedback': {
    body: {
      sessionId: 's',
      feedback: [
        {
          ...{ queryId: 'q', rating: 0.5 },
          metadata: {
            ...{ userAction: 'click', timestamp: 1, resultId: 'a', queryHash: 'h' },
            engagementType: 'click',
            customMetadata: {
              ...{ searchType: 'text', position: 1, timeToClick: 1, deviceType: 'phone' },
              ...{ viewport: { width: 1, height: 2 }, scrollDepth: 1, dwellTime: 1, viewed: true },
              ...{ category: 'c', language: 'en' },
            },
          },
        },
      ],
    },
  },
  'POST /cortex/analytics/search': {
    body: {
      ...{ sessionId: 's', eventType: 'click', query: 'a', results: [{ id: 'a' }], timestamp: 1 },
      ...{ userActions: [{ action: 'x' }], performance: { ms: 1 }, metadata: { a: 1 } },
    },
    meant: /[.[]/,
  },
  'POST /cortex/metrics': {
    body: {
      ...{ name: 'full', value: 1, type: 'gauge', labels: { shop: 'n' }, service: 's' },
      ...{ environment: 'e', instance: 'i' },
    },
  },
  'POST /cortex/ab-test': {
    body: { name: 'full', ...EXPERIMENT },
    meant: RegExp(String.raw`config\.${TUNED}`),
  },
  'POST /nous/experiments': {
    body: {
      ...{ name: 'full', type: 'model_config', ...EXPERIMENT },
      ...{ targetingRules: { age: { gte: 18 } }, guardrails: { ctr: { min: 0.1 } } },
      ...{ technicalMetrics: 'latency', businessMetrics: { primary: 'ctr', secondary: ['mrr'] } },
    },
    meant: RegExp(String.raw`config\.${TUNED}|^targetingRules\.age$`),
  },
  'POST /nous/signals/process': { body: SIGNAL },
  'POST /nous/signals': { body: SIGNAL },
  'POST /nous/learn/models/sync': {
    body: {
      ...{ modelId: 'm', activate: false },
      state: {
        ...{ weights: [1], bias: 0, scaler: { mean: [0], std: [1] }, featureNames: ['textScore'] },
        metrics: { accuracy: 1, loss: 0.1 },
        hyperparameters: { learning_rate: 0.1, batch_size: 32, epochs: 9 },
        ...{ currentEpoch: 3, trainingProgress: 1, lastTrainingError: '' },
      },
    },
    meant: /^state\.(?:weights|bias|scaler\.|featureNames)/,
  },
  'POST /nous/learn/models/train': { body: { modelId: 't', kind: 'linear', since: 1 } },
  'POST /nous/adapt/suggest': {
    body: {
      ...{ queryHash: 'h', confidence: 0.9 },
      patterns: {
        ...{ averageRelevance: 0.4, clickThroughRate: 0.1, conversionRate: 0.1, confidence: 0.8 },
        ...{ requiresOptimization: true, positivePatterns: ['title'], negativePatterns: ['a'] },
        neutralPatterns: ['b'],
      },
    },
  },
  'POST /nous/adapt/rules': {
    body: { changes: TUNING, queryHash: 'h', name: 'n', description: 'd' },
    meant: RegExp(String.raw`^changes\.${TUNED}`),
  },
  'POST /nous/adapt/apply': {
    body: {
      ...{ type: 'ranking', changes: TUNING, queryHash: 'h', source: 's', confidence: 0.8 },
      ...{ expectedImpact: { ctr: 0.1 }, validationMetrics: { ndcg: 0.9 } },
      acceptanceThresholds: { ndcg: { min: 0.5, max: 1 } },
      rollbackTriggers: [
        { metric: 'ctr', operator: 'drop', threshold: 0.1, window: '1h', minSamples: 9 },
      ],
      ...{ immediate: false, force: false },
    },
    meant: RegExp(String.raw`^changes\.${TUNED}|^expectedImpact|^validationMetrics\.`),
  },
}

let service: RunningApp
beforeAll(async () => {
  service = await startApp()
  await service.must('POST', '/cortex/documents', { index: 'full', document: DOCUMENT })
})
afterAll(() => service.close())

type Keys = (string | number)[]

function* placesIn(value: unknown, keys: Keys = []): Iterable<Keys> {
  if (keys.length > 0) yield keys
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    yield* placesIn(inner, [...keys, Array.isArray(value) ? Number(key) : key])
}

function pathOf(keys: Keys): string {
  return keys
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1)
}

/** What is taken makes something, which must have a name, or be for a query, of its own. */
let made = 0
function named(body: Record<string, unknown>): Record<string, unknown> {
  made += 1
  if ('variants' in body) return { ...body, name: `full ${made}` }
  return 'changes' in body ? { ...body, queryHash: `h${made}` } : body
}

function withNull(body: object, keys: Keys): object {
  const copy = structuredClone(named(body as Record<string, unknown>))
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all shapes
  const parent = keys.slice(0, -1).reduce<any>((inner, key) => inner[key], copy)
  parent[keys.at(-1) as string] = null
  return copy
}

it.each(Object.entries(FULL))(
  '%s takes null nowhere for a field that was left out, and tells where it stands',
  async (name, { body, meant }) => {
    const [method = '', path = ''] = name.split(' ')
    for (const keys of placesIn(body)) {
      const place = pathOf(keys)
      const { status, code, details } = await service.call(method, path, withNull(body, keys))
      if (meant?.test(place)) expect([place, status]).toEqual([place, 200])
      else
        expect([place, status, code, details[0]?.path]).toEqual([
          ...[place, 400, 'VALIDATION_FAILED', place],
        ])
    }
    const whole = await service.call(method, path, named(body as Record<string, unknown>))
    expect([whole.status, whole.error]).toEqual([200, undefined])
  },
)

interface Shape {
  properties?: Record<string, Shape>
  patternProperties?: Record<string, Shape>
  additionalProperties?: Shape | boolean
  items?: Shape
  anyOf?: Shape[]
}

/** Fields that a shape declares and a value of it lacks. */
function* lackedIn(shape: Shape, value: unknown, keys: Keys = []): Iterable<Keys> {
  if (typeof value !== 'object' || value === null) return
  for (const either of shape.anyOf ?? []) yield* lackedIn(either, value, keys)
  const isList = Array.isArray(value)
  const declared = isList ? {} : (shape.properties ?? {})
  for (const name in declared) if (!(name in value)) yield [...keys, name]
  const [any] = Object.values(shape.patternProperties ?? {})
  const rest = any ?? shape.additionalProperties
  for (const [key, inner] of Object.entries(value)) {
    const of = isList ? shape.items : (declared[key] ?? rest)
    if (typeof of === 'object') yield* lackedIn(of, inner, [...keys, isList ? Number(key) : key])
  }
}

/** Fields that a route declares and its body above lacks, as their values must name what is there. */
const LACKED = Object.entries(FULL).flatMap(([name, { body, meant }]) => {
  const [method = '', path = ''] = name.split(' ')
  const lacked = [...lackedIn((routeOf(method, path)?.body ?? {}) as Shape, body)]
  const refused = lacked.filter((keys) => !meant?.test(pathOf(keys)))
  return refused.map((keys) => [name, pathOf(keys), keys] as const)
})

it.each(LACKED)('%s takes no null for %s', async (name, place, keys) => {
  const [method = '', path = ''] = name.split(' ')
  const sent = withNull(FULL[name]?.body ?? {}, keys)
  const { status, details } = await service.call(method, path, sent)
  expect([status, details[0]?.path]).toEqual([400, place])
})
