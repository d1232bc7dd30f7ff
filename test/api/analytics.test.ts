import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
}, 120_000)
afterAll(() => running.close())

interface Receipt {
  eventId: string
  processed: boolean
  unmatched: boolean
  metrics: { searches: number; clicks: number; feedback: number; events: number }
}

const record = (body: unknown) => running.call<Receipt>('POST', '/cortex/analytics/search', body)

async function newSession(): Promise<string> {
  const { data } = await running.call<{ sessionId: string }>('POST', '/cortex/sessions', {})
  return data.sessionId
}

describe('POST /cortex/analytics/search', () => {
  it("answers with the session's running totals, this event included", async () => {
    const sessionId = await newSession()
    const first = await record({ sessionId, eventType: 'scroll' })
    expect(first.data).toMatchObject({ processed: true, unmatched: false })
    expect(first.data.metrics).toEqual({ searches: 0, clicks: 0, feedback: 0, events: 1 })
    expect(first.data.eventId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    const second = await record({
      sessionId: sessionId.toUpperCase(),
      eventType: 'result_click',
      query: { text: 'bees' },
      results: ['a', 'b'],
      userActions: { clicked: 'a' },
      performance: { renderMs: 3 },
    })
    expect(second.data.metrics).toEqual({ searches: 0, clicks: 1, feedback: 0, events: 2 })
    const { data } = await running.call('GET', `/cortex/sessions/${sessionId}/analytics`)
    expect(data).toMatchObject({ clicks: 1, events: 2 })
  })

  it('takes an event of any word, without a session or of one that nobody knows', async () => {
    for (const sessionId of [undefined, '', 'web-7', '01a0bd4c-7000-7000-8000-0123456789ab']) {
      const { status, data } = await record({ sessionId, eventType: 'Überraschung' })
      expect(status).toBe(200)
      expect(data).toMatchObject({ processed: true, unmatched: true, metrics: { events: 1 } })
    }
  })

  it('takes many events at once, in their order', async () => {
    const sessionId = await newSession()
    const events = Array.from({ length: 1000 }, (_, at) => ({
      eventType: 'view',
      ...(at % 2 === 0 ? { sessionId } : {}),
    }))
    const { status, data } = await running.call<{
      total: number
      unmatched: number
      events: Receipt[]
    }>('POST', '/cortex/analytics', { events })
    expect(status).toBe(200)
    expect(data).toMatchObject({ processed: true, total: 1000, unmatched: 500 })
    expect(data.events[0]?.metrics.events).toBe(1)
    expect(data.events[998]?.metrics.events).toBe(500)
    expect(new Set(data.events.map(({ eventId }) => eventId)).size).toBe(1000)
  })

  it.each([
    [{}, 'eventType'],
    [{ eventType: 7 }, 'eventType'],
    [{ eventType: '' }, 'eventType'],
    [{ eventType: 'x'.repeat(129) }, 'eventType'],
    [{ eventType: 'a', sessionId: 5 }, 'sessionId'],
    [{ eventType: 'a', results: 'many' }, 'results'],
    [{ eventType: 'a', performance: 3 }, 'performance'],
    [{ events: [] }, 'events'],
    [{ events: [{ eventType: 'a' }, {}] }, 'events[1].eventType'],
    [{ events: Array.from({ length: 1001 }, () => ({ eventType: 'a' })) }, 'events'],
  ])('refuses %j and names %s', async (body, path) => {
    const { status, code, details } = await record(body)
    expect(status).toBe(400)
    expect(code).toBe('VALIDATION_FAILED')
    expect(details[0]?.path).toBe(path)
  })

  it('keeps totals over a restart', async () => {
    const sessionId = await newSession()
    await record({ sessionId, eventType: 'click' })
    await running.restart()
    const { data } = await record({ sessionId, eventType: 'view' })
    expect(data.metrics).toMatchObject({ clicks: 1, events: 2 })
  })
})
