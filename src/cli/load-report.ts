import { count, counted, duration } from './amounts.ts'
import type { FoundDocument, Mapping, Unreadable } from './read/record.ts'
import { printable, type Terminal } from './terminal.ts'

/** What a load did. */
export interface LoadReport {
  files: number
  /** Documents that were stored. */
  accepted: number
  /** Of these, documents that took the place of another of this load, which has the same id. */
  repeated: number
  deleted: number
  /** Deletions of documents that were not there. */
  absent: number
  refused: number
  /** Of these, documents that have a text under none of the names that their index searches. */
  textless: number
  /** Sent under ids that say where in their file they stand. */
  placed: number
  /** Passed over because an earlier run had settled them. */
  skipped: number
  tookS: number
}

/** Counts what becomes of documents: `store` takes those that were stored, or would be. */
export function openTally() {
  const stored = { accepted: 0, repeated: 0 }
  const totals = {
    ...stored,
    deleted: 0,
    absent: 0,
    refused: 0,
    textless: 0,
    placed: 0,
    skipped: 0,
  }
  const isRepeated = openRepeats()
  const store = (documents: readonly FoundDocument[]) => {
    totals.accepted += documents.length
    totals.repeated += documents.filter(isRepeated).length
  }
  return { totals, store }
}

/**
 * One line about a record that was refused. In a JSON file its number is that of a document, as in `file#2`, not of a
 * line.
 */
export function refusal({ file, line, reason }: Unreadable): string {
  const place = line > 0 ? `${/\.json(\.gz)?$/i.test(file) ? '#' : ':'}${line}` : ''
  return printable(`${file}${place}: ${reason}`)
}

/** Different warnings that are shown: some name what stands in the document. */
const WARNINGS_MAX = 20

/** Shows what the server warns of: each sentence once, of the first document that has it. */
export function openWarnings(
  note: (line: string) => void,
): (warned: readonly Unreadable[]) => void {
  const shown = new Set<string>()
  return (warned) => {
    for (const { file, line, reason } of warned) {
      if (shown.has(reason) || shown.size >= WARNINGS_MAX) continue
      shown.add(reason)
      note(refusal({ file, line, reason: `is loaded, with a warning: ${reason}` }))
    }
  }
}

/** Whether a document was refused because its fields have other names, which `--map` could mend. */
export function isTextless({ reason }: Unreadable): boolean {
  return /must have at least one of .* that is not empty/.test(reason)
}

/** Whether another document of the file would get this one's id, were it put before it. A file of one has no other. */
export function mayMove({ isPlaced, line }: FoundDocument): boolean {
  return isPlaced === true && line > 1
}

/** Ids that a load remembers, some hundred megabytes; of later ones nobody knows whether they come again. */
const IDS_MAX = 1_000_000

/** Tells whether a document has the id of another that was there before it. A change to one names its id on purpose. */
function openRepeats(): (found: FoundDocument) => boolean {
  const ids = new Set<string>()
  return ({ id, index, op, isPlaced }) => {
    if (op !== undefined || isPlaced) return false
    const key = `${index ?? ''}\n${id}`
    if (ids.has(key)) return true
    if (ids.size < IDS_MAX) ids.add(key)
    return false
  }
}

/** Says, once for all files, what comes of ids that are places, and of those that are not different. */
export function advise(
  terminal: Terminal,
  { placed, repeated }: { placed: number; repeated: number },
): void {
  if (repeated > 0)
    terminal.note(
      `Of documents with the same id one stays: ${counted(repeated, 'document')} took the place of another. If each should stay, name a field that is different in each: --id-field NAME.`,
    )
  if (placed === 0) return
  terminal.note(
    `Without an id: ${counted(placed, 'document')}, named after their place in the file. A line put before them moves their ids, and what was learned of them, to others. Name the field that holds an id: --id-field NAME.`,
  )
}

/** Says which names of options no record had: they are most likely mistyped. */
export function tellUnmet(terminal: Terminal, { unmet = new Set(), html }: Mapping): void {
  for (const name of unmet)
    terminal.note(
      `No record has a field "${printable(name)}", which ${html?.has(name) ? '--html' : '--map'} names as the files call it.`,
    )
}

/** Prints what a load came to, and gives it back. */
export function printReport(terminal: Terminal, report: LoadReport): LoadReport {
  const { accepted, repeated, deleted, absent, refused, skipped, tookS } = report
  const rate = count(Math.round(accepted / Math.max(0.001, tookS)))
  const from = `from ${counted(report.files, 'file')} in ${duration(tookS)} (${rate}/s)`
  const rest = [`${count(refused)} refused`]
  if (repeated > 0) rest.push(`${count(repeated)} replaced by others of the same id`)
  if (deleted > 0) rest.push(`${count(deleted)} deleted`)
  if (absent > 0) rest.push(`${count(absent)} to delete not there`)
  if (skipped > 0) rest.push(`${count(skipped)} settled earlier`)
  terminal.print(`Loaded ${counted(accepted - repeated, 'document')} ${from}; ${rest.join(', ')}.`)
  if (report.textless > 0)
    terminal.note('If the text is there under other names, rename its fields: --map from=to.')
  // What was refused has no id that could move.
  if (accepted > 0) advise(terminal, report)
  return report
}
