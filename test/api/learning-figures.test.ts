import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NousHealth } from '../../src/health.ts'
import type { LearningFigures } from '../../src/schema/learning-figures.ts'
import { type RunningApp, startApp } from '../running-app.ts'
import { waitUntil } from '../wait-until.ts'

let running: RunningApp
let sessionId = ''

beforeAll(async () => {
  running = await startApp({ EXPLORATION_SHARE: '0' })
  await running.call('POST', '/cortex/documents', {
    index: 'hive',
    document: { title: 'bees and honey' },
  })
  const { data } = await running.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
  sessionId = data.sessionId
})
afterAll(() => running.close())

const figures = async () => (await running.call<LearningFigures>('GET', '/nous/learn/metrics')).data

describe('GET /nous/learn/metrics', () => {
  it('tells what learning has taken, up to the last request', async () => {
    const before = await figures()
    expect(before.loop.lag).toEqual({ count: 0, p50: null, p95: null, p99: null })
    const { data: found } = await running.call<{
      hits: { id: string }[]
      searchContext: { queryId: string }
    }>('POST', '/cortex/search', { query: 'bees', sessionId })
    const { queryId } = found.searchContext
    // Until it is written, so that nothing is under way when the next is told.
    await waitUntil(async () => (await figures()).impressions.waiting === 0)
    const entry = {
      queryId,
      rating: 1,
      metadata: { userAction: 'click', resultId: found.hits[0]?.id },
    }
    await running.call('POST', '/cortex/feedback', { sessionId, feedback: [entry, entry] })
    await running.call('POST', '/cortex/analytics', { eventType: 'scroll' })
    const after = await figures()
    expect(after).toMatchObject({
      impressions: { stored: 1, waiting: 0, dropped: 0 },
      feedback: { total: 2, byStatus: { LEARNED: 1, DUPLICATE: 1 } },
      analytics: { total: 1 },
      signals: { byStatus: { PENDING: 0 } },
      loop: { behind: 0, lag: { count: 2 } },
      memory: { pairs: 1, queries: 1, gained: 1 },
      models: { active: null },
    })
    expect(after.loop.position).toBe(after.loop.last)
    expect(after.loop.lag.p50).toBeLessThanOrEqual(after.loop.lag.p99 as number)
    expect(after.events.lastDay).toMatchObject({ FEEDBACK_RECEIVED: 1 })
  })

  it('counts searches that name a session that is unknown', async () => {
    const { unmatched } = (await figures()).searches
    await running.call('POST', '/cortex/search', { query: 'bees', sessionId: 'nobody' })
    await running.call('POST', '/cortex/search', { query: 'bees', sessionId })
    await running.call('POST', '/cortex/search', { query: 'bees' })
    expect((await figures()).searches.unmatched).toBe(unmatched + 1)
    const page = await running.metricsPage()
    expect(page).toContain(`svc_searches_unmatched_total ${unmatched + 1}\n`)
  })

  it('shows the same on the metrics page, and goes on with it after a restart', async () => {
    const readPage = () => running.metricsPage()
    const lines = [
      'svc_feedback_total{outcome="learned"} 1\n',
      'svc_feedback_total{outcome="late"} 0\n',
      'svc_analytics_events_total 1\n',
      'svc_learning_loop_behind 0\n',
      'svc_click_memory_pairs 1\n',
    ]
    const page = await readPage()
    for (const line of [
      ...lines,
      'svc_impressions_total{outcome="dropped"} 0\n',
      'svc_learning_loop_lag_seconds_count 2\n',
    ])
      expect(page).toContain(line)
    expect(page).toMatch(/svc_impressions_total\{outcome="written"\} [1-9]/)
    expect(page).toMatch(/svc_journal_entries [1-9]/)
    expect(page).toMatch(/svc_store_table_bytes\{table="journal"\} [1-9]/)
    await running.restart()
    const later = await readPage()
    for (const line of lines) expect(later).toContain(line)
  })
})

describe('GET /nous/health', () => {
  it('reports each part from its own figures, and no score from too little data', async () => {
    const { status, data } = await running.call<NousHealth>('GET', '/nous/health')
    expect(status).toBe(200)
    const { serving, training, adaptation } = data.models
    expect(data.overall).toBe(true)
    expect(serving.metrics).toMatchObject({ threads: 1, active: null, documents: 1 })
    expect(training.metrics).toMatchObject({
      behind: 0,
      lastTraining: null,
      examination: {
        ...{ inUse: 1, eta: null, low: null, high: null, samples: 0 },
        places: [1, 0.5, 0.333, 0.25, 0.2, 0.167, 0.143, 0.125, 0.111, 0.1],
      },
    })
    expect(adaptation.metrics).toMatchObject({ writable: true })
    for (const part of [serving, training, adaptation])
      expect(part).toMatchObject({ operational: true, latency: expect.any(Number) })
    const unknown = { score: null, status: 'INSUFFICIENT_DATA', samples: expect.any(Number) }
    expect(data.learning).toEqual({
      effectiveness: unknown,
      convergence: unknown,
      stability: unknown,
    })
  })

  it('is 503 with the whole report when a part does not work', async () => {
    const { health } = running.app.learning
    const { training } = health
    health.training = () => {
      throw new Error('a secret')
    }
    const response = await fetch(`${running.url}/nous/health`)
    health.training = training
    expect(response.status).toBe(503)
    const body = (await response.json()) as { success: boolean; data: NousHealth; code: string }
    expect(body).toMatchObject({ success: false, code: 'UNHEALTHY', data: { overall: false } })
    expect(body.data.models.training).toMatchObject({
      operational: false,
      error: 'It does not answer.',
    })
    expect(body.data.models.serving.operational).toBe(true)
    expect(JSON.stringify(body)).not.toContain('secret')
  })
})
