import { RELEARNING } from '../src/learn/loop/fold.ts'
import type { Weighing } from '../src/learn/memory/click-memory-evidence.ts'
import {
  countRates,
  RATED_MAX,
  type RatedDocument,
  type RateSettings,
} from '../src/learn/memory/click-rate.ts'
import { native } from '../src/native.ts'
import { openReader, type Reader } from '../src/store/reader.ts'
import { ownTimeMs } from '../src/threads/own-time.ts'

// Background work.
native.giveWay(10)

export interface RateInput {
  dataDir: string
  /** The number of this count, and the first one that searches may still name. */
  edition: number
  since: number
  /** UTC day, on which evidence is weighed. */
  day: number
  settings: RateSettings & Weighing
  /** The open indices. */
  engines: readonly { indexId: number; engineId: number }[]
}

/**
 * Counts the click rates of documents from what the click memory has on the disk, and gives them to the core under
 * the numbers that the documents have now; `usedMs` is what that took of the thread. Undefined while the memory is being
 * learned anew: it is not whole then.
 */
export function rate(input: RateInput): { documents: number; usedMs: number } | undefined {
  const startedMs = ownTimeMs()
  const reader = openReader(input.dataDir)
  if (reader.mark(RELEARNING) !== undefined) return undefined
  const rates = countRates(reader.remembered(), input.day, input.settings)
  let documents = 0
  for (const { indexId, engineId } of input.engines)
    documents += publish(reader, { indexId, engineId, rated: rates.get(indexId) ?? [] }, input)
  return { documents, usedMs: ownTimeMs() - startedMs }
}

/** Returns how many documents of the index have a rate now. */
function publish(
  reader: Reader,
  { indexId, engineId, rated }: { indexId: number; engineId: number; rated: RatedDocument[] },
  { edition, since }: RateInput,
): number {
  const ords: number[] = []
  const rates: number[] = []
  for (const { id, rate } of rated) {
    if (ords.length === RATED_MAX) break
    // Deleted documents have no number.
    const ord = reader.ordOf(indexId, id)
    if (ord === undefined) continue
    ords.push(ord)
    rates.push(rate)
  }
  try {
    const numbers = Float64Array.from(ords)
    native.publishRates(engineId, edition, since, numbers, Float32Array.from(rates))
  } catch (cause) {
    // Closed meanwhile; whoever opens it again asks for another count.
    if (cause instanceof Error && cause.message.startsWith('NOT_OPEN')) return 0
    throw cause
  }
  return ords.length
}
