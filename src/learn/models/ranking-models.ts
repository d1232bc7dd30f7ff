import type { VersionName } from '../../schema/model.ts'
import type { Standing, Trial } from '../../schema/model-record.ts'
import type { ExactModel, LoadModel } from '../plan/exact-model.ts'
import type { ServedModel } from '../plan/ranking.ts'
import { mayRank } from './activation.ts'
import type { Serving } from './serving.ts'
import { isInShare } from './trial-units.ts'
import { nameOf, type Versions } from './versions.ts'

/** Which loaded model ranks a search: asked for every search, answered from memory. */
export interface RankingModels {
  /** The model on trial for the units in its share, else the active one. */
  servedModel: (unit: string | undefined) => ServedModel | undefined
  /** The model that scores what others ranked. */
  shadowModel: () => ServedModel | undefined
  /** `id@version`, or `id` for its active version, else its newest one that can rank. */
  namedModel: (name: string) => ServedModel | undefined
  stillServed: Serving['stillServed']
  /** What it finds is loaded from then on. */
  exactModel: ExactModel
  loadModel: LoadModel
  standing: () => Standing
  /** Reads anew what stands; after each change. */
  refresh: () => void
}

interface RankingModelsParts {
  versions: Versions
  serving: Serving
}

/** Names remembered with the versions that they stand for. */
const NAMES_MAX = 1000
/** Longest name that a version may have: an id, an @ and its number. The store has no keys of any length. */
const NAME_CHARACTERS_MAX = 128 + 1 + 15

export function openRankingModels({ versions, serving }: RankingModelsParts): RankingModels {
  let standing: Standing = { earlier: [], trials: 0 }
  let active: VersionName | undefined
  let shadow: VersionName | undefined
  let canary: Trial | undefined
  const names = new Map<string, VersionName | undefined>()

  function refresh(): void {
    standing = versions.standing()
    active = standing.active
    const { trial } = standing
    shadow = trial?.stage === 'SHADOW' ? trial : undefined
    canary = trial?.stage === 'CANARY' ? trial : undefined
    names.clear()
    const wanted = [active, trial].filter((name) => name !== undefined)
    serving.pin(wanted.map(nameOf))
    for (const name of wanted) serving.want(name)
  }
  function resolve(name: string): VersionName | undefined {
    if (name.length > NAME_CHARACTERS_MAX) return undefined
    if (names.has(name)) return names.get(name)
    const choice = versionNamed(versions, active, name)
    if (names.size >= NAMES_MAX) names.clear()
    names.set(name, choice)
    return choice
  }
  return {
    servedModel: (unit) => {
      if (canary !== undefined && unit !== undefined && isInShare(canary, unit)) {
        const onTrial = serving.want(canary)
        if (onTrial !== undefined) return onTrial
      }
      return active === undefined ? undefined : serving.want(active)
    },
    shadowModel: () => (shadow === undefined ? undefined : serving.want(shadow)),
    namedModel: (name) => {
      const choice = resolve(name)
      return choice === undefined ? undefined : serving.want(choice)
    },
    stillServed: serving.stillServed,
    exactModel: (name) => {
      const choice = resolve(name)
      if (choice === undefined) return undefined
      serving.want(choice)
      return nameOf(choice)
    },
    loadModel: async (name) => {
      const choice = resolve(name)
      // What can't be loaded is told of where it fails: searches rank without it.
      if (choice !== undefined) await serving.load(choice).catch(() => undefined)
    },
    standing: () => standing,
    refresh,
  }
}

/**
 * The servable version that a name stands for. Ids may have an @ of their own: a name that can be read both ways is a
 * version, so that what names one keeps it, whatever is synced later.
 */
function versionNamed(
  versions: Versions,
  active: VersionName | undefined,
  name: string,
): VersionName | undefined {
  const [, modelId = '', version = ''] = /^(.+)@(\d{1,15})$/s.exec(name) ?? []
  const record = modelId === '' ? undefined : versions.find({ modelId, version: Number(version) })
  if (record !== undefined) return mayRank(record) ? record : undefined
  if (active?.modelId === name) return active
  return versions.of(name).findLast((each) => mayRank(each) && each.status !== 'REJECTED')
}
