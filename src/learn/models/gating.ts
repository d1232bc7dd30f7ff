import type { Config } from '../../config.ts'
import type { VersionName } from '../../schema/model.ts'
import type { GateReport, Trial, VersionRecord } from '../../schema/model-record.ts'
import type { Store } from '../../store/store.ts'
import type { Pool } from '../../threads/pool.ts'
import type { Events } from '../history/events.ts'
import { move } from '../states.ts'
import type { PlaceChances } from '../statistics/place-chances.ts'
import { openStaysAhead } from '../wire/stays-ahead.ts'
import { type Activation, beginStage, refuseUnservable } from './activation.ts'
import { askWhole } from './ask-whole.ts'
import type { ModelEvidence } from './evidence.ts'
import { GATES_MAX, nameOf, sameVersion, type Versions } from './versions.ts'

/** Lets a model rank step by step: estimate, shadow, a share of the users, all. Each step is an event. */
export interface Gating {
  /**
   * Asks the first gate; a version that passes goes into shadow, unless it is on trial or ranks by then. Throws
   * MODEL_NOT_SERVABLE, INVALID_TRANSITION.
   */
  judge: (name: VersionName) => Promise<{ record: VersionRecord; report: GateReport }>
  /** Asks the gate that the trial stands before, when enough has come since it was asked last. */
  advance: () => Promise<void>
}

export interface GatingParts {
  store: Store
  pool: Pick<Pool, 'run'>
  versions: Versions
  events: Events
  activation: Activation
  evidence: ModelEvidence
  chances: () => PlaceChances
  config: Config
  clock: () => number
}

/** A gate is asked again when the evidence has grown by this much. */
const GROWTH = 1.1
/** A model that is still undecided after so many times the searches that the gate asks for is refused. */
const PATIENCE = 20

export function openGating(parts: GatingParts): Gating {
  const { store, pool, versions, evidence, config, clock } = parts
  const staysAhead = openStaysAhead(clock)

  async function ask(trial: Trial, searches: number): Promise<GateReport> {
    const input = stageInput(parts, trial, searches)
    const report = { ...(await askWhole(() => pool.run('gate', input))), timeMs: clock() }
    const tired = searches >= PATIENCE * searchesMin(config, trial)
    if (report.outcome !== 'not_yet' || !tired) return report
    const figures = { ...report.figures, reason: 'It was undecided for too long.' }
    return { ...report, outcome: 'refuse', figures }
  }
  return {
    judge: async (name) => {
      const record = versions.get(name)
      refuseUnservable(record)
      move('model', record.status, 'SHADOW')
      const { active } = versions.standing()
      const heldOut = record.source === 'TRAINING'
      const input = {
        ...limits(parts, name),
        gate: 'HELD_OUT' as const,
        heldOut,
        sinceMs: 0,
        ...(active === undefined ? {} : { active: serving(parts, active) }),
      }
      const report = { ...(await askWhole(() => pool.run('gate', input))), timeMs: clock() }
      return store.write(() => ({ record: judgedWithin(parts, name, report), report }))
    },
    advance: async () => {
      const { trial } = versions.standing()
      if (trial === undefined) return
      if (staysAhead(trial.sinceMs)) return store.write(() => beginNowWithin(parts))
      const searches = Math.max(0, evidence.searches(trial, trial.stage) - trial.base)
      // The first harm that is certain ends a canary, so it is asked from the beginning.
      const least = trial.stage === 'CANARY' ? 1 : searchesMin(config, trial)
      if (searches < least || searches < trial.asked * GROWTH) return
      const report = await ask(trial, searches)
      await store.write(() => advanceWithin(parts, trial, searches, report))
    },
  }
}

function searchesMin(config: Config, { stage }: Trial): number {
  return stage === 'CANARY' ? config.modelCanarySearchesMin : config.modelShadowSearches
}

/** A version as it ranks for people. */
function serving({ versions, config: { rerankSize } }: GatingParts, name: VersionName) {
  const { modelId, version } = name
  const depth = versions.find(name)?.training?.depth ?? rerankSize
  return { modelId, version, depth: Math.min(rerankSize, depth) }
}

function limits(parts: GatingParts, name: VersionName) {
  const { config, chances } = parts
  return {
    dataDir: config.dataDir,
    candidate: serving(parts, name),
    chances: chances(),
    priorRate: config.memoryPriorRate,
    effectiveUnitsMin: config.modelGateSampleMin,
    liftMin: config.modelGateLiftMin,
  }
}

function stageInput(parts: GatingParts, trial: Trial, ranked: number) {
  const { versions, config } = parts
  const { stage, number, sinceMs } = trial
  const same = limits(parts, trial)
  if (stage === 'CANARY')
    return { ...same, gate: stage, trial: number, ranked, searchesMin: searchesMin(config, trial) }
  const { active } = versions.standing()
  const known = active === undefined ? {} : { active: serving(parts, active) }
  return { ...same, gate: stage, sinceMs, ...known }
}

/** Writes down what the first gate said, and begins the trial of a version that passed. */
function judgedWithin(parts: GatingParts, name: VersionName, report: GateReport): VersionRecord {
  const { versions, evidence, config, clock } = parts
  const record = noteWithin(parts, versions.get(name), report)
  if (report.outcome === 'refuse')
    return record.status === 'CANDIDATE' ? rejectWithin(parts, record) : record
  const { trial, ...standing } = versions.standing()
  // One that is on trial, or was activated while the gate was thinking, is past this gate.
  const isPast = record.status === 'ACTIVE' || sameVersion(trial, name)
  if (report.outcome === 'not_yet' || isPast) return record
  // A newer model that passed takes the place of the one on trial.
  if (trial !== undefined) endForNewerWithin(parts, trial, name)
  const moved = versions.moveWithin(record, 'SHADOW')
  const control = standing.active === undefined ? '' : nameOf(standing.active)
  const base = evidence.searches(name, 'SHADOW')
  const { modelId, version } = name
  const stage = { modelId, version, stage: 'SHADOW' as const, control, base, nowMs: clock() }
  const { modelCanaryShare: share } = config
  versions.standWithin(beginStage(standing, { ...stage, share }))
  return moved
}

function advanceWithin(
  parts: GatingParts,
  asked: Trial,
  searches: number,
  report: GateReport,
): void {
  const { versions, activation, evidence, clock } = parts
  const { trial, ...standing } = versions.standing()
  // The trial ended or began anew while the gate was thinking.
  if (trial?.number !== asked.number) return
  const found = versions.find(trial)
  if (found?.status !== 'SHADOW') {
    versions.standWithin(standing)
    return
  }
  if (report.outcome === 'not_yet') {
    versions.standWithin({ ...standing, trial: { ...trial, asked: searches } })
    return
  }
  const record = noteWithin(parts, found, report)
  if (report.outcome === 'refuse') {
    versions.standWithin(standing)
    rejectWithin(parts, record)
  } else if (trial.stage === 'CANARY') activation.activateWithin(record, 'GATE', report.figures)
  else {
    const base = evidence.searches(trial, 'CANARY')
    versions.standWithin(beginStage(standing, { ...trial, stage: 'CANARY', base, nowMs: clock() }))
  }
}

/** What began while the clock was ahead: nothing that is shown until that time would count for it. */
function beginNowWithin({ versions, clock }: GatingParts): void {
  const { trial, ...standing } = versions.standing()
  if (trial !== undefined)
    versions.standWithin({ ...standing, trial: { ...trial, sinceMs: clock() } })
}

/** The version with one more report, and the event of it. */
function noteWithin({ versions, events }: GatingParts, record: VersionRecord, report: GateReport) {
  const { modelId, version, status, gates } = record
  const changed = { ...record, gates: [...gates, report].slice(-GATES_MAX) }
  versions.putWithin(changed)
  const { gate, outcome, figures } = report
  const type = { pass: 'GATE_PASSED', refuse: 'GATE_REFUSED', not_yet: 'GATE_NOT_YET' }[outcome]
  const data = { version, gate, outcome, ...figures }
  events.recordWithin({ type, status, source: 'models', modelId, data })
  return changed
}

/** Ends a trial for the version that takes its place. */
function endForNewerWithin({ versions, events }: GatingParts, trial: Trial, by: VersionName): void {
  const other = versions.find(trial)
  if (other === undefined) return
  const { modelId, version, status } = versions.moveWithin(other, 'ARCHIVED')
  const data = { version, stage: trial.stage, replacedBy: nameOf(by) }
  events.recordWithin({ type: 'MODEL_ARCHIVED', status, source: 'models', modelId, data })
}

function rejectWithin({ versions, events }: GatingParts, record: VersionRecord): VersionRecord {
  const rejected = versions.moveWithin(record, 'REJECTED')
  const { modelId, version, status } = rejected
  const gate = rejected.gates.at(-1)?.gate
  events.recordWithin({
    type: 'MODEL_REJECTED',
    status,
    source: 'models',
    modelId,
    data: { version, gate },
    // From a canary it is taken back from people.
    priority: gate === 'CANARY' ? 'HIGH' : 'NORMAL',
  })
  return rejected
}
