import { v7 as uuid } from 'uuid'
import { invalid, serviceError } from '../../errors.ts'
import type { Metrics } from '../../metrics.ts'
import type {
  AnsweredAssignment,
  Assignment,
  ExperimentCreate,
  ExperimentQuery,
  ExperimentResult,
} from '../../schema/experiment.ts'
import type { ExperimentKind, ExperimentRecord } from '../../schema/experiment-record.ts'
import type { Store } from '../../store/store.ts'
import type { Events } from '../events.ts'
import type { Consumer } from '../facts.ts'
import type { AppliedVariant } from '../plan.ts'
import type { SessionGlimpse, Sessions } from '../sessions.ts'
import { MACHINES } from '../states.ts'
import { describeExperiment, monitoringOf, reportExperiment } from './answers.ts'
import type { Counted } from './checks.ts'
import { draftExperiment } from './draft.ts'
import { evidenceOf } from './evidence.ts'
import { openLedger } from './ledger.ts'
import { openRegister, type Register } from './register.ts'
import { openReported } from './reported.ts'
import { assignmentOf, place, prepare, variantsFor } from './running.ts'
import { advanceAll, watch } from './schedule.ts'
import { openSweep } from './sweep.ts'
import type { Target } from './targeting.ts'

/** What a verb makes of a test or an experiment. */
const VERBS = {
  pause: 'PAUSED',
  deactivate: 'PAUSED',
  resume: 'ACTIVE',
  activate: 'ACTIVE',
  stop: 'STOPPED',
} as const
export type Verb = keyof typeof VERBS

/** Search A/B tests and learning experiments: one engine for both. */
export interface Experiments {
  /** Throws VALIDATION_FAILED, NAME_TAKEN, LIMIT_REACHED. */
  create: (kind: ExperimentKind, sent: ExperimentCreate) => Promise<object>
  /** A unit's variant of a test. Throws TEST_NOT_FOUND, NOT_ACTIVE. */
  assign: (sent: Assignment) => AnsweredAssignment
  /** Newest first. */
  list: (kind: ExperimentKind, query: ExperimentQuery) => object
  /** With comparisons and a verdict. Throws the kind's …_NOT_FOUND. */
  get: (kind: ExperimentKind, id: string) => object
  /** Throws the kind's …_NOT_FOUND, INVALID_TRANSITION, LIMIT_REACHED. */
  steer: (kind: ExperimentKind, id: string, verb: Verb) => Promise<object>
  /** Counts values that others measured, and checks the guardrails at once. */
  record: (sent: ExperimentResult) => Promise<object>
  /** What applies to a unit's search; from memory. */
  variants: (unit: string, session: SessionGlimpse) => AppliedVariant[]
  consumer: Consumer
  tick: () => Promise<void>
  /** Takes a unit out of all evidence; returns in how many experiments it was. */
  forget: (unit: string) => Promise<number>
  /** Removes some rows of what ended long ago; returns how many. Call again while it removes. */
  sweep: (nowMs: number) => Promise<number>
  /** How many there are, by kind and status, and units that took part in those not ended. */
  figures: () => { kind: ExperimentKind; status: string; count: number; units: number }[]
}

export interface ExperimentsParts {
  store: Store
  events: Events
  config: { retentionMs: number }
  sessions: Pick<Sessions, 'peek' | 'touch'>
  metrics?: Pick<Metrics, 'collect'>
  clock: () => number
}

const LIST_MAX = 100

export function openExperiments(parts: ExperimentsParts): Experiments {
  const { store, sessions, clock } = parts
  const register = openRegister(parts)
  const ledger = openLedger(store)
  const reported = openReported(store)
  const counted = (record: ExperimentRecord): Counted =>
    // What failed because its evidence can't be read is shown without.
    record.status === 'FAILED'
      ? { arms: [], reported: new Map() }
      : { arms: ledger.arms(record), reported: reported.sums(record) }
  const schedule = { register, counted, clock }
  const swept = openSweep({ ...parts, register, ledger, reported })
  if (parts.metrics !== undefined) collect(parts.metrics, swept.figures)

  async function steer(kind: ExperimentKind, id: string, verb: Verb): Promise<object> {
    mustFind(register, kind, id)
    const record = await register.steer(id, { to: VERBS[verb] })
    return describeExperiment(record, counted(record), clock())
  }
  async function record(sent: ExperimentResult): Promise<object> {
    const experiment = findReported(register, sent)
    if (experiment.status !== 'ACTIVE' && experiment.status !== 'PAUSED')
      throw notActive(experiment)
    const { unit, target } = unitOf(sent, sessions)
    const arm = armOf(experiment, sent, unit, target)
    const { metrics } = sent
    const values = await store.write(() => reported.record({ experiment, arm, unit, metrics }))
    if (experiment.status === 'ACTIVE') await watch(schedule, experiment)
    const now = register.find(experiment.id) ?? experiment
    return {
      experimentId: now.id,
      variantId: now.variants[arm]?.id ?? '',
      recorded: values,
      status: now.status,
      monitoring: monitoringOf(now, counted(now), clock()),
    }
  }
  return {
    create: async (kind, sent) => {
      const nowMs = clock()
      const record = draftExperiment(kind, sent, uuid({ msecs: nowMs }), nowMs)
      await register.add(record)
      return describeExperiment(record, counted(record), nowMs)
    },
    assign: (sent) => {
      const record = findAssigned(register, sent)
      if (record.status !== 'ACTIVE') throw notActive(record)
      const { unit = sent.sessionId, target } = unitOf(sent, sessions)
      return assignmentOf(prepare(record), unit, target)
    },
    list: (kind, query) =>
      listOf(register, kind, query, (each) => describeExperiment(each, counted(each), clock())),
    get: (kind, id) => {
      const record = mustFind(register, kind, id)
      return reportExperiment(record, counted(record), clock())
    },
    steer,
    record,
    variants: (unit, session) => variantsFor(register.running(), unit, session),
    consumer: evidenceOf(ledger, register.find),
    tick: () => advanceAll(schedule),
    ...swept,
  }
}

function collect(metrics: Pick<Metrics, 'collect'>, figures: Experiments['figures']): void {
  const add = (
    name: string,
    help: string,
    pick: (row: ReturnType<typeof figures>[number]) => number,
  ) =>
    metrics.collect(name, help, ['kind', 'status'], () =>
      figures().map((row) => ({
        labels: { kind: row.kind, status: row.status },
        value: pick(row),
      })),
    )
  add('svc_experiments', 'Tests and experiments', ({ count }) => count)
  add('svc_experiment_units', 'Units in tests and experiments not ended', ({ units }) => units)
}

function mustFind(register: Register, kind: ExperimentKind, id: string): ExperimentRecord {
  const record = register.find(id)
  if (record?.kind === kind) return record
  throw kind === 'test'
    ? serviceError('TEST_NOT_FOUND', 'There is no test with this id.')
    : serviceError('EXPERIMENT_NOT_FOUND', 'There is no experiment with this id.')
}

function findAssigned(register: Register, { testId, testName }: Assignment): ExperimentRecord {
  if (testId !== undefined) return mustFind(register, 'test', testId)
  if (testName === undefined) throw invalid('testName', 'is required')
  const record = register.named('test', testName)
  if (record === undefined) throw serviceError('TEST_NOT_FOUND', 'There is no test of this name.')
  return record
}

/** Results of tests are taken too. */
function findReported(register: Register, sent: ExperimentResult): ExperimentRecord {
  const { experimentId, experimentName } = sent
  if (experimentId === undefined && experimentName === undefined)
    throw invalid('experimentId', 'is required')
  const record =
    experimentId === undefined
      ? register.named('experiment', experimentName ?? '')
      : register.find(experimentId)
  if (record !== undefined) return record
  throw serviceError('EXPERIMENT_NOT_FOUND', 'There is no experiment of this id or name.')
}

function notActive({ kind, status }: ExperimentRecord): Error {
  return serviceError('NOT_ACTIVE', `The ${kind} is not active: it is ${status}.`)
}

/** A session's user, else the session; the session need not exist. */
function unitOf(
  { unit, sessionId }: { unit?: string; sessionId?: string },
  sessions: Pick<Sessions, 'peek' | 'touch'>,
): { unit: string | undefined; target: Target } {
  const session = sessionId === undefined ? undefined : sessions.peek(sessionId)
  if (sessionId !== undefined) sessions.touch(sessionId)
  const named = unit ?? session?.userId ?? session?.sessionId ?? sessionId
  return {
    unit: named,
    target: session ?? {
      sessionId: sessionId ?? '',
      userId: unit,
      clientId: undefined,
      metadata: {},
    },
  }
}

/** The variant that is named, else the one that the unit is in. */
function armOf(
  record: ExperimentRecord,
  { variantId }: ExperimentResult,
  unit: string | undefined,
  target: Target,
): number {
  const { variants } = record
  if (variantId !== undefined) {
    const at = variants.findIndex(({ id }) => id === variantId)
    if (at < 0) throw invalid('variantId', 'must be the id of one of its variants')
    return at
  }
  if (unit === undefined) throw invalid('variantId', 'is required without a unit or a session')
  return place(prepare(record), unit, target).arm
}

function listOf(
  register: Register,
  kind: ExperimentKind,
  { status, limit = LIST_MAX }: ExperimentQuery,
  describe: (record: ExperimentRecord) => object,
): object {
  const words = status?.split(',').map((word) => word.trim().toUpperCase())
  const known: readonly string[] = Object.keys(MACHINES[kind])
  if (words?.some((word) => !known.includes(word)))
    throw invalid('status', `must be one of ${known.join(', ')}`)
  const found = [...register.all()]
    .filter((record) => record.kind === kind && (words?.includes(record.status) ?? true))
    .sort((a, b) => b.createdMs - a.createdMs || (a.id < b.id ? 1 : -1))
  const items = found.slice(0, limit).map(describe)
  return { [kind === 'test' ? 'tests' : 'experiments']: items, total: found.length, limit }
}
