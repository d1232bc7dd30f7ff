/** A first click further down has no part in the mean reciprocal rank. */
const RANK_MAX = 10

/**
 * 1/place of a search's best click, from place 1; 0 beyond the tenth place, and without a click (0, Infinity). Its mean
 * is MRR@10 (Voorhees: The TREC-8 question answering track report, 1999, there cut off at 5): one definition wherever
 * the service says `mrr`.
 */
export function reciprocalRank(place: number): number {
  return place >= 1 && place <= RANK_MAX ? 1 / place : 0
}
