import { expect, it } from 'vitest'
import { serviceError } from '../../../src/errors.ts'
import type { IndexEntry } from '../../../src/search/indices/index-entry.ts'
import type { CoreRequest } from '../../../src/search/query/core-request.ts'
import { queryVector } from '../../../src/search/query/query-vector.ts'

const ENTRIES = [{ definition: { embedder: { kind: 'http' } } }] as IndexEntry[]

/** A hybrid search of an index whose endpoint fails. */
function failing(lacksVector: boolean | undefined) {
  const request: CoreRequest = { query: 'sun', mode: 'hybrid', from: 0, size: 10 }
  const embedQuery = () => Promise.reject(serviceError('EMBEDDER_UNAVAILABLE', 'It is down.'))
  const parts = { embedQuery, unserved: () => undefined }
  return queryVector({ query: 'sun' }, request, { entries: ENTRIES, lacksVector }, parts)
}

it('costs the first page its neighbours, and a later page of a list that has some its answer', async () => {
  expect(await failing(undefined)).toEqual({ degraded: ['vector'] })
  expect(await failing(true)).toEqual({ degraded: ['vector'] })
  await expect(failing(false)).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' })
})
