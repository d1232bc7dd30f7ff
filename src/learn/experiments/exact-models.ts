import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import type { Tuning } from '../../schema/tuning.ts'
import { type ExactModel, withExactModel } from '../plan/exact-model.ts'

/** All that an experiment may set. */
export function tuningsOf({
  variants,
  fallback,
}: Pick<ExperimentRecord, 'variants' | 'fallback'>): Tuning[] {
  const tunings = variants.map(({ tuning }) => tuning)
  return fallback === undefined ? tunings : [...tunings, fallback.tuning]
}

/** Whether a model that it names stands for a version by now, and is not written down as one. */
export function isInexact(record: ExperimentRecord, exactModel: ExactModel): boolean {
  return tuningsOf(record).some((tuning) => {
    return tuning.model !== withExactModel(tuning, exactModel).model
  })
}

/**
 * The record with the versions that its models have now: what a test compares stays what it is. A variant may name a
 * model that comes later: until then its searches rank without one.
 */
export function withExactModels(
  record: ExperimentRecord,
  exactModel: ExactModel,
): ExperimentRecord {
  const exact = <T extends { tuning: Tuning }>(part: T): T => ({
    ...part,
    tuning: withExactModel(part.tuning, exactModel),
  })
  const { variants, fallback } = record
  return {
    ...record,
    variants: variants.map(exact),
    ...(fallback === undefined ? {} : { fallback: exact(fallback) }),
  }
}

/** What to say of variants, and of a fallback, whose models are not there yet. */
export function missingModels(
  { variants, fallback }: ExperimentRecord,
  exactModel: ExactModel,
): string[] {
  const named = variants.map(({ id, tuning }) => ({ owner: `variant ${id}`, tuning }))
  if (fallback !== undefined) named.push({ owner: 'fallbackConfig', tuning: fallback.tuning })
  return named.flatMap(({ owner, tuning: { model } }) =>
    typeof model !== 'string' || exactModel(model) !== undefined
      ? []
      : [`${owner}: its model is not served; until it is, its searches rank without one.`],
  )
}
