import { openBreath } from '../../breath.ts'
import { invalid } from '../../errors.ts'
import { asObject, ownValue } from '../../object.ts'
import type { IndexSettings } from '../../schema/indices.ts'
import { othersOf } from '../../synonym-rule.ts'
import { ENGLISH_STOP_WORDS, shownName, wordOf } from '../../word.ts'
import { sentAnalyses } from './sent-analysis.ts'

/** As many others as the rules of one index may have. */
const WORDS_MAX = 500_000

/**
 * Throws VALIDATION_FAILED where analyzers come to too much: each has a copy of the words and rules of its filters, so that
 * a request of 300 kB, with a thousand analyzers that name one long filter, held everybody up for minutes. With turns for
 * others, and asked when an index is declared, like what rules come to.
 */
export async function refuseNamedOften(settings: IndexSettings): Promise<void> {
  const breathe = openBreath()
  for (const { path, analysis } of sentAnalyses(settings)) {
    const own = asObject(analysis.filter) ?? {}
    const known = new Map<string, number>()
    let words = 0
    for (const [name, analyzer] of Object.entries(asObject(analysis.analyzer) ?? {}))
      for (const filter of filtersOf(asObject(analyzer) ?? {})) {
        const count = known.get(filter) ?? (await wordsOf(own, filter, breathe))
        known.set(filter, count)
        words += count
        if (words > WORDS_MAX)
          throw invalid(
            `${path}.analyzer.${shownName(name)}`,
            `is too much: the filters of all analyzers together, each counted as often as it is named, may have ${WORDS_MAX} stop words and others of words`,
          )
        const turn = breathe()
        if (turn !== undefined) await turn
      }
  }
}

function filtersOf(analyzer: Record<string, unknown>): string[] {
  const names = analyzer.filter ?? analyzer.filters ?? []
  return Array.isArray(names) ? names.map(wordOf) : [wordOf(names)]
}

/** What one analyzer gets of a filter. One without a list may have the English stop words. */
async function wordsOf(
  own: Record<string, unknown>,
  name: string,
  breathe: () => Promise<void> | undefined,
): Promise<number> {
  const { synonyms, stopwords } = asObject(ownValue(own, name)) ?? {}
  if (Array.isArray(stopwords)) return stopwords.length + 1
  if (!Array.isArray(synonyms)) return ENGLISH_STOP_WORDS.length
  let count = 0
  for (const rule of synonyms) {
    count += othersOf(rule)
    const turn = breathe()
    if (turn !== undefined) await turn
  }
  return count
}
