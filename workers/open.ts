import { native, type OpenReport } from '../src/native.ts'
import { type CaughtUp, catchUp, type OpenInput } from '../src/search/engine/catch-up.ts'
import { openReader } from '../src/store/reader.ts'

// Background work.
native.giveWay(10)

export interface OpenedIndex {
  /** Sequence of the record store that the index contains now. */
  sequence: number
  documents: number
  /** How many records had to be indexed again. */
  replayed: number
  /** Document numbers that the core would not take. */
  refused: number[]
  /** Documents that have more ngrams than are indexed. */
  cut: number[]
  /** Why the files were thrown away and built from the records, if they were. */
  rebuilt?: string
  fitWanted: boolean
  /** It holds a writer's threads and heap. */
  writer: boolean
}

/**
 * An index that is brought up to date with more documents than this keeps its writer: merges of them may still be
 * under way.
 */
const WRITER_DOCUMENTS = 1000

/** Opens an index and brings it up to date with the records. */
export function open(input: OpenInput): OpenedIndex {
  const { dataDir, engineId, sequence } = input
  const report = sequence === undefined ? openFiles(input) : { sequence }
  const caughtUp = orClose(engineId, () => catchUp(openReader(dataDir), input, report.sequence))
  return {
    ...caughtUp,
    writer: keepsWriter(input, caughtUp),
    ...(!('rebuild' in report) || report.rebuild === undefined ? {} : { rebuilt: report.rebuild }),
  }
}

/** After a crash many indices lack a few documents each, and a search may name them all: most are not written to again soon. */
function keepsWriter({ engineId, sequence }: OpenInput, { replayed }: CaughtUp): boolean {
  const { writer } = JSON.parse(native.stats(engineId)) as { writer: boolean }
  // One that was open already may be merging what it was built of, and its writes wait.
  if (!writer || sequence !== undefined || replayed > WRITER_DOCUMENTS) return writer
  native.release(engineId)
  return false
}

function openFiles({ dataDir, engineId, directory, definition, marks }: OpenInput): OpenReport {
  const report = native.open(engineId, directory, definition, marks)
  const last = orClose(engineId, () => openReader(dataDir).mark('sequence'))
  if (report.sequence <= (typeof last === 'number' ? last : 0)) return report
  // Records of a backup that was made right when these files took on their mark.
  native.close(engineId)
  return native.open(engineId, directory, definition, [])
}

/** An index that could not be brought up to date must not stay open half full, nor in the way of the next attempt. */
function orClose<T>(engineId: number, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    native.close(engineId)
    throw cause
  }
}
