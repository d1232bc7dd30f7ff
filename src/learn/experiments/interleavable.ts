import { invalid } from '../../errors.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import { shownName, TOLD_MAX } from '../../word.ts'
import { matchingDifferences } from '../plan/tuning-matching.ts'

type Rankings = Pick<ExperimentRecord, 'mode' | 'variants'>

/**
 * Throws VALIDATION_FAILED for an interleaved test whose rankings would match different documents: its lists have one
 * total, one set of facets and one end, and what only one ranking finds could not be in all of them.
 */
export function refuseUninterleavable({ mode, variants }: Rankings): void {
  if (mode !== 'interleaving') return
  const [first, second] = variants
  if (first === undefined || second === undefined) return
  const [setting] = matchingDifferences(first.tuning, second.tuning)
  if (setting === undefined) return
  const what = setting === 'fieldWeights' ? 'fields of weight 0' : setting
  throw invalid(
    'variants[1].config',
    `must not differ from variants[0] in ${what} to be interleaved, because that changes which documents match, not only their order; compare them in an A/B test (mode split)`,
  )
}

/** Both rankings take turns, whatever their shares. */
export function vainShareWarnings({ mode, variants: [first, second] }: Rankings): string[] {
  if (mode !== 'interleaving' || first?.share === second?.share) return []
  return [
    'variants: an interleaved list takes from both rankings alike; their shares are not used.',
  ]
}

/** Clicks decide of an interleaved list, and it has no control that anything else could be compared with. */
export function vainMetricWarnings(path: string, names: readonly string[]): string[] {
  const others = names.filter((name) => name !== 'ctr').map(shownName)
  if (others.length === 0) return []
  return [
    `${path}: which ranking's hits are clicked decides of an interleaved list; ${others.slice(0, TOLD_MAX).join(', ')} can be compared in an A/B test (mode split).`,
  ]
}
