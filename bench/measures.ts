/**
 * nDCG at `depth` with linear gains (gain = label, discount log2(rank + 1)), as trec_eval's ndcg_cut.
 * `ranked` are document ids, best first; a document that is listed twice counts once. 0 when nothing is judged.
 */
export function ndcg(ranked: string[], labels: Map<string, number>, depth: number): number {
  const ideal = [...labels.values()].filter((label) => label > 0).sort((a, b) => b - a)
  const best = discounted(ideal.slice(0, depth))
  if (best === 0) return 0
  const gains = [...new Set(ranked)].slice(0, depth).map((id) => labels.get(id) ?? 0)
  return discounted(gains) / best
}

/** Share of the relevant documents (label > 0) among the first `depth`. 0 when nothing is judged. */
export function recall(ranked: string[], labels: Map<string, number>, depth: number): number {
  const relevant = [...labels].filter(([, label]) => label > 0).map(([id]) => id)
  if (relevant.length === 0) return 0
  const found = new Set(ranked.slice(0, depth))
  return relevant.filter((id) => found.has(id)).length / relevant.length
}

/** Share of the true nearest that were found: |found ∩ truth| / |truth|. 1 when there is nothing to find. */
export function overlap(found: string[], truth: string[]): number {
  if (truth.length === 0) return 1
  const set = new Set(found)
  return truth.filter((id) => set.has(id)).length / truth.length
}

/** Arithmetic mean; 0 of an empty list. */
export function mean(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The value below which `share` (0..1) of the sorted values lie, by the nearest rank; 0 of an empty list. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return 0
  const rank = Math.max(1, Math.ceil(share * sorted.length))
  return sorted[Math.min(rank, sorted.length) - 1] ?? 0
}

/** The value in the middle; of two, the smaller one. 0 of an empty list. */
export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  )
}

/** Sum of gains, best place first, each divided by log2(rank + 1). */
export function discounted(gains: number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)
}
