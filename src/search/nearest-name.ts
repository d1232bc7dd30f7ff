/** The known name that a mistyped one most likely means: a letter or two away, and no more than a third of it. */
export function nearestName(sent: string, known: Iterable<string>): string | undefined {
  const name = sent.toLowerCase()
  const most = Math.min(2, Math.floor(name.length / 3))
  let nearest: string | undefined
  let least = most + 1
  for (const each of known) {
    if (Math.abs(each.length - name.length) >= least) continue
    const away = distance(name, each.toLowerCase())
    if (away >= least) continue
    least = away
    nearest = each
  }
  return nearest
}

/** Letters to put in, take out, change or swap with their neighbour to make one name of the other. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let at = 1; at <= other.length; at++) {
      const same = one[row - 1] === other[at - 1]
      const swapped = row > 1 && one[row - 2] === other[at - 1] && one[row - 1] === other[at - 2]
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = next
  }
  return last[other.length] ?? 0
}
