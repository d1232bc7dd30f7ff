import { afterAll, beforeAll } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

interface TitleHit {
  id: string
  /** Of searches with `highlight`; its title where a word of the query stands there. */
  highlight?: { title?: string[] }
}

/** Searches of documents that are a title alone, which is their id, too. */
interface TitleSearches {
  search: (query: string, more?: object) => Promise<TitleHit[]>
  /** The titles that are found, the best first. */
  found: (query: string, more?: object) => Promise<string[]>
  /** The same with the marks of `highlight`. */
  marked: (query: string, more?: object) => Promise<(string | undefined)[]>
  must: RunningApp['must']
}

/**
 * Starts a service for the tests of a file, with an index of these titles for each language, which has its name. Searches
 * go to the first of them, by words, unless `always` or they themselves say otherwise.
 */
export function openTitles(
  titles: readonly string[],
  always: object = {},
  languages: readonly [string, ...string[]] = ['english'],
): TitleSearches {
  let service: RunningApp
  beforeAll(async () => {
    service = await startApp()
    const documents = titles.map((title) => ({ id: title, document: { title } }))
    for (const index of languages) {
      const settings = { analysis: { language: index } }
      await service.must('POST', '/cortex/indices', { name: index, settings })
      await service.must('POST', '/cortex/documents/bulk', { index, documents })
    }
  })
  afterAll(() => service.close())

  const search = async (query: string, more: object = {}) => {
    const body = { index: languages[0], searchType: 'text', query, ...always, ...more }
    return (await service.must<{ hits: TitleHit[] }>('POST', '/cortex/search', body)).hits
  }
  return {
    search,
    found: async (query, more) => (await search(query, more)).map(({ id }) => id),
    marked: async (query, more) => {
      const hits = await search(query, { highlight: true, ...more })
      return hits.map(({ highlight }) => highlight?.title?.[0])
    },
    must: (method, path, body) => service.must(method, path, body),
  }
}
