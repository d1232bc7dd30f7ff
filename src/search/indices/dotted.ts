/* Dotted paths, which there may be thousands of: each is found without a look at all others. */

/** Says whether any of these paths lies below one. */
export function openBelow(paths: readonly string[]): (path: string) => boolean {
  const sorted = paths.toSorted()
  return (path) => {
    const start = `${path}.`
    return sorted[placeOf(sorted, start)]?.startsWith(start) === true
  }
}

/** Says whether a path is one of these, or lies below one. */
export function openWithin(paths: readonly string[]): (path: string) => boolean {
  const tops: string[] = []
  for (const start of paths.map((path) => `${path}.`).sort())
    if (tops.length === 0 || !start.startsWith(tops.at(-1) as string)) tops.push(start)
  return (path) => {
    const start = `${path}.`
    const at = placeOf(tops, start)
    // None of them lies below another: what stands between one and a path below it would.
    return tops[at] === start || (at > 0 && start.startsWith(tops[at - 1] as string))
  }
}

/** Where a text stands, or would stand, among sorted ones. */
function placeOf(sorted: readonly string[], text: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as string) < text) low = middle + 1
    else high = middle
  }
  return low
}
