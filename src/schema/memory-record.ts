/** Documents remembered under one query, and the evidence of each; see learn/click-memory-evidence.ts. */
export interface RememberedRow {
  /** Journal entry of the newest evidence. */
  sequence: number
  documents: string[]
  evidence: number[][]
}

/** What one session taught about the documents of one query; lists run in step. */
export interface AttributionRow {
  documents: string[]
  /** Feedback entries, duplicates included. */
  entries: number[]
  /** [time in ms, millionths, …] */
  gains: number[][]
  /** [time in ms, millionths, …] */
  examinations: number[][]
}
