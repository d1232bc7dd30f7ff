import { counted, size } from './amounts.ts'
import { lineOf } from './bulk.ts'
import { openClient } from './client.ts'
import { advise, type LoadReport, mayMove, openTally, refusal, tellUnmet } from './load-report.ts'
import { mappedTypes } from './mapped-types.ts'
import { readDocuments, type SourceFile } from './read/files.ts'
import type { Mapping } from './read/record.ts'
import { printable, type Terminal } from './terminal.ts'

/** What decides which documents are read, and how. */
export interface DryRunOptions {
  url: string
  key?: string
  index?: string
  mapping: Mapping
  keepStrings: boolean
  /** The working folder: names in ids and `source` are relative to it. */
  folder: string
}

/** Documents that are printed. */
const SHOWN_IN_DRY_RUN = 3

/** Reads everything, prints the first documents as they would be sent, and tells what can't be read; sends nothing. */
export async function dryRun(
  terminal: Terminal,
  files: readonly SourceFile[],
  options: DryRunOptions,
): Promise<LoadReport> {
  const started = performance.now()
  const { totals, store } = openTally()
  const mapping = await mappingNow(terminal, options)
  for (const file of files) {
    let documents = 0
    const how = { ...options, mapping, onBytes: () => undefined }
    for await (const found of readDocuments(file, how)) {
      terminal.signal.throwIfAborted()
      if ('reason' in found) {
        totals.refused += 1
        terminal.note(refusal(found))
        continue
      }
      documents += 1
      if (mayMove(found)) totals.placed += 1
      store([found])
      if (totals.accepted <= SHOWN_IN_DRY_RUN) terminal.print(printable(lineOf(found)))
    }
    terminal.note(`${printable(file.name)}: ${counted(documents, 'document')}, ${size(file.bytes)}`)
  }
  const { accepted, repeated, refused } = totals
  const what = `${counted(accepted - repeated, 'document')} from ${counted(files.length, 'file')}`
  terminal.print(
    `Would load ${what}; ${counted(refused, 'place')} can't be read. Nothing was sent.`,
  )
  advise(terminal, totals)
  tellUnmet(terminal, mapping)
  return { files: files.length, ...totals, tookS: (performance.now() - started) / 1000 }
}

/** A dry run needs no server: where none answers, cells are shown as without a mapping. */
async function mappingNow(terminal: Terminal, options: DryRunOptions): Promise<Mapping> {
  const { url, key, index, mapping } = options
  const asked = { signal: terminal.signal, onWait: () => undefined, giveUpMs: 0 }
  const named = index === undefined ? asked : { ...asked, index }
  const client = openClient(url, key, terminal.signal)
  const types = await mappedTypes(client, named).catch(() => undefined)
  return types === undefined ? mapping : { ...mapping, types }
}
