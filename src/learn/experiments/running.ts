import type { AnsweredAssignment } from '../../schema/experiment.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import type { AppliedVariant } from '../plan/plan.ts'
import { assign, bucketsOfShares, type ShareBuckets } from './assignment.ts'
import { isTarget, type Target } from './targeting.ts'

/** Variant id of a search whose list holds both rankings. */
export const INTERLEAVED = '@interleaved'
/** Variant id of a search that the fallback of an experiment rolled back applies to. */
const FALLBACK = '@fallback'

/** An experiment as searches meet it, ready to be answered in microseconds. */
export interface Running {
  record: ExperimentRecord
  buckets: ShareBuckets
  /** What applies in each arm; one for all arms when it is interleaved or rolled back. */
  applied: AppliedVariant[]
}

export interface Placement {
  inExperiment: boolean
  arm: number
  bucket: number
  reason?: 'allocation' | 'targeting'
}

/** Share of all units that are in an experiment at its step. */
export function shareOf({ allocation, rollout, step }: ExperimentRecord): number {
  return allocation * (rollout.steps[step] ?? 1)
}

/** Whether it applies to searches. */
export function isRunning(record: ExperimentRecord, nowMs: number): boolean {
  return record.status === 'ACTIVE' || isFallbackInForce(record, nowMs)
}

/** Whether its fallback applies to those who were in it. */
export function isFallbackInForce(
  { status, fallback, fallbackEndedMs, endMs }: ExperimentRecord,
  nowMs: number,
): boolean {
  const isOver = fallbackEndedMs !== undefined || endMs <= nowMs
  return status === 'ROLLED_BACK' && fallback !== undefined && !isOver
}

/** The experiments that apply to searches: active ones, and fallbacks of those rolled back; in order of creation. */
export function runningOf(records: Iterable<ExperimentRecord>, nowMs: number): Running[] {
  const running = [...records].filter((record) => isRunning(record, nowMs)).map(prepare)
  return running.sort(
    (a, b) => a.record.createdMs - b.record.createdMs || (a.record.id < b.record.id ? -1 : 1),
  )
}

/** The tests that hold a unit by their shares, the later created last, and what applies to it in each. */
export interface Placed {
  tests: Running[]
  variants: AppliedVariant[]
}

/** A pure function of its arguments. */
export function placedIn(running: readonly Running[], unit: string): Placed {
  const placed: Placed = { tests: [], variants: [] }
  for (const each of running) {
    const { inExperiment, arm } = assign(each.record.id, unit, each.buckets)
    const variant = inExperiment ? (each.applied[arm] ?? each.applied[0]) : undefined
    if (variant === undefined) continue
    placed.tests.push(each)
    placed.variants.push(variant)
  }
  return placed
}

/** Who searches, and when. */
export interface SearchedBy {
  target: Target
  nowMs: number
}

/**
 * What applies to a search of a unit. A test whose end has come applies to nobody, though no round has ended it yet: the
 * first comes a second after a start, and a full store refuses it.
 */
export function applyingOf(
  { tests, variants }: Placed,
  { target, nowMs }: SearchedBy,
): AppliedVariant[] {
  return variants.filter((_, at) => {
    const { record } = tests[at] as Running
    return record.endMs > nowMs && isTarget(record.targeting, target)
  })
}

/** Where a unit stands: the published assignment, for those whom the rules of the test mean. */
export function place({ record, buckets }: Running, unit: string, target: Target): Placement {
  const { inExperiment, arm, bucket } = assign(record.id, unit, buckets)
  if (!inExperiment) return { inExperiment, arm, bucket, reason: 'allocation' }
  if (!isTarget(record.targeting, target))
    return { inExperiment: false, arm: 0, bucket, reason: 'targeting' }
  return { inExperiment, arm, bucket }
}

/** The answer to who asks for a unit's variant. */
export function assignmentOf(running: Running, unit: string, target: Target): AnsweredAssignment {
  const { record } = running
  const { inExperiment, arm, bucket, reason } = place(running, unit, target)
  const variant = record.variants[arm]
  const dealt = inExperiment && record.mode === 'interleaving'
  return {
    testId: record.id,
    testName: record.name,
    variantId: dealt ? INTERLEAVED : (variant?.id ?? ''),
    variantName: dealt ? INTERLEAVED : (variant?.name ?? ''),
    config: dealt ? {} : (variant?.config ?? {}),
    inExperiment,
    bucket,
    ...(reason === undefined ? {} : { reason }),
  }
}

/** An experiment as searches ask it: which units it holds, and what applies to them. */
export function prepare(record: ExperimentRecord): Running {
  const arms = record.variants.map(({ share }) => share)
  return {
    record,
    buckets: bucketsOfShares(shareOf(record), arms),
    applied: appliedIn(record),
  }
}

function appliedIn({
  id,
  name,
  status,
  mode,
  variants,
  fallback,
}: ExperimentRecord): AppliedVariant[] {
  const named = { testId: id, testName: name }
  if (status === 'ROLLED_BACK')
    return fallback === undefined
      ? []
      : [{ ...named, variantId: FALLBACK, tuning: fallback.tuning }]
  const [first, second] = variants
  if (mode === 'interleaving' && first !== undefined && second !== undefined) {
    const against = { tuning: second.tuning, variantIds: [first.id, second.id] as const }
    return [{ ...named, variantId: INTERLEAVED, tuning: first.tuning, against }]
  }
  return variants.map(({ id: variantId, tuning }) => ({ ...named, variantId, tuning }))
}
