import { serviceError } from '../../errors.ts'
import type { AdaptationRecord } from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'
import type { AppliedAdaptation } from '../plan/plan.ts'
import { BUCKETS, bucketOf } from '../statistics/buckets.ts'
import { EVERY_QUERY, replaces } from './ranking-content.ts'
import type { RankingVersions } from './versions.ts'

/** The changes that searches get, from memory. */
export interface InForce {
  /**
   * The changes for a query, those for every query first, each in the order in which it came into force. A change
   * in canary applies to its share of the units, and to nobody's searches not at all.
   */
  applying: (queryHash: string, unit: string | undefined) => AppliedAdaptation[]
  /** Reads what is in force for a scope from the store. */
  refresh: (scope: string) => void
  /** The version of the ranking that is in force for a change's scope, if the change is part of it. */
  versionWith: (change: Pick<AdaptationRecord, 'adaptationId' | 'scope'>) => number | undefined
  /** The records of the changes in canary or active. */
  records: () => readonly AdaptationRecord[]
}

interface Change extends AppliedAdaptation {
  canary: boolean
  /** Active changes whose place it takes. */
  instead: string[]
}

const NOTHING: Change[] = []
/** Half of the adaptations that are kept (sweep.ts). */
const IN_FORCE_MAX = 1000
/** Characters of what was sent for all in force, which is in memory with what was read of it: a single one may have a million. */
const IN_FORCE_CHARACTERS_MAX = 16 << 20

export function openInForce(store: Store, versions: RankingVersions, canaryShare: number): InForce {
  const { tables } = store
  const byScope = new Map<string, Change[]>()
  const records = new Map<string, AdaptationRecord[]>()
  const heads = new Map<string, number>()

  function isIn({ canary, adaptationId }: Change, unit: string | undefined): boolean {
    if (!canary) return true
    if (unit === undefined) return false
    return bucketOf(adaptationId, unit, 'inclusion') < Math.round(canaryShare * BUCKETS)
  }
  function refresh(scope: string): void {
    const row = tables.rankingScopes.get(scope)
    const changes = versions
      .content(row?.head ?? 0)
      .map((member): Change => ({ ...member, canary: false, instead: [] }))
    const open = (row?.open ?? [])
      .map((id) => tables.adaptations.get(id))
      .filter((record) => record !== undefined)
      .filter(({ status }) => status === 'CANARY' || status === 'ACTIVE')
    for (const { adaptationId, version, tuning, status } of open) {
      if (status !== 'CANARY') continue
      const instead = changes
        .filter((change) => replaces(tuning, change.tuning))
        .map((change) => change.adaptationId)
      changes.push({ adaptationId, version, tuning, canary: true, instead })
    }
    if (changes.length === 0) byScope.delete(scope)
    else byScope.set(scope, changes)
    if (changes.length === 0) heads.delete(scope)
    else heads.set(scope, row?.head ?? 0)
    if (open.length === 0) records.delete(scope)
    else records.set(scope, open)
  }
  for (const scope of [...tables.rankingScopes.keys()]) refresh(scope)
  return {
    applying: (queryHash, unit) => {
      const global = byScope.get(EVERY_QUERY)
      const own = byScope.get(queryHash)
      if (global === undefined && own === undefined) return NOTHING
      const changes = [...(global ?? NOTHING), ...(own ?? NOTHING)]
      const applying = changes.filter((change) => isIn(change, unit))
      const out = applying.flatMap(({ instead }) => instead)
      if (out.length === 0) return applying
      return applying.filter(({ adaptationId }) => !out.includes(adaptationId))
    },
    refresh,
    versionWith: ({ adaptationId, scope }) => {
      const changes = byScope.get(scope) ?? NOTHING
      const isIn = changes.some((change) => !change.canary && change.adaptationId === adaptationId)
      return isIn ? heads.get(scope) : undefined
    },
    records: () => [...records.values()].flat(),
  }
}

export type Sent = Pick<AdaptationRecord, 'changes' | 'sent'>

/**
 * Of those of one scope, but for a single one. Each version of the scope's ranking holds all of them: with 9 MB of boosts in
 * force, a further change of one number took a second of the main thread, and 9 MB of the disk for good.
 */
const SCOPE_CHARACTERS_MAX = 1 << 20

/** Throws LIMIT_REACHED when one more, that takes the place of none of them, would make a scope's versions too long. */
export function refuseTooLong(inScope: readonly Sent[], more: Sent): void {
  if (inScope.length === 0) return
  const characters = [...inScope, more].reduce((sum, { changes }) => sum + changes.length, 0)
  if (characters > SCOPE_CHARACTERS_MAX)
    throw limitReached(
      `The changes in force for one query, or for all, may have ${SCOPE_CHARACTERS_MAX} characters of JSON together, and would have ${characters} with this one`,
    )
}

/** Throws LIMIT_REACHED when one more would be too many, or too much of what was sent. */
export function refuseTooMuch(inForce: readonly Sent[], more: Sent): void {
  if (inForce.length >= IN_FORCE_MAX)
    throw limitReached(`At most ${IN_FORCE_MAX} changes may be in force at the same time`)
  const characters = [...inForce, more].reduce((sum, each) => sum + charactersOf(each), 0)
  if (characters > IN_FORCE_CHARACTERS_MAX)
    throw limitReached(
      `The changes in force at the same time may have ${IN_FORCE_CHARACTERS_MAX} characters of JSON together, and would have ${characters} with this one`,
    )
}

function charactersOf({ changes, sent }: Sent): number {
  return changes.length + sent.length
}

function limitReached(limit: string): Error {
  return serviceError('LIMIT_REACHED', `${limit}; roll back what is not needed any more.`)
}
