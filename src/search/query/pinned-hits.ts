import type { SearchResult } from '../../native.ts'
import type { AddedScores } from '../../schema/plan.ts'
import { openReader } from '../../store/reader.ts'
import { numberAdded } from './added-scores.ts'
import type { View } from './core-answer.ts'
import type { PageIndex } from './page.ts'
import { PIN } from './tuned-scores.ts'

/** What a search was asked with. */
interface Asked {
  dataDir: string
  indices: readonly PageIndex[]
  added: AddedScores | undefined
}

/** How many hits of a page, from its first one on, stand where they do because they are pinned. */
export function pinnedHits(
  { ids, ords, generation }: Pick<SearchResult, 'ids' | 'ords' | 'generation'>,
  view: View,
  { dataDir, indices, added }: Asked,
): number {
  if (added === undefined || !hasPins(added)) return 0
  const seen = generation <= view.generation ? view : { reader: openReader(dataDir), generation }
  const triples = numberAdded(seen.reader, added, { indices, generation: seen.generation })
  const pins = new Set<string>()
  for (let at = 0; at < triples.length; at += 3)
    if ((triples[at + 2] as number) >= PIN) pins.add(`${triples[at]}/${triples[at + 1]}`)
  let pinned = 0
  while (pinned < ords.length && pins.has(`${ids[pinned]}/${ords[pinned]}`)) pinned += 1
  return pinned
}

/** A value's first bytes, in as many signs of base64 as they take. */
const FIRST_VALUE_LENGTH = 12

/** Pins come before whatever else is added. */
function hasPins({ values, count }: AddedScores): boolean {
  if (count === 0) return false
  return Buffer.from(values.slice(0, FIRST_VALUE_LENGTH), 'base64').readDoubleLE(0) >= PIN
}
