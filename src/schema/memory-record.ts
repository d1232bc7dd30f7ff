/** Documents remembered under one query, and the evidence of each; see learn/memory/click-memory-rows.ts. */
export interface RememberedRow {
  /** Journal entry of the newest evidence. */
  sequence: number
  /** Keys of the documents, as a JSON list without its brackets. */
  documents: string
  /** For each document how many numbers its evidence has, and these: day, gain and examination of each day; float64. */
  evidence: Uint8Array
  /** Looks of each of these days; float64. Rows of earlier versions have none. */
  looks?: Uint8Array
  /** Choices of each of these days, if anything was gained; float64. Rows of earlier versions have none. */
  choices?: Uint8Array
}

/** What one session taught about the documents of one query; see learn/memory/click-memory-rows.ts. */
export type AttributionRow = LookRow | TaughtRow

/** Nothing but that it looked once. */
export interface LookRow {
  /** Keys of the documents, as a JSON list. */
  documents: string
  timeMs: number
  /** For each document the millionths of its examination; int32. */
  examined: Uint8Array
}

export interface TaughtRow {
  /** Keys of the documents, as a JSON list. */
  documents: string
  /**
   * For each document: feedback entries, duplicates included; how many numbers its gains and its examinations have;
   * both as [time in ms, millionths, …]; float64.
   */
  taught: Uint8Array
}

/** What the clicks of one day say of how people look; see learn/memory/examination.ts. */
export interface ExaminationDay {
  clicks: number
  /** Sums of scores (see learn/statistics/position-bias.ts); rows of earlier versions have others. */
  places?: number[]
  parts?: number[]
  /** Sums of clicks by two places (see learn/statistics/place-chances.ts); rows of earlier versions have none. */
  pairs?: { clicked: number[]; expected: number[] }
  /** With what page units count, and what they clicked of it; int32. */
  pages?: Uint8Array
}
