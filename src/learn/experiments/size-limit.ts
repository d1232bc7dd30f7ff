import { serviceError } from '../../errors.ts'
import { jsonText } from '../../json/gradual-text.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'

/**
 * Letters of JSON that all tests and experiments may have together: they are in memory, and a single one may have as
 * many as fit into a request. Ten thousand usual ones have half as many.
 */
const LETTERS_MAX = 32 << 20
/** The oldest that ended go before that, so that there is room for the next request. */
export const LETTERS_KEPT = 0.9 * LETTERS_MAX

/** How long what is kept is, all together. */
export function openSizeLimit() {
  const byId = new Map<string, number>()
  const measured = new WeakMap<ExperimentRecord, number>()
  let total = 0

  /** Each is asked for more than once, and to write a megabyte of JSON takes long. */
  function measure(record: ExperimentRecord): number {
    const letters = measured.get(record) ?? JSON.stringify(record).length
    measured.set(record, letters)
    return letters
  }

  /** What a record adds to those that are kept. */
  function more(record: ExperimentRecord): number {
    return measure(record) - (byId.get(record.id) ?? 0)
  }
  return {
    /** To be awaited before the transaction that writes it, in which nobody else has a turn. */
    measure: async (record: ExperimentRecord): Promise<void> => {
      measured.set(record, (await jsonText(record)).length)
    },
    total: () => total,
    keep: (record: ExperimentRecord): void => {
      const added = more(record)
      total += added
      byId.set(record.id, (byId.get(record.id) ?? 0) + added)
    },
    drop: (id: string): void => {
      total -= byId.get(id) ?? 0
      byId.delete(id)
    },
    /** Throws LIMIT_REACHED when these don't fit beside those that are kept. */
    refuseMore: (records: Iterable<ExperimentRecord>): void => {
      let letters = total
      for (const record of records) letters += more(record)
      if (letters > LETTERS_MAX)
        throw serviceError(
          'LIMIT_REACHED',
          `All tests and experiments together may have ${LETTERS_MAX} letters of JSON, and would have ${letters} with this one: send less with it, or stop some; those that ended longest ago go by themselves to make room.`,
        )
    },
  }
}
