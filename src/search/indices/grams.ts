import { type Analyzer, lengthOf } from './analysis-parts.ts'

/** A field whose words are cut into pieces of `shortest` to `longest` characters. */
export interface GramField {
  /** Dotted path of its values in the document. */
  source: string
  shortest: number
  longest: number
  /** Only at the beginning of a word. */
  isEdge: boolean
}

/** The ones among fields; what a tokenizer does not say is as in the core. */
export function gramFields(
  fields: readonly { source: string; analyzer?: string }[],
  analyzers: Record<string, Analyzer>,
): GramField[] {
  return fields.flatMap(({ source, analyzer }) => {
    const tokenizer = analyzer === undefined ? undefined : analyzers[analyzer]?.tokenizer
    if (tokenizer === undefined) return []
    const { type, min, max } = typeof tokenizer === 'string' ? { type: tokenizer } : tokenizer
    if (type !== 'ngram' && type !== 'edge_ngram') return []
    const { shortest, longest } = gramLengths(min, max)
    return [{ source, shortest, longest, isEdge: type === 'edge_ngram' }]
  })
}

/** The lengths that `min` and `max` of a tokenizer stand for. */
export function gramLengths(min?: unknown, max?: unknown): { shortest: number; longest: number } {
  const shortest = lengthOf(min ?? 1)
  return { shortest, longest: Math.max(lengthOf(max ?? 2), shortest) }
}
