import { openBreath } from '../../breath.ts'
import type { Config } from '../../config.ts'
import type { AdaptationRecord } from '../../schema/adaptation-record.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import type { VersionName } from '../../schema/model.ts'
import type { Store } from '../../store/store.ts'
import type { Range, Table } from '../../store/table.ts'
import { tuningsOf } from '../experiments/exact-models.ts'
import { earlierOf, nameOf, type Versions } from './versions.ts'

export interface Pruning {
  store: Store
  versions: Pick<Versions, 'of' | 'count' | 'find' | 'standing'>
  /** As many versions of a model are kept. */
  config: Pick<Config, 'modelVersionsMax'>
}

/**
 * Once a version was added: beyond the limit the oldest of its model go that nobody uses, or would return to, archived ones
 * first.
 */
export async function pruneVersions(pruning: Pruning, added: VersionName): Promise<void> {
  const { store, versions, config } = pruning
  if (versions.count(added.modelId) <= config.modelVersionsMax) return
  const named = await namedIn(store)
  await store.release(() => pruneWithin(pruning, added, named()))
}

/** What is `named` stays. */
function pruneWithin(
  { store, versions, config }: Pruning,
  { modelId, version: added }: VersionName,
  named: Set<unknown>,
): void {
  const { modelStates, modelVersions } = store.tables
  const all = versions.of(modelId)
  const earlier = earlierOf(versions)
  if (earlier !== undefined) named.add(nameOf(earlier))
  const idle = all.filter(
    ({ version, status }) =>
      version !== added &&
      status !== 'ACTIVE' &&
      status !== 'SHADOW' &&
      !named.has(nameOf({ modelId, version })),
  )
  const archived = idle.filter(({ status }) => status === 'ARCHIVED')
  const others = idle.filter(({ status }) => status !== 'ARCHIVED')
  for (const { version } of [...archived, ...others].slice(
    0,
    Math.max(0, all.length - config.modelVersionsMax),
  )) {
    modelVersions.remove([modelId, version])
    modelStates.remove([modelId, version])
  }
}

/**
 * The models that changes and variants name: they rank by them, or may again. There may be thousands, and long ones, so
 * that they are read with turns for others; what is asked for afterwards, in a transaction, adds those that came since.
 */
async function namedIn({
  tables: { adaptations, experiments },
}: Store): Promise<() => Set<unknown>> {
  const named = new Set<unknown>()
  const addChange = ({ tuning }: AdaptationRecord) => named.add(tuning.model)
  const addTest = (record: ExperimentRecord) => {
    for (const { model } of tuningsOf(record)) named.add(model)
  }
  const lastChange = await eachGradually(adaptations, addChange)
  const lastTest = await eachGradually(experiments, addTest)
  return () => {
    for (const { value } of adaptations.range(lastChange)) addChange(value)
    for (const { value } of experiments.range(lastTest)) addTest(value)
    return named
  }
}

/** Where it ended. */
async function eachGradually<Value>(
  table: Table<string, Value>,
  take: (value: Value) => unknown,
): Promise<Range<string>> {
  const breathe = openBreath()
  const keys = [...table.keys()]
  for (const key of keys) {
    const value = table.get(key)
    if (value !== undefined) take(value)
    await breathe()
  }
  const start = keys.at(-1)
  return start === undefined ? {} : { start }
}
