import type { Facet } from '../../schema/facet.ts'
import type { Fusion, Operator, SearchType } from '../../schema/tuning.ts'
import type { FilterNode } from './filter.ts'

/**
 * One query, ready for the Rust core: native/src/search/query.rs says what each word means, and what it is where it is
 * absent. What a ranking asks for besides (features, models, click rates) joins it in `job.ts`.
 */
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
  /** Fields searched, with their weights; null for that of the mapping. */
  fields?: Record<string, number | null>
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
}

export interface SortKey {
  field: string
  descending: boolean
}

export interface CoreFacet extends Facet {
  field: string
}
