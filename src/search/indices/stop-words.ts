import { invalid } from '../../errors.ts'
import { asObject } from '../../object.ts'
import type { IndexSettings } from '../../schema/indices.ts'
import { shownName } from '../../word.ts'
import { sentAnalyses } from './sent-analysis.ts'

/**
 * Throws VALIDATION_FAILED about a stop word of a named analyzer or filter that is no text; the schema refuses those of
 * the default one. Asked when an index is declared only, because one that was taken before must go on opening.
 */
export function refuseMistypedStopWords(settings: IndexSettings): void {
  for (const { path, analysis } of sentAnalyses(settings))
    for (const kind of ['analyzer', 'filter'] as const)
      for (const [name, one] of Object.entries(asObject(analysis[kind]) ?? {}))
        refuseIn(`${path}.${kind}.${shownName(name)}.stopwords`, asObject(one)?.stopwords)
}

function refuseIn(path: string, words: unknown): void {
  // Another type is refused where the words are read.
  if (!Array.isArray(words)) return
  const at = words.findIndex((word) => typeof word !== 'string')
  if (at >= 0) throw invalid(`${path}[${at}]`, 'must be a text')
}
