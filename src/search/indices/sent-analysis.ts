import { asObject } from '../../object.ts'
import type { IndexSettings } from '../../schema/indices.ts'

/** An `analysis` of settings, and where it stands: what is wrong in it is told by the place that was sent. */
export interface SentAnalysis {
  path: string
  analysis: Record<string, unknown>
}

/** Every one that was sent: beside the other settings, and below `index`, as search engines nest it. */
export function sentAnalyses(settings: IndexSettings): SentAnalysis[] {
  return [
    { path: 'settings.analysis', sent: settings.analysis },
    { path: 'settings.index.analysis', sent: asObject(settings.index)?.analysis },
  ].flatMap(({ path, sent }) => {
    const analysis = asObject(sent)
    return analysis === undefined ? [] : [{ path, analysis }]
  })
}

/** The one that is read. A second one says the same: another is refused when an index is declared. */
export function sentAnalysis(settings: IndexSettings): SentAnalysis {
  return sentAnalyses(settings)[0] ?? { path: 'settings.analysis', analysis: {} }
}
