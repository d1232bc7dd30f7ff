import { native } from '../src/native.ts'
import { replayIndex } from '../src/search/replay.ts'
import { openReader } from '../src/store/reader.ts'

export interface OpenInput {
  dataDir: string
  indexId: number
  engineId: number
  directory: string
  definition: string
}

export interface OpenedIndex {
  /** Sequence of the record store that the index contains now. */
  sequence: number
  documents: number
  /** How many records had to be indexed again. */
  replayed: number
  /** Why the files were thrown away and built from the records, if they were. */
  rebuilt?: string
  fitWanted: boolean
}

/** Opens an index and brings it up to date with the records. */
export function open(input: OpenInput): OpenedIndex {
  const report = native.open(input.engineId, input.directory, input.definition)
  const replayed = replayIndex(openReader(input.dataDir), input, report.sequence)
  return {
    ...replayed,
    ...(report.rebuild === undefined ? {} : { rebuilt: report.rebuild }),
  }
}
