import type { DocumentKey } from '../../schema/document-key.ts'
import { type AddedScores, NOTHING_ADDED } from '../../schema/plan.ts'
import { DOCUMENTS_MAX, type MemoryView, type Remembered } from './click-memory-pairs.ts'
import { packNames } from './click-memory-rows.ts'
import { type ScoreSettings, writeValues } from './click-scores.ts'

/** Added scores of one query. */
const ADDED_MAX = 200

/** The values of the view that is being made. */
const values = new Float64Array(DOCUMENTS_MAX)
const valuesBytes = Buffer.from(values.buffer)

/** What searches read of what is remembered of a query, as it weighs on a day. */
export function viewOf(remembered: Remembered, day: number, settings: ScoreSettings): MemoryView {
  const { gain, documents } = remembered
  const { chances } = settings
  if (gain === 0) return { day, chances, added: NOTHING_ADDED }
  const count = writeValues(documents.values(), day, settings, values)
  if (count > ADDED_MAX) return { day, chances, added: greatest([...documents.keys()]) }
  remembered.names ??= packNames(documents.keys())
  const written = valuesBytes.toString('base64', 0, count * values.BYTES_PER_ELEMENT)
  const added = { documents: remembered.names, values: written, count, pins: false }
  return { day, chances, added }
}

function greatest(keys: readonly DocumentKey[]): AddedScores {
  const size = (at: number) => Math.abs(values[at] as number)
  const before = (a: number, b: number) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1)
  const order = Array.from(keys.keys()).sort((a, b) => size(b) - size(a) || before(a, b))
  const taken = order.slice(0, ADDED_MAX)
  const takenValues = Float64Array.from(taken, (at) => values[at] as number)
  return {
    documents: packNames(taken.map((at) => keys[at] as string)),
    values: Buffer.from(takenValues.buffer).toString('base64'),
    count: taken.length,
    pins: false,
  }
}
