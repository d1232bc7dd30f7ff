import { performance } from 'node:perf_hooks'
import type { App } from './app.ts'
import { variableOf } from './config.ts'
import { ServiceError } from './errors.ts'
import { shownName } from './word.ts'

/** What a part of the service says about itself when asked; throws when it does not work. */
export type HealthCheck = () => object | Promise<object>

/** State of one part; `latency` in ms. */
export interface PartHealth {
  operational: boolean
  latency: number
  metrics: object
  error?: string
}

/** The parts that a health report asks. */
export type HealthParts = Pick<App, 'engine' | 'indices' | 'lifecycle' | 'pool'> & {
  config: Pick<App['config'], 'healthTimeoutMs'>
  store: Pick<App['store'], 'health' | 'hasRoom'>
  sessions: { health: HealthCheck }
  learning: { health: Omit<LearningHealth, 'watch'> }
}

type LearningHealth = App['learning']['health']
/** Each a share (0..1), or null on the wire while there is too little data. */
type LearningScores = Awaited<ReturnType<LearningHealth['scores']>>

export interface CortexHealth {
  timestamp: string
  services: Record<'searchEngine' | 'database' | 'cache', PartHealth>
  overall: boolean
}

/** Asks the search engine, the record store and the session cache at once; every figure is read from them. */
export async function reportCortexHealth(parts: HealthParts): Promise<CortexHealth> {
  const services = await checkAll(parts.config.healthTimeoutMs, {
    searchEngine: () => searchEngineHealth(parts),
    database: async () => ({ ...(await parts.store.health()), writable: parts.store.hasRoom() }),
    cache: () => parts.sessions.health(),
  })
  return { timestamp: new Date().toISOString(), services, overall: allWork(services) }
}

export interface NousHealth {
  timestamp: string
  models: Record<'serving' | 'training' | 'adaptation', PartHealth>
  learning: LearningScores
  overall: boolean
}

/** Asks what ranks, what learns, and what changes rankings; and how well they have done so far. */
export async function reportNousHealth(parts: HealthParts): Promise<NousHealth> {
  const { health } = parts.learning
  const models = await checkAll(parts.config.healthTimeoutMs, {
    serving: () => {
      // That of files loads models.
      mustLive(parts, 'files')
      return {
        threads: mustLive(parts, 'search'),
        ...searchEngineHealth(parts),
        ...health.serving(),
      }
    },
    training: () => ({
      threads: threadsOf(parts, 'learning'),
      ...health.training(),
      examination: health.examination(),
    }),
    adaptation: async () => ({ writable: await writable(parts), ...health.adaptation() }),
  })
  return {
    timestamp: new Date().toISOString(),
    models,
    learning: await learningOf(health),
    overall: allWork(models),
  }
}

/** What can't be read is not known; whether the parts work is said above. */
async function learningOf(
  health: HealthParts['learning']['health'],
): Promise<NousHealth['learning']> {
  try {
    return await health.scores()
  } catch {
    return { ...UNKNOWN_SCORES }
  }
}

const UNKNOWN: LearningScores['stability'] = {
  score: null,
  status: 'INSUFFICIENT_DATA',
  samples: 0,
}
const UNKNOWN_SCORES = { effectiveness: UNKNOWN, convergence: UNKNOWN, stability: UNKNOWN }

/** Runs every check at once, each within the limit; a check that takes longer has failed. */
export async function checkAll<Name extends string>(
  timeoutMs: number,
  checks: Record<Name, HealthCheck>,
): Promise<Record<Name, PartHealth>> {
  const names = Object.keys(checks) as Name[]
  const states = await Promise.all(names.map((name) => checkOne(timeoutMs, checks[name])))
  return Object.fromEntries(names.map((name, at) => [name, states[at]])) as Record<Name, PartHealth>
}

async function checkOne(timeoutMs: number, check: HealthCheck): Promise<PartHealth> {
  const startedMs = performance.now()
  const latency = (): number => Math.round((performance.now() - startedMs) * 100) / 100
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late(timeoutMs)), timeoutMs)
  })
  try {
    const metrics = await Promise.race([(async () => check())(), limit])
    return { operational: true, latency: latency(), metrics }
  } catch (cause) {
    return { operational: false, latency: latency(), metrics: {}, error: sentence(cause) }
  } finally {
    clearTimeout(timer)
  }
}

function late(timeoutMs: number): ServiceError {
  return new ServiceError(
    'TIMED_OUT',
    `It did not answer within ${timeoutMs} ms, the setting ${variableOf('healthTimeoutMs')}.`,
  )
}

/** Only a sentence that was made for clients is shown. */
function sentence(cause: unknown): string {
  return cause instanceof ServiceError ? cause.message : 'It does not answer.'
}

function allWork(parts: Record<string, PartHealth>): boolean {
  return Object.values(parts).every(({ operational }) => operational)
}

/**
 * Figures of the search engine: green when every index is complete and takes documents, yellow while some are still being
 * read back, or none takes any as there is no room.
 * Throws when an index can't be opened: searches of it get no answer, and those of all lack it.
 */
function searchEngineHealth({ engine, indices, lifecycle, store }: HealthParts): object {
  const [name, ...others] = engine.unopened()
  if (name !== undefined) throw new ServiceError('UNHEALTHY', unopenedSentence(name, others.length))
  const opened = engine.opened()
  const figures = opened.map((entry) => engine.figures(entry))
  const sum = (pick: (figure: (typeof figures)[number]) => number): number =>
    figures.reduce((total, figure) => total + pick(figure), 0)
  const isWhole = lifecycle.state !== 'starting' && store.hasRoom()
  return {
    cluster: { status: isWhole ? 'green' : 'yellow', nodes: 1 },
    indices: { declared: indices.all().length, open: opened.length },
    documents: sum(({ documents }) => documents),
    vectors: sum(({ vectors }) => vectors),
    bytes: sum(({ bytes }) => bytes),
  }
}

function unopenedSentence(name: string, others: number): string {
  const more = others === 0 ? '' : ` and of ${others} more`
  return `The files of "${shownName(name)}"${more} can't be opened; the log says why.`
}

type Lane = ReturnType<App['pool']['figures']>[number]['lane']

/** Threads that are there now: those that learn come and go with their work. */
function threadsOf({ pool }: HealthParts, lane: Lane): number {
  return pool.figures().find((figures) => figures.lane === lane)?.threads ?? 0
}

function mustLive(parts: HealthParts, lane: Lane): number {
  const threads = threadsOf(parts, lane)
  if (threads === 0) throw new ServiceError('UNHEALTHY', 'None of its threads is alive.')
  return threads
}

/**
 * A full store goes on with what there is, and takes nothing new. Throws where it failed or is damaged: what was learned
 * may stand on a page that can't be read.
 */
async function writable({ store }: HealthParts): Promise<boolean> {
  await store.health()
  return store.hasRoom()
}
