import type { Fusion, Operator } from '../../schema/tuning.ts'
import type { FilterNode } from './filter.ts'

export type SearchType = 'text' | 'vector' | 'hybrid'

/** One query, ready for the Rust core; see native/attune.d.ts for what each word means. */
export interface CoreRequest {
  query: string
  mode: SearchType
  operator?: Operator
  phrase?: boolean
  slop?: number
  prefix?: boolean
  fuzziness?: string
  /** Words that mean the same, beside those of the analyzers: lists of words, or `left => right`. */
  synonyms?: string[][]
  fields?: Record<string, number>
  boost?: Record<string, number>
  weights?: { text: number; vector: number }
  fusion?: Fusion
  neighbors?: number
  cut?: number
  feedback?: boolean
  /** Places of the indices that the query's vector is for; all without it. */
  vectorIn?: number[]
  filter?: FilterNode
  facets?: CoreFacet[]
  sort?: SortKey[]
  from: number
  size: number
  minScore?: number
  after?: string
  generation?: number
  explain?: boolean
  /** Features of the hits are wanted. */
  features?: boolean
  /** What people hold, a feature: 1 desktop, 2 mobile, 3 tablet. */
  device?: number
  /** A loaded model ranks the first candidates anew. */
  rerank?: { model: number; size: number }
  /** A loaded model whose scores are only told. */
  shadow?: number
}

export interface SortKey {
  field: string
  descending: boolean
}

export interface CoreFacet {
  field: string
  size?: number
  ranges?: { from?: number | string; to?: number | string }[]
  stats?: boolean
}
