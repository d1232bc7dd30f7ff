import { isObject } from '../object.ts'
import { dataOf, openClient } from './client.ts'
import { readFilterOptions } from './filters.ts'
import { markedPassage, oneLine, printHits, SNIPPET_CHARACTERS, withoutMarks } from './hits.ts'
import type { Terminal } from './terminal.ts'

export interface SearchOptions {
  url: string
  key?: string
  mode: string
  index?: string[]
  size: number
  filters: string[]
  json: boolean
}

/** One search; prints hits with rank, score, title, the best passage and where it comes from. */
export async function search(
  terminal: Terminal,
  query: string,
  options: SearchOptions,
): Promise<void> {
  const { url, key, mode, index, size, json } = options
  const client = openClient(url, key, terminal.signal)
  const started = performance.now()
  const reply = await client.post('/cortex/search', {
    query,
    searchType: mode,
    size,
    ...(index && index.length > 0 && { index }),
    ...(options.filters.length > 0 && { filters: readFilterOptions(options.filters) }),
    highlight: markedPassage(SNIPPET_CHARACTERS),
  })
  const data = dataOf(reply, 'The search failed')
  if (json) terminal.print(withoutMarks(JSON.stringify(data, undefined, 2)))
  else {
    noteWarnings(terminal, data)
    printHits(terminal, data, performance.now() - started)
  }
}

/** What the search said in vain: a filter by a mistyped field finds nothing, and would not say why. */
function noteWarnings(terminal: Terminal, { searchContext }: Record<string, unknown>): void {
  const warnings = isObject(searchContext) ? searchContext.warnings : undefined
  if (Array.isArray(warnings)) for (const warning of warnings) terminal.note(oneLine(warning))
}
