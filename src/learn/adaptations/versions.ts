import type {
  AdaptationRecord,
  RankingMember,
  RankingVersion,
} from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'

/**
 * The states of the ranking, one numbered row each, never changed. One counter runs over all scopes. Version 0
 * is the ranking without any change.
 */
export interface RankingVersions {
  /** Inside a transaction; `content` is told the new version's number, which it returns with it. */
  addWithin: (
    version: Omit<RankingVersion, 'version' | 'content'>,
    content: (version: number) => RankingMember[],
  ) => number
  /** Inside a transaction: the version that is in force for a scope. */
  setHeadWithin: (scope: string, version: number) => void
  head: (scope: string) => number
  /** What a version holds; nothing when it is 0 or was swept. */
  content: (version: number) => RankingMember[]
  /** The versions that an adaptation led to, oldest first, and the one in force where the adaptation is part of it. */
  of: (adaptation: Member) => RankingVersion[]
  /** What a rollback made of the ranking; undefined once its version was swept. */
  restored: (version: number) => Restored | undefined
  /** Inside a transaction: removes some old versions that nothing goes back to, and scopes without a change; returns how many. */
  sweepWithin: (beforeMs: number) => number
}

/** An adaptation as versions know it. */
type Member = Pick<AdaptationRecord, 'adaptationId' | 'version' | 'scope' | 'led'>

/** After a rollback: the new version, the one whose content it repeats, and the later changes that stay. */
export interface Restored {
  version: number
  restores: number
  kept: string[]
}

const SWEEP_ROWS = 1000
const COUNTER = 'rankingVersions'

export function openRankingVersions(store: Store): RankingVersions {
  const { adaptations, rankingVersions, rankingScopes, meta } = store.tables
  const head = (scope: string) => rankingScopes.get(scope)?.head ?? 0

  function inForce({ adaptationId, scope }: Member): RankingVersion | undefined {
    const now = rankingVersions.get(head(scope))
    return now?.content.some((each) => each.adaptationId === adaptationId) ? now : undefined
  }
  /** Each row has all that was in force: to look through those of all changes takes seconds where these are long. */
  function ledTo({ adaptationId, version: start, led }: Member): RankingVersion[] {
    if (led !== undefined)
      return led.map((version) => rankingVersions.get(version)).filter((row) => row !== undefined)
    const later = Array.from(rankingVersions.range({ start }), ({ value }) => value)
    return later.filter((each) => each.adaptationId === adaptationId)
  }
  return {
    addWithin: (version, content) => {
      const number = (meta.get(COUNTER) ?? 0) + 1
      rankingVersions.put(number, { version: number, ...version, content: content(number) })
      meta.put(COUNTER, number)
      return number
    },
    setHeadWithin: (scope, head) => {
      rankingScopes.put(scope, { open: rankingScopes.get(scope)?.open ?? [], head })
    },
    head,
    content: (version) => rankingVersions.get(version)?.content ?? [],
    of: (adaptation) => {
      const own = ledTo(adaptation)
      const now = inForce(adaptation)
      if (now === undefined || own.some(({ version }) => version === now.version)) return own
      return [...own, now].sort((a, b) => a.version - b.version)
    },
    restored: (version) => {
      const { restores, content = [] } = rankingVersions.get(version) ?? {}
      if (restores === undefined) return undefined
      const before = rankingVersions.get(restores)?.content ?? []
      const wasThere = new Set(before.map(({ adaptationId }) => adaptationId))
      const kept = content.map(({ adaptationId }) => adaptationId).filter((id) => !wasThere.has(id))
      return { version, restores, kept }
    },
    sweepWithin: (beforeMs) => {
      const idle = idleScopes(store, beforeMs)
      rankingScopes.removeAll(idle)
      const needed = new Set(Array.from(rankingScopes.range(), ({ value }) => value.head))
      for (const { value } of adaptations.range())
        needed.add(value.version).add(value.targetVersion)
      const spare: number[] = []
      for (const { key, value } of rankingVersions.range()) {
        if (value.timeMs >= beforeMs || spare.length === SWEEP_ROWS) break
        if (!needed.has(key)) spare.push(key)
      }
      rankingVersions.removeAll(spare)
      return idle.length + spare.length
    },
  }
}

/** Some scopes whose ranking has long been the one without any change, which is what a scope without a row has. */
function idleScopes({ tables }: Store, beforeMs: number): string[] {
  const idle: string[] = []
  for (const { key, value } of tables.rankingScopes.range()) {
    if (idle.length === SWEEP_ROWS) break
    const { content = [], timeMs = 0 } = tables.rankingVersions.get(value.head) ?? {}
    if (value.open.length + content.length === 0 && timeMs < beforeMs) idle.push(key)
  }
  return idle
}
