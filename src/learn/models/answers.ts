import type { ModelGated, ModelQuery, VersionName } from '../../schema/model.ts'
import type {
  GateReport,
  LastTraining,
  ModelUsage,
  Standing,
  Trial,
  VersionRecord,
} from '../../schema/model-record.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import { MACHINES } from '../states.ts'
import { ifSent, listFilter } from '../wire/list-filter.ts'
import { listJson } from '../wire/list-json.ts'
import { isoTime } from '../wire/moment.ts'
import { knownWordsOf } from '../wire/words.ts'
import type { Kept } from './intake.ts'
import { sameVersion, type Versions } from './versions.ts'

/** What the API says of models. */

export function showKept(
  { record, unchanged, previousVersion, warnings }: Kept,
  told: { before: readonly string[]; behind: readonly string[] },
): object {
  const { modelId, version, status, servable, checksum, reasons, updatedMs } = record
  return {
    modelId,
    version,
    status,
    servable,
    ...(reasons.length === 0 ? {} : { reasons }),
    checksum,
    previousVersion: previousVersion ?? null,
    updatedAt: isoTime(updatedMs),
    unchanged,
    ...withWarnings([...told.before, ...warnings, ...told.behind]),
  }
}

/** As `warnings` of an answer, if there are any. */
export function withWarnings(warnings: string[]): { warnings?: string[] } {
  return warnings.length === 0 ? {} : { warnings }
}

/** What whoever wants a version to rank should know of it. */
export function rankWarnings(
  { status }: Pick<VersionRecord, 'status'>,
  learning: boolean,
): string[] {
  if (status !== 'ACTIVE') return [NOT_ACTIVATED]
  return learning ? [] : ['LEARNING is off: the active model ranks nothing.']
}

const NOT_ACTIVATED = 'The version is stored and not activated: `reasons` tell why it can not rank.'

export function showList(
  versions: Versions,
  { status, limit = PAGE_ROWS, cursor }: ModelQuery,
): Promise<Uint8Array> {
  const { active, trial } = versions.standing()
  const words = knownWordsOf('status', status, Object.keys(MACHINES.model))
  const get = (modelId: string) => {
    const model = versions.model(modelId)
    const newest = model && versions.find({ modelId, version: model.latest })
    return newest && { model, newest }
  }
  type Listed = NonNullable<ReturnType<typeof get>>
  const isWanted = listFilter<Listed, ModelQuery>({
    status: ifSent(words, ({ newest }, words) => {
      const isActive = newest.modelId === active?.modelId
      return words.includes(newest.status) || (isActive && words.includes('ACTIVE'))
    }),
  })
  const show = ({ model, newest }: Listed) =>
    JSON.stringify({
      ...headOf(newest, active),
      versions: versions.count(newest.modelId),
      createdAt: isoTime(model.createdMs),
      updatedAt: isoTime(model.updatedMs),
    })
  const rest = { active: nameOrNull(active), trial: showTrial(trial) }
  const listing = { limit, cursor, show, isWanted, byName: true, rest }
  return listJson('models', { keys: versions.names, get }, listing)
}

export function showModel(
  { versions, usage }: { versions: Versions; usage: (name: VersionName) => Required<ModelUsage> },
  record: VersionRecord,
): object {
  const { modelId } = record
  const standing = versions.standing()
  const model = versions.model(modelId)
  return {
    ...headOf(record, standing.active),
    createdAt: isoTime(model?.createdMs ?? record.createdMs),
    updatedAt: isoTime(model?.updatedMs ?? record.updatedMs),
    versions: versions
      .of(modelId)
      .reverse()
      .map((version) => showVersion(version, standing, usage(version))),
  }
}

/**
 * What is shown, with the state in it, as JSON in UTF-8. A state is stored as it is sent: to parse a large one, only to
 * write it again, would hold up everybody's searches.
 */
export function withState(shown: object, state: Uint8Array): Uint8Array {
  const head = JSON.stringify(shown).slice(0, -1)
  return Buffer.concat([Buffer.from(`${head},"state":`), state, Buffer.from('}')])
}

function headOf({ modelId, version, status, servable }: VersionRecord, active?: VersionName) {
  const mine = active?.modelId === modelId ? active.version : null
  return { modelId, version, status, servable, active: mine }
}

function showVersion(
  record: VersionRecord,
  standing: Standing,
  usage: Required<ModelUsage>,
): object {
  const { modelId, createdMs, updatedMs, activatedMs, reasons, gates, ...shown } = record
  const { unfinished, ...same } = shown
  return {
    ...same,
    ...stageOf(record, standing),
    ...(reasons.length === 0 ? {} : { reasons }),
    createdAt: isoTime(createdMs),
    updatedAt: isoTime(updatedMs),
    ...(activatedMs === undefined ? {} : { activatedAt: isoTime(activatedMs) }),
    gates: gates.map(({ timeMs, ...gate }) => ({ ...gate, timestamp: isoTime(timeMs) })),
    usage: showUsage(usage),
  }
}

/** What the first gate said, and how far the version is by now. */
export function showGated(
  { record, report }: { record: VersionRecord; report: GateReport },
  standing: Standing,
): ModelGated {
  const { modelId, version, status } = record
  const { timeMs, ...gate } = report
  const shown = { ...gate, timestamp: isoTime(timeMs) }
  return { modelId, version, status, ...stageOf(record, standing), gate: shown }
}

function stageOf(name: VersionName, { trial }: Standing): { stage?: Trial['stage'] } {
  return trial !== undefined && sameVersion(trial, name) ? { stage: trial.stage } : {}
}

/** Rates are of the searches of somebody, as everywhere; null without any. */
export function showUsage(usage: Required<ModelUsage>): Record<string, unknown> {
  const { searches, clickable, clicked, clickedOfNobody, reciprocalRank, shadowSearches } = usage
  const share = (sum: number) => (clickable === 0 ? null : sum / clickable)
  const rates = { ctr: share(clicked - clickedOfNobody), mrr: share(reciprocalRank) }
  return { searches, clickable, clicked, shadowSearches, ...rates }
}

export function showTrial(trial: Standing['trial']): Record<string, unknown> | null {
  if (trial === undefined) return null
  const { modelId, version, stage, sinceMs, control } = trial
  return { modelId, version, stage, since: isoTime(sinceMs), control: control || null }
}

export function showTraining(last: LastTraining | undefined): Record<string, unknown> | null {
  if (last === undefined) return null
  const { startedMs, endedMs, before, cuts, ...same } = last
  const ended = endedMs === undefined ? {} : { ended: isoTime(endedMs) }
  return { ...same, started: isoTime(startedMs), ...ended }
}

export function nameOrNull(name: VersionName | undefined): VersionName | null {
  return name === undefined ? null : { modelId: name.modelId, version: name.version }
}
