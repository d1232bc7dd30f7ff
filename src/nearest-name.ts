/** The known name that a mistyped one most likely means: a letter or two away, and no more than a third of it. */
export function nearestName(sent: string, known: Iterable<string>): string | undefined {
  const name = sent.toLowerCase()
  const most = Math.min(2, Math.floor(name.length / 3))
  let nearest: string | undefined
  let least = most + 1
  for (const each of known) {
    if (Math.abs(each.length - name.length) >= least) continue
    const other = each.toLowerCase()
    while (least > 0 && becomes({ name, other }, 0, 0, least - 1)) {
      least -= 1
      nearest = each
    }
  }
  return nearest
}

/**
 * Whether so many letters, put in, taken out, changed or swapped with their neighbour, make one name of the other, from these
 * places on. Edits are few and names may be thousands: a table of all letters would be filled for each.
 */
function becomes(
  names: { name: string; other: string },
  nameAt: number,
  otherAt: number,
  edits: number,
): boolean {
  const { name, other } = names
  let at = nameAt
  let place = otherAt
  while (at < name.length && name[at] === other[place]) {
    at += 1
    place += 1
  }
  const left = name.length - at
  const otherLeft = other.length - place
  if (Math.abs(left - otherLeft) > edits) return false
  if (left === 0 || otherLeft === 0) return true
  if (edits === 0) return false
  const swapped = name[at] === other[place + 1] && name[at + 1] === other[place]
  return (
    becomes(names, at + 1, place + 1, edits - 1) ||
    becomes(names, at + 1, place, edits - 1) ||
    becomes(names, at, place + 1, edits - 1) ||
    (swapped && becomes(names, at + 2, place + 2, edits - 1))
  )
}
