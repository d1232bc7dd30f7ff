import { type FitReport, native } from '../src/native.ts'

// Background work.
native.giveWay(10)

/** Learns a new vector space from the index's own documents and swaps it in; searches and writes go on. */
export function fit({ engineId }: { engineId: number }): FitReport {
  return native.fit(engineId)
}
