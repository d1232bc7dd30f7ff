import { expect, it, onTestFinished, vi } from 'vitest'
import { serviceError } from '../src/errors.ts'
import { checkAll, type HealthParts, reportCortexHealth, reportNousHealth } from '../src/health.ts'
import { startApp } from './running-app.ts'

type Part = 'engine' | 'store' | 'room' | 'sessions' | 'pool' | 'serving' | 'training' | 'scores'

/** Parts that answer as given; what they would be in the whole service is tested through it. */
function parts(broken: Partial<Record<Part, unknown>> = {}) {
  const ask = (name: keyof typeof broken, figures: unknown) => () => {
    if (broken[name] !== undefined) throw broken[name]
    return figures
  }
  const opened = [{ record: { name: 'a' } }]
  return {
    config: { healthTimeoutMs: 50 },
    lifecycle: { state: 'ready' },
    indices: { all: () => opened },
    engine: {
      opened: () => opened,
      unopened: () => [],
      figures: ask('engine', { documents: 3, vectors: 2, bytes: 10 }),
    },
    store: {
      health: ask('store', { connections: { active: 1, idle: 2 } }),
      hasRoom: () => broken.room === undefined,
    },
    learning: {
      health: {
        serving: ask('serving', { active: null }),
        training: ask('training', { behind: 0 }),
        adaptation: () => ({}),
        examination: () => ({ inUse: 1 }),
        scores: async () => {
          if (broken.scores !== undefined) throw broken.scores
          const score = { score: 0.5, status: 'GOOD', samples: 200 }
          return { effectiveness: score, convergence: score, stability: score }
        },
      },
    },
    sessions: { health: ask('sessions', { memory: { used: '0.1MB', peak: '0.2MB' } }) },
    pool: {
      figures: () => [
        { lane: 'search', threads: 2 },
        { lane: 'files', threads: broken.pool === undefined ? 1 : 0 },
        { lane: 'learning', threads: 0 },
      ],
    },
  } as unknown as HealthParts
}

it('reports each part of the search component with its own figures', async () => {
  const report = await reportCortexHealth(parts())
  expect(report.overall).toBe(true)
  expect(report.timestamp).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  const { searchEngine, database, cache } = report.services
  expect(searchEngine.metrics).toMatchObject({
    cluster: { status: 'green', nodes: 1 },
    documents: 3,
  })
  expect(database.metrics).toEqual({ connections: { active: 1, idle: 2 }, writable: true })
  expect(cache.metrics).toEqual({ memory: { used: '0.1MB', peak: '0.2MB' } })
  for (const part of [searchEngine, database, cache]) {
    expect(part.operational).toBe(true)
    expect(part.latency).toBeGreaterThanOrEqual(0)
  }
})

it('is yellow, and well, while indices are still being read back', async () => {
  const starting = { ...parts(), lifecycle: { state: 'starting' } } as HealthParts
  const { overall, services } = await reportCortexHealth(starting)
  expect(overall).toBe(true)
  expect(services.searchEngine.metrics).toMatchObject({ cluster: { status: 'yellow' } })
})

it('is yellow, and says why, while nothing can be written: reads go on', async () => {
  const { overall, services } = await reportCortexHealth(parts({ room: 'none' }))
  expect(overall).toBe(true)
  expect(services.searchEngine.metrics).toMatchObject({ cluster: { status: 'yellow' } })
  expect(services.database).toMatchObject({ operational: true, metrics: { writable: false } })
})

it.each([
  ['engine', 'searchEngine'],
  ['store', 'database'],
  ['sessions', 'cache'],
] as const)(
  'is not well when %s fails, and says of the cause only what is for clients',
  async (name, service) => {
    const told = serviceError('STORE_UNAVAILABLE', 'The disk failed.')
    const report = await reportCortexHealth(parts({ [name]: told }))
    expect(report.overall).toBe(false)
    expect(report.services[service]).toMatchObject({
      operational: false,
      error: 'The disk failed.',
    })
    const hidden = await reportCortexHealth(parts({ [name]: new Error('/secret/path') }))
    expect(JSON.stringify(hidden)).not.toContain('secret')
  },
)

it('reports the learning component from what would do the work', async () => {
  const report = await reportNousHealth(parts())
  expect(report.overall).toBe(true)
  expect(report.models.serving.metrics).toMatchObject({ threads: 2 })
  // What learns has a thread only while there is work.
  expect(report.models.training.metrics).toMatchObject({ threads: 0, behind: 0 })
  expect(report.learning.effectiveness).toEqual({ score: 0.5, status: 'GOOD', samples: 200 })
  const stuck = await reportNousHealth(parts({ store: serviceError('DISK_FULL', 'Full.') }))
  expect(stuck.models.adaptation).toMatchObject({ operational: false, error: 'Full.' })
  expect(stuck.overall).toBe(false)
  const dead = await reportNousHealth(parts({ pool: new Error('gone') }))
  expect(dead.models.serving).toMatchObject({
    operational: false,
    error: 'None of its threads is alive.',
  })
  expect(dead.models.training.operational).toBe(true)
  for (const name of ['serving', 'training'] as const) {
    const broken = await reportNousHealth(parts({ [name]: serviceError('UNHEALTHY', 'No.') }))
    expect(broken.models[name]).toMatchObject({ operational: false, error: 'No.' })
    expect(broken.overall).toBe(false)
  }
  const { learning, overall } = await reportNousHealth(parts({ scores: new Error('gone') }))
  expect(learning.stability).toMatchObject({ score: null, status: 'INSUFFICIENT_DATA' })
  expect(overall).toBe(true)
})

it('says of both components that records are damaged', async () => {
  const running = await startApp()
  onTestFinished(running.close)
  const components = ['/cortex/health', '/nous/health']
  for (const path of components) expect((await running.call('GET', path)).status).toBe(200)
  running.app.store.noteDamage(new Error('MDB_CORRUPTED: Located page was wrong type'))
  for (const path of components) {
    const { status, data } = await running.call('GET', path)
    expect([path, status]).toEqual([path, 503])
    expect(JSON.stringify(data)).toContain('Some of the records are damaged')
  }
})

it('gives each check its own time, all at once', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const never = () => new Promise<object>(() => {})
  const checked = checkAll(60, { a: never, b: never, c: async () => ({ fine: true }) })
  await vi.advanceTimersByTimeAsync(60)
  const states = await checked
  expect(states.a).toMatchObject({
    operational: false,
    error: 'It did not answer within 60 ms, the setting HEALTH_TIMEOUT_MS.',
  })
  expect(states.b.operational).toBe(false)
  expect(states.c).toMatchObject({ operational: true, metrics: { fine: true } })
})

it('tells of a full store that no change can be written, while what there is goes on', async () => {
  const said = async (broken: Parameters<typeof parts>[0]) => {
    const { models, overall } = await reportNousHealth(parts(broken))
    return { overall, ...models.adaptation }
  }
  expect(await said({})).toMatchObject({ operational: true, metrics: { writable: true } })
  const full = await said({ room: 'none' })
  expect(full).toMatchObject({ overall: true, operational: true, metrics: { writable: false } })
})
