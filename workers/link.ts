import { native } from '../src/native.ts'

// Background work.
native.giveWay(10)

export interface LinkInput {
  engineId: number
  /** How long it may work. */
  timeMs: number
  /** Whether nothing is written to it. */
  isAtRest: boolean
}

/** Grows the neighbour graph of an index for a while; searches and writes go on. Answers whether more is left. */
export function link({ engineId, timeMs, isAtRest }: LinkInput): boolean {
  return native.growGraph(engineId, timeMs, isAtRest)
}
