/**
 * Adjusted p values, in the order given: calling those below q discoveries keeps the expected share of
 * false ones at or below q. Step-up procedure of Benjamini and Hochberg 1995.
 */
export function falseDiscovery(p: readonly number[]): number[] {
  const descending = p.map((_, index) => index).sort((a, b) => (p[b] ?? 0) - (p[a] ?? 0))
  const adjusted = new Array<number>(p.length).fill(1)
  let least = 1
  for (const [place, index] of descending.entries()) {
    const rank = p.length - place
    least = Math.min(least, ((p[index] ?? 0) * p.length) / rank)
    adjusted[index] = least
  }
  return adjusted
}
