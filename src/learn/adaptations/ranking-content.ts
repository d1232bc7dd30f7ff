import type { RankingMember } from '../../schema/adaptation-record.ts'
import type { Tuning } from '../../schema/tuning.ts'

/** Scope of a change that holds for every query. */
export const EVERY_QUERY = '*'

/** What a change sets: two changes of one scope that share one of these can't both be decided on. */
export function keysOf(tuning: Tuning): string[] {
  return Object.keys(tuning).sort()
}

/** Whether the newer change sets everything that the older one sets, and so takes its place. */
export function replaces(newer: Tuning, older: Tuning): boolean {
  const keys = keysOf(older)
  const set = new Set(keysOf(newer))
  return keys.length > 0 && keys.every((key) => set.has(key))
}

/** The content of a scope once `member` is in force and has taken the place of `superseded`. */
export function withMember(
  content: readonly RankingMember[],
  member: RankingMember,
  superseded: readonly string[],
): RankingMember[] {
  return [...content.filter(({ adaptationId }) => !superseded.includes(adaptationId)), member]
}

/**
 * The content of a scope once `removed` is rolled back: exactly `target`, the content before it, when nothing
 * came later. Changes that came later stay, and what they took the place of stays out. What another rollback brought
 * back meanwhile stays before what is newer: the later wins.
 */
export function withoutMember(
  content: readonly RankingMember[],
  target: readonly RankingMember[],
  removed: { adaptationId: string; supersedes: readonly string[] },
): { content: RankingMember[]; kept: string[] } {
  const present = new Set(content.map(({ adaptationId }) => adaptationId))
  const earlier = target.filter(
    ({ adaptationId }) => present.has(adaptationId) || removed.supersedes.includes(adaptationId),
  )
  const before = new Set(target.map(({ adaptationId }) => adaptationId))
  const later = content.filter(
    ({ adaptationId }) => adaptationId !== removed.adaptationId && !before.has(adaptationId),
  )
  return {
    content: later.reduce(withPlaced, earlier),
    kept: later.map(({ adaptationId }) => adaptationId),
  }
}

/** Of two changes that share a setting, the one that came into force first has the lower version. */
function withPlaced(content: RankingMember[], member: RankingMember): RankingMember[] {
  const newer = content.findIndex(({ version }) => version > member.version)
  return content.toSpliced(newer < 0 ? content.length : newer, 0, member)
}
