import type { SearchResult } from '../../native.ts'
import { type AddedScores, PIN } from '../../schema/plan.ts'
import { openReader } from '../../store/reader.ts'
import { numberAdded } from './added-scores.ts'
import type { View } from './core-answer.ts'
import type { PageIndex } from './page.ts'

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
  if (added?.pins !== true) return 0
  const seen = generation <= view.generation ? view : { reader: openReader(dataDir), generation }
  const triples = numberAdded(seen.reader, added, { indices, generation: seen.generation })
  const pins = new Set<string>()
  for (let at = 0; at < triples.length; at += 3)
    if ((triples[at + 2] as number) >= PIN) pins.add(`${triples[at]}/${triples[at + 1]}`)
  let pinned = 0
  while (pinned < ords.length && pins.has(`${ids[pinned]}/${ords[pinned]}`)) pinned += 1
  return pinned
}
