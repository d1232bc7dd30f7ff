/** Learned additions to scores; 1 is the span of the fused score. */
export interface AddedScores {
  /** Keys of the documents, as a JSON list without its brackets. */
  documents: string
  /** Base64 of little-endian float64: written and read in a tenth of the time that figures take. */
  values: string
  count: number
}

export const NOTHING_ADDED: AddedScores = Object.freeze({ documents: '', values: '', count: 0 })
