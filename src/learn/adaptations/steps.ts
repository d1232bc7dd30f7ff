import { isDeepStrictEqual } from 'node:util'
import { serviceError } from '../../errors.ts'
import type { AdaptationRecord, RankingMember } from '../../schema/adaptation-record.ts'
import type { AdaptationStatus } from '../../schema/statuses.ts'
import type { Store } from '../../store/store.ts'
import { mayMove } from '../states.ts'
import { refuseTooLong } from './in-force.ts'
import type { Moves } from './moves.ts'
import { keysOf, replaces, withMember, withoutMember } from './ranking-content.ts'
import type { RankingVersions, Restored } from './versions.ts'

/** A record that has no version and no past yet. */
export type Draft = Omit<AdaptationRecord, 'version' | 'status' | 'targetVersion' | 'history'>

export interface StepsParts {
  store: Store
  moves: Moves
  versions: RankingVersions
  clock: () => number
}

/** Changes of one scope that may be in force at a time. */
const SCOPE_MEMBERS_MAX = 100

/**
 * Inside a transaction: stores a change under a version of its own, VALIDATING. Throws ADAPTATION_CONFLICT while
 * another change of the same settings and scope is being decided on.
 */
export function beginWithin(draft: Draft, parts: StepsParts): AdaptationRecord {
  const { store, moves, versions } = parts
  const { adaptationId, scope, tuning, createdMs: timeMs } = draft
  const others = inScope(store, scope)
  const keys = new Set(keysOf(tuning))
  const decided = others.find(
    (other) => isBeingDecided(other.status) && keysOf(other.tuning).some((key) => keys.has(key)),
  )
  if (decided !== undefined) throw conflict(decided)
  const head = versions.head(scope)
  const present = versions.content(head)
  if (present.length >= SCOPE_MEMBERS_MAX) throw tooMany()
  const replaced = replacedBy(draft, others)
  refuseTooLong(
    others.filter((other) => !replaced.includes(other.adaptationId)),
    draft,
  )
  const version = versions.addWithin({ scope, adaptationId, reason: 'APPLIED', timeMs }, (number) =>
    withMember(present, { adaptationId, version: number, tuning }, replaced),
  )
  const history = [{ timeMs, status: 'PENDING' as const, reason: 'applied', version }]
  const begun = { version, led: [version], targetVersion: head, history }
  const record = { ...draft, ...begun, status: 'PENDING' as const }
  moves.report(record, 'ADAPTATION_APPLIED', {}, { changes: draft.changes })
  return moves.to(record, 'VALIDATING', 'its figures are checked')
}

/** Inside a transaction: a change whose figures did not hold comes into force for nobody. */
export function rejectWithin(record: AdaptationRecord, reason: string, { moves }: StepsParts) {
  const next = moves.to(record, 'REJECTED', reason)
  moves.report(next, 'ADAPTATION_REJECTED', { reason, validation: record.validation })
  return next
}

/** Inside a transaction: a step of a change could not be taken; nobody gets it any more. */
export function failWithin(record: AdaptationRecord, reason: string, parts: StepsParts) {
  const { moves, versions, clock } = parts
  const { scope, adaptationId } = record
  const present = versions.content(versions.head(scope))
  const left = present.filter((member) => member.adaptationId !== adaptationId)
  let led: Led = {}
  if (left.length < present.length) {
    const row = { scope, adaptationId, reason: 'FAILED' as const, timeMs: clock() }
    const version = versions.addWithin(row, () => left)
    versions.setHeadWithin(scope, version)
    led = ledFurther(record, version)
  }
  const next = moves.to(record, 'FAILED', reason, led)
  moves.report(next, 'ADAPTATION_FAILED', { reason })
  return next
}

/** Inside a transaction: some units get the change from now on. */
export function startCanaryWithin(record: AdaptationRecord, reason: string, parts: StepsParts) {
  const next = parts.moves.to(record, 'CANARY', reason, { canaryMs: parts.clock() })
  parts.moves.report(next, 'ADAPTATION_CANARY', { reason, samples: record.validation.samples })
  return next
}

/** Inside a transaction: what began while the clock was ahead begins now, or it would be judged no sooner than then. */
export function beginAgainWithin(record: AdaptationRecord, { moves, clock }: StepsParts): void {
  moves.keep({ ...record, canaryMs: clock() })
}

/** Inside a transaction: every search gets the change; what it takes the place of is superseded. */
export function activateWithin(
  record: AdaptationRecord,
  reason: string,
  parts: StepsParts,
): AdaptationRecord {
  const { store, moves, versions, clock } = parts
  const { adaptationId, scope, tuning, version } = record
  const head = versions.head(scope)
  const supersedes = replacedBy(record, inScope(store, scope))
  const content = withMember(versions.content(head), { adaptationId, version, tuning }, supersedes)
  // Others may have become active since it was applied: what is in force then is a version of its own.
  const asPlanned = isDeepStrictEqual(versions.content(version), content)
  const timeMs = clock()
  const inForce = asPlanned
    ? version
    : versions.addWithin({ scope, adaptationId, reason: 'ACTIVE', timeMs }, () => content)
  versions.setHeadWithin(scope, inForce)
  for (const old of inScope(store, scope))
    if (supersedes.includes(old.adaptationId)) {
      const stepped = moves.to(old, 'SUPERSEDED', `superseded by ${adaptationId}`)
      moves.report(stepped, 'ADAPTATION_SUPERSEDED', { by: adaptationId })
    }
  const led = asPlanned ? {} : ledFurther(record, inForce)
  const more = { activeMs: timeMs, targetVersion: head, supersedes, ...led }
  const next = moves.to(record, 'ACTIVE', reason, more)
  moves.report(next, 'ADAPTATION_ACTIVE', { reason, rankingVersion: inForce, supersedes })
  return next
}

/**
 * Inside a transaction: takes a change back. What it had taken the place of is active again, unless that is past its time
 * and gone: nobody could see it or take it back. Throws INVALID_TRANSITION when it isn't in force.
 */
export function rollBackWithin(
  record: AdaptationRecord,
  cause: { reason: string; figures: Record<string, unknown> },
  parts: StepsParts,
): { record: AdaptationRecord; restored: Restored } {
  const { store, moves, versions, clock } = parts
  const { scope, adaptationId, status, targetVersion } = record
  if (!mayMove('adaptation', status, 'ROLLED_BACK')) throw nothingToRollBack(status)
  const head = versions.head(scope)
  const present = versions.content(head)
  const target = versions
    .content(targetVersion)
    .filter((member) => store.tables.adaptations.has(member.adaptationId))
  const { content, kept } =
    status === 'ACTIVE' ? withoutMember(present, target, record) : { content: present, kept: [] }
  const restores = status === 'ACTIVE' ? targetVersion : head
  const version = versions.addWithin(
    { scope, adaptationId, reason: 'ROLLED_BACK', restores, timeMs: clock() },
    () => content,
  )
  versions.setHeadWithin(scope, version)
  restoreSupersededWithin(record, content, version, parts)
  const more = { restoredBy: version, ...ledFurther(record, version) }
  const next = moves.to(record, 'ROLLED_BACK', cause.reason, more)
  const restored = { version, restores, kept }
  moves.report(next, 'ADAPTATION_ROLLED_BACK', { ...cause, ...restored })
  return { record: next, restored }
}

/** Inside a transaction: what a change had taken the place of, if it is in force again. */
function restoreSupersededWithin(
  { supersedes }: AdaptationRecord,
  content: readonly RankingMember[],
  version: number,
  { store, moves }: Pick<StepsParts, 'store' | 'moves'>,
): void {
  for (const id of supersedes) {
    const old = store.tables.adaptations.get(id)
    if (old?.status !== 'SUPERSEDED' || !content.some((each) => each.adaptationId === id)) continue
    const reason = `restored by version ${version}`
    const next = moves.to(old, 'ACTIVE', reason)
    moves.report(next, 'ADAPTATION_ACTIVE', { reason, rankingVersion: version })
  }
}

type Led = Pick<AdaptationRecord, 'led'>

/** A change of an earlier version of the service, of which it is not known what it led to before, stays one. */
function ledFurther({ led }: Led, version: number): Led {
  return led === undefined ? {} : { led: [...led, version] }
}

/** Active changes that set nothing but what the newer one sets. */
function replacedBy(newer: Draft, others: readonly AdaptationRecord[]): string[] {
  return others
    .filter(({ status, tuning }) => status === 'ACTIVE' && replaces(newer.tuning, tuning))
    .map(({ adaptationId }) => adaptationId)
}

/** The open changes of a scope. */
function inScope({ tables }: Store, scope: string): AdaptationRecord[] {
  return (tables.rankingScopes.get(scope)?.open ?? [])
    .map((id) => tables.adaptations.get(id))
    .filter((record) => record !== undefined)
}

function isBeingDecided(status: AdaptationStatus): boolean {
  return status === 'PENDING' || status === 'VALIDATING' || status === 'CANARY'
}

function conflict({ adaptationId, status, tuning }: AdaptationRecord): Error {
  return serviceError(
    'ADAPTATION_CONFLICT',
    `Another change of the same settings (${keysOf(tuning).join(', ')}) is ${status}; wait until it is decided, or roll it back.`,
    { details: [{ path: 'changes', message: `collides with adaptation ${adaptationId}` }] },
  )
}

function tooMany(): Error {
  return serviceError(
    'ADAPTATION_CONFLICT',
    `At most ${SCOPE_MEMBERS_MAX} changes of one scope can be in force; roll some back.`,
  )
}

function nothingToRollBack(status: AdaptationStatus): Error {
  return serviceError(
    'INVALID_TRANSITION',
    `There is nothing to roll back: the adaptation is ${status}, not in force.`,
    { details: [{ path: 'status', message: `${status} → ROLLED_BACK is not allowed` }] },
  )
}
