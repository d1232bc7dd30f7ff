import type { IndexSettings } from '../../schema/indices.ts'
import { asShape, readFilter, readTokenizer } from './analysis-parts.ts'
import { sentAnalyses } from './sent-analysis.ts'

/**
 * Throws about a tokenizer or a filter of the index's own that can't be one, UNKNOWN_ANALYZER where its type is not known:
 * an analyzer that names it is refused by itself, but one that no analyzer names may have been forgotten. Asked when an index
 * is declared only, because one that was taken before must go on opening.
 */
export function refuseUnknownParts(settings: IndexSettings): void {
  for (const sent of sentAnalyses(settings)) {
    const { path, analysis } = sent
    for (const name in asShape(analysis.tokenizer, `${path}.tokenizer`))
      readTokenizer(name, sent, path)
    for (const name in asShape(analysis.filter, `${path}.filter`)) readFilter(name, sent, path)
  }
}
