import type { Tuning } from '../../schema/tuning.ts'
import { shownName, TOLD_MAX } from '../../word.ts'

/** Whether any index searches words in a field of this name. */
export type IsSearched = (field: string) => boolean

/** Weights of fields that no index searches change nothing: most likely a name is mistyped. The index may be made later. */
export function unsearchedWeights({ fieldWeights = {} }: Tuning, isSearched: IsSearched): string[] {
  const unsearched = Object.keys(fieldWeights).filter((field) => !isSearched(field))
  return unsearched
    .slice(0, TOLD_MAX)
    .map((field) => `No index searches a field "${shownName(field)}": its weight changes nothing.`)
}
