import { ServiceError } from '../../errors.ts'
import { readJson } from '../../json/json.ts'
import { refuseUnkeepable } from '../../json/unkeepable.ts'
import { spellsNumber } from '../../search/number-text.ts'
import { plainValue } from '../plain-value.ts'

/** What databases and spreadsheets write for yes and no, in small letters: PostgreSQL reads all of these. */
const YES = new Set(['true', 't', 'yes', 'y', 'on', '1'])
const NO = new Set(['false', 'f', 'no', 'n', 'off', '0'])

/**
 * A cell of a table as the value that a field of this type takes: types are strict, and a cell says none. What can't be read
 * so stays text, which the server refuses by its place.
 */
export function typedCell(cell: string, type: string): unknown {
  if (type === 'text' || type === 'keyword') return cell
  if (type === 'boolean') return yesOrNo(cell)
  if (type === 'object' || type === 'dense_vector') return structured(cell)
  if (type === 'date') return plainValue(cell)
  return spellsNumber(cell) && !wouldRound(cell.trim()) ? Number(cell) : cell
}

const WHOLE = /^[+-]?\d+$/

/** Whether a whole number would become another one. */
function wouldRound(cell: string): boolean {
  return WHOLE.test(cell) && BigInt(cell) !== BigInt(Number(cell))
}

function yesOrNo(cell: string): boolean | string {
  const word = cell.toLowerCase()
  if (YES.has(word)) return true
  return NO.has(word) ? false : cell
}

/** The JSON of a cell, unless the server would not keep what it says. */
function structured(cell: string): unknown {
  try {
    const { value, suspicious } = readJson(Buffer.from(cell), Number.POSITIVE_INFINITY)
    if (suspicious) refuseUnkeepable(value, 'all')
    return value
  } catch (cause) {
    if (cause instanceof ServiceError) return cell
    throw cause
  }
}
