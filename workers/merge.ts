import { native } from '../src/native.ts'

// Background work.
native.giveWay(10)

/** Merges segments of an index at rest; searches and writes go on. Answers how many were merged. */
export function merge({ engineId }: { engineId: number }): number {
  return native.merge(engineId)
}
