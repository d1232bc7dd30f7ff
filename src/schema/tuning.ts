/*
 * Closed lists of words that a search and a change to its ranking share, in lower case. The core knows the same ones.
 */
export const SEARCH_TYPES = ['text', 'vector', 'hybrid'] as const
export const FUSIONS = ['convex', 'rrf'] as const
export const OPERATORS = ['or', 'and'] as const
export const FUZZINESSES = ['0', '1', '2', 'auto'] as const

export type Fusion = (typeof FUSIONS)[number]
export type Operator = (typeof OPERATORS)[number]
export type SearchType = (typeof SEARCH_TYPES)[number]

/** Most that a boost of a document adds or takes: it outweighs every score and stays below a pin. */
export const BOOST_MAX = 100

/** A document as settings of a ranking name it; without an index, whichever index holds the id. */
export interface DocumentName {
  index?: string
  id: string
}

/**
 * A change to how searches rank: what an experiment's variant or an adaptation may set. Several are laid over
 * each other, the later winning: base settings < adaptations < variant < the caller's own parameters.
 */
export interface Tuning {
  /** Factors of field weights, by field. */
  fieldWeights?: Record<string, number>
  /** Weights of the two legs. */
  legWeights?: { text: number; vector: number }
  fusion?: Fusion
  /** Neighbours that the vector leg looks for. */
  neighbors?: number
  /** Similarity cut-off of the vector leg. */
  similarity?: number
  minScore?: number
  operator?: Operator
  fuzziness?: string
  /** Vector feedback on or off. */
  feedback?: boolean
  /** Each list holds words that mean the same; `a => b` in one text goes one way. */
  synonyms?: string[][]
  /** Documents that stand first, in this order, wherever they match. */
  pins?: DocumentName[]
  /** Added to the scores of documents that match; 1 is the span of the fused score. */
  boosts?: (DocumentName & { value: number })[]
  /** `id` or `id@version` of the model that ranks; null for none. */
  model?: string | null
  /** Whether click memory counts. */
  learning?: boolean
}

/** What each setting of a change or a variant may hold, as Markdown. */
export const TUNING_SHAPES =
  'fieldWeights: {field: factor}. legWeights: {text, vector}; boost: both at once, any other key is a field; ' +
  'textWeight, vectorWeight: one of them, the other is what is left of 1. fusion: convex or rrf. operator: or, and. ' +
  'fuzziness: 0, 1, 2, auto. neighbors: 1..10000. similarity: -1..1. minScore: a number. feedback, learning: true or false. ' +
  'model: `id` or `id@version`, null for none. ' +
  'pins: a list of up to 100 ids or {id, index}: these stand first, in the order of the list, in searches that they match; a pin ' +
  'brings no document into a search that does not find it. ' +
  'boosts: a list of up to 1000 ids or {id, index, value}, or {id: value}: value (.1 by default, -100..100) is added to the score ' +
  'of the document where it matches; 1 is the span of the fused score. ' +
  'synonyms: a list of up to 200 rules, each `"a, b"` or ["a", "b"] for words that mean the same, or `"a, b => c"` one way; a word may get 100 others. ' +
  'Weights: 0..1000000.'
