import type { AdaptationRecord } from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'
import { BUCKETS, bucketOf } from '../assignment.ts'
import type { AppliedAdaptation } from '../plan.ts'
import { EVERY_QUERY, replaces } from './content.ts'
import type { Versions } from './versions.ts'

/** The changes that searches get, from memory. */
export interface Force {
  /**
   * The changes for a query, those for every query first, each in the order in which it came into force. A change
   * in canary applies to its share of the units, and to nobody's searches not at all.
   */
  applying: (queryHash: string, unit: string | undefined) => AppliedAdaptation[]
  /** Reads what is in force from the store. */
  refresh: () => void
  /** Those in canary or active. */
  records: () => Iterable<AdaptationRecord>
}

interface Change extends AppliedAdaptation {
  canary: boolean
  /** Active changes whose place it takes. */
  instead: string[]
}

const NOTHING: Change[] = []

export function openForce(store: Store, versions: Versions, canaryShare: number): Force {
  let byScope = new Map<string, Change[]>()
  let records: AdaptationRecord[] = []

  function isIn({ canary, adaptationId }: Change, unit: string | undefined): boolean {
    if (!canary) return true
    if (unit === undefined) return false
    return bucketOf(adaptationId, unit, 'inclusion') < Math.round(canaryShare * BUCKETS)
  }
  function refresh(): void {
    const next = new Map<string, Change[]>()
    const add = (scope: string, changes: Change[]) =>
      next.set(scope, [...(next.get(scope) ?? []), ...changes])
    for (const { key: scope, value: head } of store.tables.rankingHeads.range())
      add(
        scope,
        versions.content(head).map((member) => ({ ...member, canary: false, instead: [] })),
      )
    records = []
    for (const { value: record } of store.tables.adaptations.range()) {
      const { adaptationId, version, tuning, status, scope } = record
      if (status === 'CANARY' || status === 'ACTIVE') records.push(record)
      if (status !== 'CANARY') continue
      const instead = (next.get(scope) ?? [])
        .filter((change) => replaces(tuning, change.tuning))
        .map((change) => change.adaptationId)
      add(scope, [{ adaptationId, version, tuning, canary: true, instead }])
    }
    byScope = next
  }
  refresh()
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
    records: () => records,
  }
}
