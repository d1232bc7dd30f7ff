import { native } from '../src/native.ts'

// As searches do.
native.giveWay(3)

export interface SuggestInput {
  engineIds: Float64Array
  /** `{prefix | query, limit}` as JSON. */
  request: string
}

/** Completions and corrections from the indices' own words, as JSON. */
export function suggest({ engineIds, request }: SuggestInput): string {
  return native.suggest(engineIds, request)
}
