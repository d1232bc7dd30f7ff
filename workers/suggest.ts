import { native } from '../src/native.ts'
import type { PageIndex } from '../src/search/query/page.ts'
import { sourceJson } from '../src/search/record.ts'
import { sharedMs } from '../src/shared-clock.ts'
import { openReader, type Reader } from '../src/store/reader.ts'

// As searches do.
native.giveWay(3)

export interface SuggestInput {
  dataDir: string
  indices: PageIndex[]
  /** `{prefix | query, limit}` as JSON. */
  request: string
  /** When nobody waits for them any more, by `sharedMs`. */
  endsMs: number
}

/** Completions and corrections from the indices' own words, as JSON. */
export function suggest({ dataDir, indices, request, endsMs }: SuggestInput): string {
  native.endWithin(endsMs - sharedMs())
  const engineIds = Float64Array.from(indices, ({ engineId }) => engineId)
  /** Opened when the core has its view: what that shows is in the store by then. */
  let reader: Reader | undefined
  return native.suggest(engineIds, request, (engineId, ord) => {
    reader ??= openReader(dataDir)
    const index = indices.find((known) => known.engineId === engineId)
    const record = index && reader.record(index.indexId, ord)
    return record && sourceJson(record)
  })
}
