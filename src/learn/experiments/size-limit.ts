import { serviceError } from '../../errors.ts'
import { jsonText } from '../../json/gradual-text.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'

/**
 * Characters of JSON that all tests and experiments may have together: they are in memory, and a single one may have as
 * many as fit into a request. Ten thousand usual ones have half as many.
 */
const CHARACTERS_MAX = 32 << 20
/** The oldest that ended go before that, so that there is room for the next request. */
export const CHARACTERS_KEPT = 0.9 * CHARACTERS_MAX

/** How long what is kept is, all together. */
export function openSizeLimit() {
  const byId = new Map<string, number>()
  const measured = new WeakMap<ExperimentRecord, number>()
  let total = 0

  /** Each is asked for more than once, and to write a megabyte of JSON takes long. */
  function measure(record: ExperimentRecord): number {
    const characters = measured.get(record) ?? JSON.stringify(record).length
    measured.set(record, characters)
    return characters
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
      let characters = total
      for (const record of records) characters += more(record)
      if (characters > CHARACTERS_MAX)
        throw serviceError(
          'LIMIT_REACHED',
          `All tests and experiments together may have ${CHARACTERS_MAX} characters of JSON, and would have ${characters} with this one: send less with it, or stop some; those that ended longest ago go by themselves to make room.`,
        )
    },
  }
}
