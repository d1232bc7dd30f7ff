import { newId } from '../../ids.ts'
import { jsonText } from '../../json/gradual-text.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type {
  AnsweredAssignment,
  AssignmentRequest,
  ExperimentCreate,
  ExperimentQuery,
} from '../../schema/experiment.ts'
import type { ExperimentKind, ExperimentRecord } from '../../schema/experiment-record.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'
import type { Events } from '../history/events.ts'
import { type ExactModel, type LoadModel, loadModelsOf } from '../plan/exact-model.ts'
import type { AppliedVariant } from '../plan/plan.ts'
import { type IsSearched, unsearchedWeights } from '../plan/unsearched-weights.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { MACHINES } from '../states.ts'
import { ifSent, listFilter } from '../wire/list-filter.ts'
import { listJson } from '../wire/list-json.ts'
import { openStaysAhead } from '../wire/stays-ahead.ts'
import { unreadFields } from '../wire/unread-fields.ts'
import { knownWordsOf } from '../wire/words.ts'
import { describeExperiment, reportExperiment } from './answers.ts'
import { draftExperiment } from './draft.ts'
import { openExperimentEvidence } from './evidence.ts'
import { isInexact, missingModels, tuningsOf, withExactModels } from './exact-models.ts'
import { type ExperimentFigures, openExperimentFigures } from './figures.ts'
import type { Counted } from './guardrails.ts'
import { openLedger } from './ledger.ts'
import { ASSIGNED, findAssigned, mustFind, notActive, unitMeant } from './lookup.ts'
import { openPlacements } from './placements.ts'
import { openRegister, type Register } from './register.ts'
import { openReported } from './reported.ts'
import { openResults, type RecordResult } from './results.ts'
import { assignmentOf, isFallbackInForce, prepare } from './running.ts'
import { advanceAll, settle } from './schedule.ts'
import { type ExperimentSweep, openSweep } from './sweep.ts'
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

const UNCOUNTED =
  'LEARNING is off: variants are shown, but no search counts, only values that are reported do.'

/** Search A/B tests and learning experiments: one engine for both. */
export interface Experiments extends ExperimentSweep, ExperimentFigures {
  /** Throws VALIDATION_FAILED, NAME_TAKEN, LIMIT_REACHED. */
  create: (kind: ExperimentKind, sent: ExperimentCreate) => Promise<object>
  /** A unit's variant of a test or an experiment. Throws TEST_NOT_FOUND, NOT_ACTIVE. */
  assign: (sent: AssignmentRequest) => Promise<AnsweredAssignment>
  /** A TestList or an ExperimentList in UTF-8 JSON, newest first. Throws VALIDATION_FAILED, INVALID_CURSOR. */
  list: (kind: ExperimentKind, query: ExperimentQuery) => Promise<Uint8Array>
  /** With comparisons and a verdict. Throws the kind's …_NOT_FOUND. */
  get: (kind: ExperimentKind, id: string) => Promise<object>
  /** `deactivate` ends the fallback of one rolled back. Throws the kind's …_NOT_FOUND, INVALID_TRANSITION, LIMIT_REACHED. */
  steer: (kind: ExperimentKind, id: string, verb: Verb) => Promise<object>
  record: RecordResult
  /** What applies to a unit's search; from memory. */
  variants: (unit: string, session: Target) => AppliedVariant[]
  consumer: Consumer
  tick: () => Promise<void>
}

export interface ExperimentsParts {
  store: Store
  events: Events
  config: { retentionMs: number; experimentsActiveMax: number; learning: boolean }
  sessions: Pick<Sessions, 'peek' | 'touch'>
  metrics: Pick<Metrics, 'collect'>
  exactModel: ExactModel
  loadModel: LoadModel
  isSearched: IsSearched
  clock: () => number
}

export function openExperiments(parts: ExperimentsParts): Experiments {
  const { store, sessions, metrics, exactModel, clock } = parts
  const register = openRegister(parts)
  const ledger = openLedger(store)
  const reported = openReported(store)
  const counted = (record: ExperimentRecord): Counted =>
    // What failed because its evidence can't be read is shown without.
    record.status === 'FAILED'
      ? { arms: [], reported: new Map() }
      : { arms: ledger.arms(record), reported: reported.sums(record) }
  const variantsFor = openPlacements()
  const schedule = { register, counted, clock, staysAhead: openStaysAhead(clock) }
  // Asks for their models: the first search after a start finds them loaded.
  for (const { record } of register.running()) isInexact(record, exactModel)

  async function steer(kind: ExperimentKind, named: string, verb: Verb): Promise<object> {
    const found = mustFind(register, kind, named)
    if (VERBS[verb] === 'ACTIVE') await loadModelsOf(tuningsOf(found), parts.loadModel)
    await settle(schedule, [found])
    const { id, status, fallback } = mustFind(register, kind, named)
    const outlives = status === 'ROLLED_BACK' && fallback !== undefined
    const record =
      verb === 'deactivate' && outlives
        ? await endFallback(register, id, clock())
        : await register.steer(id, { to: VERBS[verb] })
    return describeExperiment(record, counted(record), clock())
  }
  return {
    create: async (kind, sent) => {
      const nowMs = clock()
      const record = rankableDraft(parts, draftExperiment(kind, sent, newId(nowMs), nowMs))
      await loadModelsOf(tuningsOf(record), parts.loadModel)
      await register.add(record)
      return describeExperiment(warned(record, parts.config), counted(record), nowMs)
    },
    assign: async (sent) => {
      await settle(schedule, [findAssigned(register, sent)])
      const record = findAssigned(register, sent)
      if (record.status !== 'ACTIVE') throw notActive(record, clock())
      const { unit = sent.sessionId, target } = unitMeant(sent, sessions)
      const warnings = unreadFields(sent, ASSIGNED)
      return {
        ...assignmentOf(prepare(record), unit, target),
        ...(warnings.length > 0 ? { warnings } : {}),
      }
    },
    list: async (kind, query) => {
      await settle(schedule, register.all())
      return listOf(register, kind, query, (each) =>
        describeExperiment(each, counted(each), clock()),
      )
    },
    get: async (kind, id) => {
      await settle(schedule, [mustFind(register, kind, id)])
      const record = mustFind(register, kind, id)
      return reportExperiment(record, counted(record), clock())
    },
    steer,
    record: openResults({ ...schedule, store, sessions, ledger, reported }),
    variants: (unit, target) => variantsFor(register.running(), unit, { target, nowMs: clock() }),
    consumer: openExperimentEvidence(ledger, register.find),
    tick: async () => {
      for (const { record } of register.running())
        if (isInexact(record, exactModel))
          await register.alter(record.id, (now) => ({
            record: withExactModels(now, exactModel),
            event: 'MODEL_FOUND',
          }))
      await advanceAll(schedule)
    },
    ...openExperimentFigures(register, ledger, metrics),
    ...openSweep({ ...parts, register, ledger, reported }),
  }
}

/** With the versions that its models have now, and with what to say of what would rank nothing. */
function rankableDraft(
  { exactModel, isSearched }: ExperimentsParts,
  draft: ExperimentRecord,
): ExperimentRecord {
  const record = withExactModels(draft, exactModel)
  record.warnings.push(...missingModels(record, exactModel))
  for (const tuning of tuningsOf(record))
    record.warnings.push(...unsearchedWeights(tuning, isSearched))
  return record
}

/** What is told of learning is not kept: it may be on at the next start. */
function warned(record: ExperimentRecord, config: { learning: boolean }): ExperimentRecord {
  return config.learning ? record : { ...record, warnings: [...record.warnings, UNCOUNTED] }
}

/** Nobody gets the fallback of an experiment rolled back any more; one that is over already changes nothing. */
async function endFallback(
  register: Register,
  id: string,
  nowMs: number,
): Promise<ExperimentRecord> {
  const ended = await register.alter(id, (now) =>
    isFallbackInForce(now, nowMs)
      ? { record: { ...now, fallbackEndedMs: nowMs }, event: 'FALLBACK_ENDED' }
      : undefined,
  )
  return ended ?? mustFind(register, 'experiment', id)
}

function listOf(
  register: Register,
  kind: ExperimentKind,
  { status, limit = PAGE_ROWS, cursor }: ExperimentQuery,
  describe: (record: ExperimentRecord) => object,
): Promise<Uint8Array> {
  const words = knownWordsOf('status', status, Object.keys(MACHINES[kind]))
  const isAsked = listFilter<ExperimentRecord, ExperimentQuery>({
    status: ifSent(words, ({ status }, asked) => asked.includes(status)),
  })
  const isWanted = (record: ExperimentRecord) => record.kind === kind && isAsked?.(record) !== false
  // Ids begin with the time at which they were made.
  const keys = () =>
    Array.from(register.all(), ({ id }) => id)
      .sort()
      .reverse()
  const show = (record: ExperimentRecord) => jsonText(describe(record))
  const listing = { limit, cursor, show, isWanted }
  return listJson(kind === 'test' ? 'tests' : 'experiments', { keys, get: register.find }, listing)
}
