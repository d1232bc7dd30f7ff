import { isObject } from '../object.ts'
import { type BulkOptions, openPatience, verdictOn } from './bulk.ts'
import type { Client } from './client.ts'

/**
 * The type of each field in the mapping of the index that documents go to; none where there is no such index yet, or nobody
 * has said which it is. Overload is waited out; what else is wrong is told of the documents, which fare no better.
 */
export async function mappedTypes(
  client: Client,
  options: BulkOptions,
): Promise<ReadonlyMap<string, string>> {
  if (options.index === undefined) return new Map()
  const patience = openPatience(options)
  for (;;) {
    const answer = await client.get(`/cortex/indices/${encodeURIComponent(options.index)}`)
    if (verdictOn(answer).is !== 'wait') return typesIn(answer.data.fields)
    await patience.wait(answer)
  }
}

function typesIn(fields: unknown): ReadonlyMap<string, string> {
  const types = new Map<string, string>()
  for (const [name, field] of Object.entries(isObject(fields) ? fields : {}))
    if (isObject(field) && typeof field.type === 'string') types.set(name, field.type)
  return types
}
