import { native } from '../src/native.ts'
import { sharedMs } from '../src/shared-clock.ts'

// As searches do.
native.giveWay(3)

export interface SuggestInput {
  engineIds: Float64Array
  /** `{prefix | query, limit}` as JSON. */
  request: string
  /** When nobody waits for them any more, by `sharedMs`. */
  endsMs: number
}

/** Completions and corrections from the indices' own words, as JSON. */
export function suggest({ engineIds, request, endsMs }: SuggestInput): string {
  native.endWithin(endsMs - sharedMs())
  return native.suggest(engineIds, request)
}
