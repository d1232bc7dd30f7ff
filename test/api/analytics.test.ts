import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../running-app.ts'

let running: RunningApp

beforeAll(async () => {
  running = await startApp()
})
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

  it('counts searches that name the session, once each, told of or not', async () => {
    const sessionId = await newSession()
    for (let search = 0; search < 3; search += 1)
      await running.call('POST', '/cortex/search', { query: 'bees', sessionId })
    const { data } = await record({ sessionId, eventType: 'search', query: 'bees' })
    expect(data.metrics).toEqual({ searches: 3, clicks: 0, feedback: 0, events: 1 })
    await running.restart()
    const { data: after } = await running.call('GET', `/cortex/sessions/${sessionId}/analytics`)
    expect(after).toMatchObject({ searches: 3, events: 1 })
  })

  it('refuses what lies ahead as feedback does, one of a list with all of it', async () => {
    const sessionId = await newSession()
    const event = (timestamp: unknown) => ({ sessionId, eventType: 'scroll', timestamp })
    const soon = new Date(Date.now() + 4 * 60_000).toISOString()
    expect(await record(event('2099-01-01T00:00:00Z'))).toMatchObject({
      status: 400,
      error: 'timestamp must not lie more than 5 minutes in the future.',
      details: [{ path: 'timestamp' }],
    })
    for (const timestamp of ['2099-01-01T00:00:00Z', Date.now() + 6 * 60_000, 1e300]) {
      const events = [event(soon), event(timestamp)]
      expect(await record({ events })).toMatchObject({
        status: 400,
        details: [{ path: 'events[1].timestamp' }],
      })
      expect(await record(events)).toMatchObject({
        status: 400,
        details: [{ path: '[1].timestamp' }],
      })
    }
    expect((await record(event(soon))).data.metrics.events).toBe(1)
    expect((await record(event('1999-01-01T00:00:00Z'))).data.metrics.events).toBe(2)
  })

  it('counts an event in reports at the time when it was recorded, whatever its own says', async () => {
    const event = { eventType: 'long ago', timestamp: '1999-01-01T00:00:00Z' }
    expect(await record(event)).toMatchObject({ status: 200 })
    const { data } = await running.call<{ events: { byType: Record<string, number> } }>(
      'GET',
      '/cortex/analytics/reports?timeWindow=1h',
    )
    expect(data.events.byType).toMatchObject({ 'long ago': 1 })
  })

  it('takes an event of any word, without a session or of one that nobody knows', async () => {
    for (const sessionId of [undefined, '', 'web-7', '01a0bd4c-7000-7000-8000-0123456789ab']) {
      const { status, data } = await record({ sessionId, eventType: 'Überraschung' })
      expect(status).toBe(200)
      expect(data).toMatchObject({ processed: true, unmatched: true, metrics: { events: 1 } })
    }
  })

  it('goes on with the totals of a session that is unknown or over, until it is forgotten', async () => {
    const counted = async (sessionId: string, eventType = 'click') =>
      (await record({ sessionId, eventType })).data
    expect((await counted('web-9')).metrics).toMatchObject({ clicks: 1, events: 1 })
    expect((await counted('WEB-9', 'view')).metrics).toMatchObject({ clicks: 1, events: 2 })
    expect((await counted('web-10')).metrics.events).toBe(1)
    await running.call('DELETE', '/nous/learn/subjects/web-9')
    expect((await counted('web-9')).metrics).toMatchObject({ clicks: 1, events: 1 })
  })

  it('tells of what it does not read beside its fields, of each of the first events', async () => {
    const event = { eventType: 'click', data: { a: 1 } }
    const warnings = ['"data" is not a field of an event and was ignored; "metadata" is.']
    expect((await record(event)).data).toMatchObject({ warnings })
    const { data } = await running.call<{ events: Receipt[] }>('POST', '/cortex/analytics', [
      { eventType: 'click' },
      ...Array(9).fill(event),
    ])
    const told = data.events.map((receipt) => 'warnings' in receipt)
    expect(told).toEqual([false, ...Array(7).fill(true), false, false])
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

  it('takes a list by itself as one that is named events', async () => {
    const sessionId = await newSession()
    const list = [{ eventType: 'view', sessionId }, { eventType: 'click' }]
    const { status, data } = await running.call<{ total: number; events: Receipt[] }>(
      'POST',
      '/cortex/analytics',
      list,
    )
    expect(status).toBe(200)
    expect(data).toMatchObject({ processed: true, total: 2, unmatched: 1 })
    expect(data.events[0]?.metrics.events).toBe(1)
  })

  it.each([
    [[], ''],
    [[{ eventType: 'a' }, {}], '[1].eventType'],
    [[{ eventType: 5 }], '[0].eventType'],
    [['view'], '[0]'],
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

interface Recorded {
  warnings?: string[]
  metricId: string
  processed: boolean
  aggregations: Record<'count' | 'sum' | 'min' | 'max' | 'avg' | 'last' | 'p50' | 'p95', number>
}

const measure = (body: object) => running.call<Recorded>('POST', '/cortex/metrics', body)
const readPage = () => running.metricsPage()

describe('POST /cortex/metrics', () => {
  it('answers with what the series holds, and shows it on the metrics page', async () => {
    const labels = { shop: 'north "1"\\\n' }
    for (const value of [3, -1, 2.5]) await measure({ name: 'stock', value, labels })
    const { status, data } = await measure({ name: 'stock', value: 7, type: 'GAUGE', labels })
    expect(status).toBe(200)
    expect(data.processed).toBe(true)
    const figures = { count: 4, sum: 11.5, min: -1, max: 7, avg: 2.875, last: 7, p50: 2.5, p95: 7 }
    expect(data.aggregations).toEqual(figures)
    expect(await readPage()).toContain('svc_custom_stock{shop="north \\"1\\"\\\\\\n"} 7\n')
  })

  it.each([
    [[2, 1, 3], 2, 3],
    [[15, 5, 10], 10, 15],
    [[4, 4, -1, 4], 4, 4],
    [[1e-12, 1e-11], 1e-12, 1e-11],
    [[7], 7, 7],
  ])('tells exact quantiles of few values: %j', async (values, p50, p95) => {
    const name = `few_${values.join('_').replaceAll(/\W/g, '')}`
    for (const value of values) await measure({ name, value, type: 'summary' })
    await running.restart()
    const { data } = await measure({ name, value: p50, type: 'summary' })
    expect(data.aggregations).toMatchObject({ p50, p95 })
    expect(await readPage()).toContain(`svc_custom_${name}{quantile="0.5"} ${p50}\n`)
  })

  it('tells quantiles of up to 64 values exactly, and near ones of more', async () => {
    const send = async (value: number) =>
      (await measure({ name: 'numerous', value })).data.aggregations
    // In another order than their own.
    for (let at = 0; at < 63; at += 1) await send(1000 + ((at * 37) % 64))
    expect(await send(1000 + ((63 * 37) % 64))).toMatchObject({ p50: 1031, p95: 1060 })
    const { p50, p95, count } = await send(1064)
    expect(count).toBe(65)
    for (const [near, exact] of [[p50, 1032] as const, [p95, 1061] as const]) {
      expect(near).not.toBe(exact)
      expect(Math.abs(near / exact - 1)).toBeLessThanOrEqual(0.025)
    }
  })

  it('goes on with series that a version without their values has written', async () => {
    await measure({ name: 'older', value: 100 })
    const { metricSeries } = running.app.store.tables
    await running.app.store.write(() => {
      for (const { key, value } of metricSeries.range())
        if (key[0] === 'older') {
          const { values: _, ...older } = value
          metricSeries.put(key, older)
        }
    })
    await running.restart()
    const { data } = await measure({ name: 'older', value: 200 })
    expect(data.aggregations.count).toBe(2)
    expect(Math.abs(data.aggregations.p50 / 100 - 1)).toBeLessThanOrEqual(0.025)
  })

  it('has at most 16 labels, and service and its like beside them', async () => {
    const labels = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`l${n}`, 'x']))
    const record = { name: 'labelled', value: 1, service: 'a', environment: 'b', instance: 'c' }
    expect((await measure({ ...record, labels })).status).toBe(200)
    expect(await readPage()).toContain('svc_custom_labelled{environment="b",instance="c",l0="x",')
    const tooMany = await measure({ ...record, labels: { ...labels, l16: 'x' } })
    expect(tooMany.status).toBe(400)
    expect(tooMany.details[0]?.path).toBe('labels')
  })

  it('keeps series apart by labels, whatever their order; service and its like are labels', async () => {
    const one = await measure({ name: 'apart', value: 1, labels: { a: '1', b: '2' } })
    const same = await measure({ name: 'apart', value: 1, labels: { b: '2', a: '1' } })
    expect(same.data.metricId).toBe(one.data.metricId)
    expect(same.data.aggregations.count).toBe(2)
    const other = await measure({
      name: 'apart',
      value: 5,
      labels: { environment: 'mine', empty: '' },
      service: 'cart',
      environment: 'mine',
      instance: 'i-1',
    })
    expect(other.data.metricId).not.toBe(one.data.metricId)
    expect(await readPage()).toContain(
      'svc_custom_apart{environment="mine",instance="i-1",service="cart"} 5\n',
    )
  })

  it('takes a label without a value for none, as scrapers do', async () => {
    const one = await measure({ name: 'unlabelled', value: 1 })
    const same = { name: 'unlabelled', value: 2, service: '', labels: { a: '' } }
    expect((await measure(same)).data.metricId).toBe(one.data.metricId)
    expect((await readPage()).match(/^svc_custom_unlabelled.*$/gm)).toEqual([
      'svc_custom_unlabelled 2',
    ])
  })

  it('lets counters, histograms and summaries go on over a restart', async () => {
    for (const value of [0.2, 0.3, 40]) {
      await measure({ name: 'orders', value, type: 'counter' })
      await measure({ name: 'wait_seconds', value, type: 'Histogram', labels: { to: 'a' } })
      await measure({ name: 'weight', value, type: 'summary' })
    }
    await running.restart()
    await measure({ name: 'orders', value: 1 })
    const { data } = await measure({ name: 'weight', value: 0.25, type: 'summary' })
    expect(data.aggregations).toMatchObject({ count: 4, min: 0.2, max: 40, last: 0.25 })
    const page = await readPage()
    for (const line of [
      '# TYPE svc_custom_orders counter\nsvc_custom_orders 41.5\n',
      '# TYPE svc_custom_wait_seconds histogram\n',
      'svc_custom_wait_seconds_bucket{to="a",le="0.25"} 1\n',
      'svc_custom_wait_seconds_bucket{to="a",le="0.5"} 2\n',
      'svc_custom_wait_seconds_bucket{to="a",le="+Inf"} 3\n',
      'svc_custom_wait_seconds_sum{to="a"} 40.5\n',
      'svc_custom_wait_seconds_count{to="a"} 3\n',
      '# TYPE svc_custom_weight summary\nsvc_custom_weight{quantile="0.5"} 0.2',
      'svc_custom_weight_count 4\n',
    ])
      expect(page).toContain(line)
  })

  it.each([
    [{ value: 1 }, 'name'],
    [{ name: '1a', value: 1 }, 'name'],
    [{ name: 'a-b', value: 1 }, 'name'],
    [{ name: 'a' }, 'value'],
    [{ name: 'a', value: '1' }, 'value'],
    [{ name: 'a', value: 1, type: 'rate' }, 'type'],
    [{ name: 'a', value: -1, type: 'counter' }, 'value'],
    [{ name: 'a', value: 1, labels: { b: 1 } }, 'labels.b'],
    [{ name: 'a', value: 1, labels: { 'b-c': '1' } }, 'labels.b-c'],
    [{ name: 'a', value: 1, labels: { __b: '1' } }, 'labels.__b'],
    [{ name: 'a', value: 1, labels: { le: '1' } }, 'labels.le'],
    [{ name: 'a', value: 1, service: 'b', labels: { service: 'c' } }, 'service'],
    [{ name: 'a', value: 1, instance: '', labels: { instance: 'c' } }, 'instance'],
    [{ name: 'a', value: 1, labels: { ['b'.repeat(129)]: '1' } }, 'labels'],
    [{ name: 'a', value: 1, labels: { b: 'c\0' } }, 'labels.b'],
    [{ name: 'a', value: 1, instance: 'c\0' }, 'instance'],
  ])('refuses %j and names %s', async (body, path) => {
    const { status, details } = await measure(body)
    expect(status).toBe(400)
    expect(details[0]?.path).toBe(path)
  })

  it('tells of what it does not read beside its fields', async () => {
    const { data } = await measure({ name: 'unread', value: 1, tags: { shop: 'north' }, extra: 1 })
    expect(data.warnings).toEqual([
      '"tags" is not a field of a value and was ignored; "labels" is.',
      '"extra" is not a field of a value and was ignored.',
    ])
  })

  it('refuses a number beyond all bounds and a seventeenth label', async () => {
    expect(
      (await running.call('POST', '/cortex/metrics', '{"name":"a","value":1e999}')).status,
    ).toBe(400)
    const labels = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`l${at}`, '']))
    expect((await measure({ name: 'a', value: 1, labels })).status).toBe(400)
    expect(await readPage()).not.toMatch(/svc_custom_a[ {]/)
  })

  it('keeps a name to one type, and out of the lines of another metric', async () => {
    await measure({ name: 'fixed', value: 1, type: 'histogram' })
    for (const body of [
      { name: 'fixed', value: 1, type: 'counter' },
      { name: 'fixed_sum', value: 1 },
      { name: 'fixed_bucket', value: 1, type: 'counter' },
    ])
      expect(await measure(body)).toMatchObject({ status: 409, code: 'NAME_TAKEN' })
    await measure({ name: 'free_count', value: 1 })
    expect(await measure({ name: 'free', value: 1, type: 'summary' })).toMatchObject({
      status: 409,
    })
    expect(await measure({ name: 'free', value: 1 })).toMatchObject({ status: 200 })
  })

  it('has room for so many label sets of a name, and so many names', async () => {
    await running.restart({ METRIC_SERIES_MAX: '20', METRIC_NAMES_MAX: '30' })
    const send = (at: number) => measure({ name: 'many', value: 1, labels: { at: String(at) } })
    const answers = await Promise.all(Array.from({ length: 25 }, (_, at) => send(at)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_SERIES')).toHaveLength(5)
    const names = Array.from({ length: 40 }, (_, at) => measure({ name: `name_${at}`, value: 1 }))
    const refused = (await Promise.all(names)).filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(9)
    await running.restart()
  })

  it('leaves a page that a scraper takes', async () => {
    const page = await readPage()
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' })
    // The checker has a taste in names, which clients need not share.
    if (checked.error === undefined)
      expect(checked.stderr).not.toMatch(/error while linting|parsing/)
  })
})
