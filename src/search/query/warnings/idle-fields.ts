import type { SearchRequest } from '../../../schema/search.ts'
import { lowerWord } from '../../../word.ts'
import { tell, type Warned } from './told.ts'

/** What only searches by meaning, or by both, heed. */
const OF_MEANING = ['vector', 'neighbors', 'similarity', 'fusion'] as const

/** Tells of what a search by words alone says of neighbours. */
export function tellIdle(search: SearchRequest, told: Warned): void {
  if (search.searchType === undefined || lowerWord(search.searchType) !== 'text') return
  for (const name of OF_MEANING)
    if (search[name] !== undefined)
      tell(told, () => `"${name}" has no effect: a search of the type "text" is by words alone.`)
}
