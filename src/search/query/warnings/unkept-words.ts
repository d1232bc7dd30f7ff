import { wellFormedJson } from '../../../json/well-formed.ts'
import type { SearchResult } from '../../../native.ts'
import type { PageIndex } from '../page.ts'
import { namesText, nothingTold, tell, type Warned, warningsOf } from './told.ts'

/**
 * The searchContext of a search, JSON without its last brace, with its warnings. Only the core, which read the query, knows
 * whether any analyzer of the searched fields keeps one of its words.
 */
export function toldContext(
  { context, told, indices }: { context: string; told: Warned | undefined; indices: PageIndex[] },
  { kept }: Pick<SearchResult, 'kept'>,
): string {
  if (kept === undefined && told === undefined) return context
  const all = nothingTold()
  if (kept !== undefined) tell(all, () => UNKEPT[kept](indices))
  if (told !== undefined) {
    for (const text of told.texts) tell(all, () => text)
    all.others += told.others
    all.isOpen = told.isOpen
  }
  return `${context},"warnings":${wellFormedJson(warningsOf(all))}`
}

const UNKEPT: Record<NonNullable<SearchResult['kept']>, (indices: PageIndex[]) => string> = {
  noWords: () =>
    'query: it has no words, so that nothing was looked for by words; signs are none, nor is what has more than 64 characters. An empty query finds all documents.',
  nothing: (indices) =>
    `query: the analyzers of ${namesText(indices.map(({ name }) => name))} keep none of its words, as they leave out stop words, so that nothing was looked for by words; an index with "analysis": {"stopWords": false} in its settings keeps them.`,
}
