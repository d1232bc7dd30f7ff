import type { DocumentKey } from '../../schema/document-key.ts'
import type { AttributionRow, LookRow, RememberedRow } from '../../schema/memory-record.ts'
import { type DailyEvidence, gainOf, UNCOUNTED, WIDTH } from './click-memory-evidence.ts'
import type { Slots } from './slots.ts'

/** What one session taught about one document of one query. */
export interface Attribution {
  /** Feedback entries, duplicates included. */
  entries: number
  gains: Slots
  examinations: Slots
}

const BYTES = Float64Array.BYTES_PER_ELEMENT
/** The columns of looks and of choices, which stand apart in a row. */
const LOOKS = 3
const CHOICES = 4

// Rows are many and small: they are put together in one place, and the store copies them from there.
let scratch = new Float64Array(4096)

function reserve(used: number, more: number): void {
  if (used + more <= scratch.length) return
  const larger = new Float64Array(2 * (used + more))
  larger.set(scratch.subarray(0, used))
  scratch = larger
}

function append(at: number, numbers: readonly number[]): number {
  for (let each = 0; each < numbers.length; each += 1) scratch[at + each] = numbers[each] as number
  return at + numbers.length
}

function packed(used: number, from = 0): Uint8Array {
  return Buffer.from(scratch.buffer, from * BYTES, (used - from) * BYTES)
}

function list(numbers: Float64Array, from: number, length: number): number[] {
  const copied: number[] = []
  for (let at = from; at < from + length; at += 1) copied.push(numbers[at] as number)
  return copied
}

function unpacked(bytes: Uint8Array): Float64Array {
  return new Float64Array(new Uint8Array(bytes).buffer)
}

/** The names of documents as rows hold them, without the brackets around; `before` are those of others. */
export function packNames(documents: Iterable<DocumentKey>, before = ''): string {
  let names = before
  for (const document of documents)
    names += names === '' ? JSON.stringify(document) : `,${JSON.stringify(document)}`
  return names
}

/** A row to be written at once: its bytes change with the next one. */
export function packRemembered(
  sequence: number,
  documents: ReadonlyMap<DocumentKey, DailyEvidence>,
  names = packNames(documents.keys()),
): RememberedRow {
  let used = 0
  let isGained = false
  for (const evidence of documents.values()) {
    const days = evidence.length / WIDTH
    reserve(used, 1 + days * LOOKS)
    scratch[used] = days * LOOKS
    used = appendColumns(used + 1, evidence, { from: 0, until: LOOKS })
    isGained ||= gainOf(evidence) > 0
  }
  const before = used
  used = appendColumn(used, documents, LOOKS)
  const counted = used
  if (isGained) used = appendColumn(used, documents, CHOICES)
  return {
    sequence,
    documents: names,
    evidence: packed(before),
    looks: packed(counted, before),
    ...(isGained ? { choices: packed(used, counted) } : {}),
  }
}

function appendColumn(
  at: number,
  documents: ReadonlyMap<DocumentKey, DailyEvidence>,
  column: number,
): number {
  let end = at
  for (const evidence of documents.values()) {
    reserve(end, evidence.length / WIDTH)
    end = appendColumns(end, evidence, { from: column, until: column + 1 })
  }
  return end
}

/** Of each day those of its numbers. */
function appendColumns(
  at: number,
  evidence: DailyEvidence,
  { from, until }: { from: number; until: number },
): number {
  let end = at
  for (let day = 0; day < evidence.length; day += WIDTH)
    for (let column = from; column < until; column += 1) {
      scratch[end] = evidence[day + column] as number
      end += 1
    }
  return end
}

export function unpackRemembered(row: RememberedRow): Map<DocumentKey, DailyEvidence> {
  const numbers = unpacked(row.evidence)
  const looks = row.looks === undefined ? undefined : unpacked(row.looks)
  const choices = row.choices === undefined ? undefined : unpacked(row.choices)
  let at = 0
  let day = 0
  const documents: DocumentKey[] = JSON.parse(`[${row.documents}]`)
  return new Map(
    documents.map((document) => {
      const end = at + 1 + (numbers[at] ?? 0)
      const evidence: DailyEvidence = []
      for (at += 1; at < end; at += LOOKS) {
        for (let column = 0; column < LOOKS; column += 1)
          evidence.push(numbers[at + column] as number)
        // Of rows from before looks were counted it is not known where they were.
        evidence.push(looks?.[day] ?? (numbers[at + LOOKS - 1] as number))
        const gain = numbers[at + 1] as number
        evidence.push(choices?.[day] ?? (gain > 0 ? UNCOUNTED : 0))
        day += 1
      }
      return [document, evidence.slice()] as const
    }),
  )
}

/** A page that a session looked at: each of its documents counts for so much at that time, and nothing else does. */
export interface Look {
  timeMs: number
  /** Keys as JSON: many looks are kept, and one text takes less room than a list of them. */
  documents: string
  /** Not to be changed: other looks share it. */
  millionths: Int32Array
}

export function packLook({ timeMs, documents, millionths }: Look): LookRow {
  const { buffer, byteOffset, byteLength } = millionths
  return { documents, timeMs, examined: Buffer.from(buffer, byteOffset, byteLength) }
}

function unpackLook({ documents, timeMs, examined }: LookRow): Look {
  const millionths = new Int32Array(new Uint8Array(examined).buffer)
  return { timeMs, documents, millionths }
}

/** A look as attributions by document. */
export function unfoldLook({ timeMs, documents, millionths }: Look): Map<DocumentKey, Attribution> {
  const keys: DocumentKey[] = JSON.parse(documents)
  return new Map(
    keys.map((document, at) => {
      const examinations = [timeMs, millionths[at] as number]
      return [document, { entries: 0, gains: [], examinations }] as const
    }),
  )
}

/** A row to be written at once: its bytes change with the next one. */
export function packAttributed(attributed: ReadonlyMap<DocumentKey, Attribution>): AttributionRow {
  let used = 0
  for (const { entries, gains, examinations } of attributed.values()) {
    reserve(used, 3 + gains.length + examinations.length)
    scratch[used] = entries
    scratch[used + 1] = gains.length
    scratch[used + 2] = examinations.length
    used = append(append(used + 3, gains), examinations)
  }
  return { documents: JSON.stringify([...attributed.keys()]), taught: packed(used) }
}

export function unpackAttributed(row: AttributionRow): Map<DocumentKey, Attribution> {
  if (!('taught' in row)) return unfoldLook(unpackLook(row))
  const numbers = unpacked(row.taught)
  let at = 0
  const documents: DocumentKey[] = JSON.parse(row.documents)
  const attributed = new Map<DocumentKey, Attribution>()
  for (const document of documents) {
    const gained = numbers[at + 1] ?? 0
    const examined = numbers[at + 2] ?? 0
    attributed.set(document, {
      entries: numbers[at] ?? 0,
      gains: list(numbers, at + 3, gained),
      examinations: list(numbers, at + 3 + gained, examined),
    })
    at += 3 + gained + examined
  }
  return attributed
}
