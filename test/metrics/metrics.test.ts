import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { metricsPage } from '../../src/api/cortex/metrics-text.ts'
import { readConfig } from '../../src/config.ts'
import { serviceError } from '../../src/errors.ts'
import { type Route, route } from '../../src/http/route.ts'
import { collectEventLoop } from '../../src/metrics/event-loop.ts'
import { FAMILY_ROWS_MAX, type Metrics, openMetrics } from '../../src/metrics/metrics.ts'
import { openRolling } from '../../src/metrics/rolling.ts'
import { FreeForm } from '../../src/schema/common.ts'
import { type Stub, startStub } from '../http/stub.ts'
import { waitUntil } from '../wait-until.ts'

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

interface Family {
  type: string
  help: string
  samples: Sample[]
}

const LINE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)$/

/** Reads a page as the format's text defines it: HELP, TYPE, then samples of that family and no other. */
function parsePage(page: string): Map<string, Family> {
  expect(page.endsWith('\n')).toBe(true)
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let name = ''
  let help = ''
  for (const line of page.split('\n')) {
    if (line === '') continue
    const [, helped, text] = /^# HELP (\S+) (.*)$/.exec(line) ?? []
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (helped !== undefined) {
      expect(families.has(helped), `${helped} comes twice`).toBe(false)
      name = helped
      help = text ?? ''
    } else if (typed !== undefined) {
      expect(typed).toBe(name)
      families.set(typed, { type: type!, help, samples: [] })
    } else {
      const [, metric, labels = '', value] = LINE.exec(line) ?? []
      expect(metric, line).toBeDefined()
      const family = families.get(name)!
      const suffixes = family.type === 'histogram' ? ['', '_bucket', '_sum', '_count'] : ['']
      expect(suffixes.map((suffix) => name + suffix)).toContain(metric)
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [
        key,
        text,
      ])
      const number = Number(value!.replace('+Inf', 'Infinity'))
      if (value !== 'NaN') expect(Number.isNaN(number), line).toBe(false)
      const identity = `${metric}{${pairs.map(String).sort().join()}}`
      expect(seen.has(identity), `${identity} comes twice`).toBe(false)
      seen.add(identity)
      family.samples.push({ name: metric!, labels: Object.fromEntries(pairs), value: number })
    }
  }
  return families
}

const routes: Route[] = [
  metricsPage,
  route({
    method: 'GET',
    path: '/things',
    summary: '',
    tag: 'operations',
    reply: FreeForm,
    handle: ({ query }) => {
      if ('fail' in query) throw serviceError('INDEX_NOT_FOUND', 'No.')
      return { done: true }
    },
  }),
]

let stub: Stub
const start = async (env: Record<string, string> = {}) => {
  await stub?.close()
  stub = await startStub(routes, env)
}
beforeEach(async () => {
  stub = await startStub(routes)
})
afterEach(() => stub.close())

async function readPage(): Promise<Map<string, Family>> {
  const response = await fetch(`${stub.url}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parsePage(await response.text())
}

const find = (family: Family | undefined, name: string, labels: Record<string, string>) =>
  family?.samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  ) ?? []

it('counts every request under its pattern, unknown paths and failures too', async () => {
  await fetch(`${stub.url}/things`)
  await fetch(`${stub.url}/things?fail`)
  await fetch(`${stub.url}/nothing/1`)
  await fetch(`${stub.url}/nothing/2`)
  await fetch(`${stub.url}/things`, { method: 'DELETE' })
  const page = await readPage()
  const requests = page.get('svc_api_requests_total')
  const count = (labels: Record<string, string>) =>
    find(requests, 'svc_api_requests_total', labels).map(({ value }) => value)
  expect(count({ method: 'GET', endpoint: '/things', status: '200' })).toEqual([1])
  expect(count({ method: 'GET', endpoint: '/things', status: '404' })).toEqual([1])
  expect(count({ method: 'GET', endpoint: 'unmatched', status: '404' })).toEqual([2])
  expect(count({ method: 'DELETE', endpoint: '/things', status: '405' })).toEqual([1])
  const errors = page.get('svc_api_errors_total')!.samples
  expect(errors.map(({ labels }) => labels.error_type).sort()).toEqual([
    'INDEX_NOT_FOUND',
    'METHOD_NOT_ALLOWED',
    'ROUTE_NOT_FOUND',
  ])
  expect(Object.keys(errors[0]!.labels).sort()).toEqual(['endpoint', 'error_type', 'method'])
})

it('shows time as a histogram whose quantiles come after its own lines', async () => {
  await fetch(`${stub.url}/things`)
  await fetch(`${stub.url}/nothing`)
  const name = 'svc_api_request_duration_seconds'
  const family = (await readPage()).get(name)!
  expect(family.type).toBe('histogram')
  const kinds = family.samples.map((sample) => (sample.name === name ? 'quantile' : 'histogram'))
  expect(kinds.lastIndexOf('histogram')).toBeLessThan(kinds.indexOf('quantile'))
  const own = { method: 'GET', endpoint: '/things' }
  expect(find(family, name, own).map(({ labels }) => labels.quantile)).toEqual([
    '0.5',
    '0.9',
    '0.95',
    '0.99',
  ])
  const buckets = find(family, `${name}_bucket`, own).map(({ value }) => value)
  expect(buckets).toEqual([...buckets].sort((a, b) => a - b))
  expect(buckets.at(-1)).toBe(1)
  expect(find(family, `${name}_count`, own)[0]!.value).toBe(1)
  expect(find(family, `${name}_sum`, own)[0]!.value).toBeGreaterThan(0)
  expect(find(family, name, own)[0]!.value).toBeGreaterThan(0)
})

it('shows sizes as a histogram and requests under way as a gauge of the method alone', async () => {
  await fetch(`${stub.url}/things`)
  const page = await readPage()
  const size = find(page.get('svc_api_response_size_bytes'), 'svc_api_response_size_bytes_sum', {
    endpoint: '/things',
  })
  expect(size[0]!.value).toBeGreaterThan(50)
  const active = page.get('svc_api_active_requests')!
  expect(active.type).toBe('gauge')
  expect(active.samples).toEqual([
    { name: 'svc_api_active_requests', labels: { method: 'GET' }, value: 1 },
  ])
})

it('counts no bytes of an answer to HEAD, which goes without its body', async () => {
  const { headers } = await fetch(`${stub.url}/things`, { method: 'HEAD' })
  expect(Number(headers.get('content-length'))).toBeGreaterThan(50)
  const family = (await readPage()).get('svc_api_response_size_bytes')
  const own = { method: 'HEAD', endpoint: '/things' }
  const value = (part: string) => find(family, `svc_api_response_size_bytes_${part}`, own)[0]?.value
  expect([value('count'), value('sum')]).toEqual([1, 0])
})

it('puts quantiles into a family of their own, or nowhere, when told so', async () => {
  await start({ QUANTILES: 'family' })
  await fetch(`${stub.url}/things`)
  const page = await readPage()
  const name = 'svc_api_request_duration_quantile_seconds'
  expect(find(page.get(name), name, { endpoint: '/things' })).toHaveLength(4)
  const quantile = (family: Family) => family.samples.some(({ labels }) => 'quantile' in labels)
  expect(quantile(page.get('svc_api_request_duration_seconds')!)).toBe(false)
  await start({ QUANTILES: 'off' })
  await fetch(`${stub.url}/things`)
  const families = [...(await readPage())].filter(([name]) => name.startsWith('svc_'))
  expect(families.some(([, family]) => quantile(family))).toBe(false)
})

it('stands at the root, under the base and under its alias', async () => {
  const root = stub.url.replace('/api', '')
  for (const url of [`${root}/metrics`, `${stub.url}/metrics`, `${stub.url}/cortex/metrics`])
    expect((await fetch(url)).status).toBe(200)
})

/** Until the timer that measures the event loop has come round, which a crowded machine lets it do late. */
const TIMER_MS = 30_000

async function lagOf(figure: string): Promise<number> {
  const family = (await readPage()).get(`nodejs_eventloop_lag_${figure}_seconds`)
  return family?.samples[0]?.value ?? 0
}

it('shows process, memory and event loop beside the service', async () => {
  await waitUntil(async () => (await lagOf('max')) > 0, TIMER_MS)
  const page = await readPage()
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_eventloop_busy_seconds_total',
    'nodejs_eventloop_utilization_ratio',
  ])
    expect(page.get(name)?.samples.length, name).toBeGreaterThan(0)
})

it('tells pages that come together the same of the event loop', async () => {
  await waitUntil(async () => (await lagOf('max')) > 0, TIMER_MS)
  const until = performance.now() + 150
  while (performance.now() < until);
  await waitUntil(async () => (await lagOf('max')) > 0.1, TIMER_MS)
  for (let scraper = 0; scraper < 3; scraper += 1) {
    const page = await readPage()
    const lag = (figure: string) =>
      page.get(`nodejs_eventloop_lag_${figure}_seconds`)?.samples[0]?.value
    const max = lag('max')
    expect(max).toBeGreaterThan(0.1)
    expect(max).toBeLessThan(60)
    for (const figure of ['min', 'mean', 'stddev', 'p50', 'p90', 'p99']) {
      const value = lag(figure)
      expect(value, figure).toBeGreaterThan(0)
      expect(value, figure).toBeLessThanOrEqual(max!)
    }
  }
})

it('forgets of the event loop what is long over', async () => {
  let nowMs = 0
  const families = new Map<string, () => { value: number }[]>()
  const collect = ((name, _help, _labels, rows) =>
    families.set(name, rows as () => { value: number }[])) as Metrics['collect']
  collectEventLoop(collect, () => nowMs)
  const max = () => families.get('nodejs_eventloop_lag_max_seconds')!().at(0)?.value ?? 0
  await waitUntil(() => max() > 0, TIMER_MS)
  const until = performance.now() + 400
  while (performance.now() < until);
  await waitUntil(() => max() > 0.3, TIMER_MS)
  nowMs = 31_000
  expect(max()).toBeGreaterThan(0.3)
  await sleep(50)
  nowMs = 62_000
  expect(max()).toBeLessThan(0.3)
})

it('reads collected families at each page, and at most so many label sets of each', async () => {
  let value = 1
  stub.app.metrics.collect('svc_one', 'One', [], () => [{ value }])
  stub.app.metrics.collect('svc_many_total', 'Many "quoted"\nlines', ['name'], () =>
    Array.from({ length: 500 }, (_, at) => ({ labels: { name: `"\\\n${at}` }, value: at })),
  )
  expect((await readPage()).get('svc_one')!.samples[0]!.value).toBe(1)
  value = 2
  const page = await readPage()
  expect(page.get('svc_one')).toMatchObject({ type: 'gauge', samples: [{ value: 2 }] })
  expect(page.get('svc_many_total')!.type).toBe('counter')
  expect(page.get('svc_many_total')!.samples).toHaveLength(FAMILY_ROWS_MAX)
})

it('leaves a family empty whose figures can not be read, and counts that', async () => {
  stub.app.metrics.collect('svc_broken', 'Broken', [], () => {
    throw new Error('too many open files')
  })
  await readPage()
  const page = await readPage()
  expect(page.get('svc_broken')!.samples).toEqual([])
  expect(page.get('svc_metrics_collector_failures_total')!.samples[0]!.value).toBeGreaterThan(0)
})

it('says so when the page can not be made', async () => {
  const unreadable = {
    toString: () => {
      throw new Error('broken')
    },
  } as unknown as string
  stub.app.metrics.collect('svc_bad', 'Bad', ['name'], () => [
    { labels: { name: unreadable }, value: 1 },
  ])
  const response = await fetch(`${stub.url}/metrics`)
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({
    success: false,
    error: 'Failed to generate metrics',
  })
})

it('writes what is no number as the format spells it', async () => {
  const metrics = openMetrics(readConfig({}))
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  metrics.collect('svc_odd', 'Odd', ['at'], () =>
    values.map((value, at) => ({ labels: { at: String(at) }, value })),
  )
  const page = String(await metrics.page())
  for (const [at, word] of ['NaN', '+Inf', '-Inf'].entries())
    expect(page).toContain(`svc_odd{at="${at}"} ${word}\n`)
})

it('a made-up method makes no series of its own', async () => {
  const metrics = openMetrics(readConfig({}))
  metrics.route('GET', '/a').begin()
  await fetch(`${stub.url}/things`, { method: 'PROPFIND' })
  const page = await readPage()
  const methods = new Set(
    page.get('svc_api_requests_total')!.samples.map(({ labels }) => labels.method),
  )
  expect([...methods].sort()).toEqual(['OTHER'])
})

it('rolling quantiles forget what is older than a minute', () => {
  let now = 1_000_000
  const rolling = openRolling(() => now)
  expect(rolling.quantiles([0.5])).toEqual([Number.NaN])
  for (let ms = 1; ms <= 100; ms += 1) rolling.record(ms)
  const [median = 0, high = 0] = rolling.quantiles([0.5, 0.99])
  expect(median).toBeCloseTo(0.05, 3)
  expect(high).toBeCloseTo(0.099, 3)
  now += 50_000
  rolling.record(1000)
  expect(rolling.quantiles([0.5])[0]).toBeCloseTo(0.05, 2)
  now += 10_000
  expect(rolling.quantiles([0.5])[0]).toBeCloseTo(1, 1)
  now += 60_000
  expect(rolling.quantiles([0.5])).toEqual([Number.NaN])
})

it('rolling quantiles forget it, too, after the system’s clock was set back', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const rolling = openRolling()
  rolling.record(5)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(rolling.quantiles([0.5])[0]).toBeCloseTo(0.005, 3)
  vi.advanceTimersByTime(70_000)
  expect(rolling.quantiles([0.5])).toEqual([Number.NaN])
})

it('rolling quantiles are within half a percent of the value, from a microsecond to an hour', () => {
  for (let us = 1; us < 3_600_000_000; us = Math.ceil(us * 1.37)) {
    const rolling = openRolling(() => 0)
    rolling.record(us / 1000)
    const [median = Number.NaN] = rolling.quantiles([0.5])
    expect(Math.abs(median - us / 1e6), `${us} µs`).toBeLessThanOrEqual(0.005 * (us / 1e6))
  }
  const rolling = openRolling(() => 0)
  for (const ms of [0, -1, 1e12]) rolling.record(ms)
  expect(rolling.quantiles([0.5])[0]).toBeCloseTo(1e-6, 7)
  expect(rolling.quantiles([1])[0]).toBeCloseTo(3600, -2)
})

it('thousands of series, as all methods on all paths make them, take little memory', () => {
  let now = 0
  const before = process.memoryUsage().rss
  const series = Array.from({ length: 2000 }, () => openRolling(() => now))
  for (; now < 60_000; now += 10_000)
    for (const rolling of series) for (const ms of [0.1, 0.11, 0.12]) rolling.record(ms)
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6)
  for (const rolling of series) rolling.quantiles([0.5, 0.99])
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6)
})
