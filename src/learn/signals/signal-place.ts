import { unknownCursor } from '../../errors.ts'

/** How far a list has come in each of the two places that signals stand in. */
export interface Place {
  told?: [number, string]
  journal?: { sequence: number; at: number }
}

/** A place as cursors carry it. */
export function encodePlace({ told, journal }: Place): string {
  const parts = [told ?? null, journal === undefined ? null : [journal.sequence, journal.at]]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Throws INVALID_CURSOR. */
export function decodePlace(cursor: string): Place {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    parts = undefined
  }
  const [told, journal] = Array.isArray(parts) ? parts : [undefined, undefined]
  if (!isPair(told, 'string') || !isPair(journal, 'number')) throw unknownCursor()
  const place: Place = {}
  if (told !== null) place.told = told as [number, string]
  if (journal !== null) {
    const [sequence, at] = journal as [number, number]
    place.journal = { sequence, at }
  }
  return place
}

function isPair(value: unknown, second: 'string' | 'number'): boolean {
  if (value === null) return true
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    Number.isFinite(value[0]) &&
    typeof value[1] === second
  )
}
