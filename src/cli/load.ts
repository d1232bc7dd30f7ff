import { resolve } from 'node:path'
import { nameProblem } from '../search/indices/index-name.ts'
import { duration } from './amounts.ts'
import { lineOf } from './bulk.ts'
import { type Client, openClient } from './client.ts'
import { type DryRunOptions, dryRun } from './dry-run.ts'
import {
  isTextless,
  type LoadReport,
  mayMove,
  openTally,
  openWarnings,
  printReport,
  refusal,
  tellUnmet,
} from './load-report.ts'
import { mappedTypes } from './mapped-types.ts'
import { openProgress, type Progress } from './progress.ts'
import { findFiles, READABLE, readDocuments, type SourceFile } from './read/files.ts'
import type { FoundDocument, Mapping, Unreadable } from './read/record.ts'
import { openResume, type Resume } from './resume.ts'
import { type Mark, openSender } from './sender.ts'
import { commandError, printable, type Terminal } from './terminal.ts'

const BATCH_BYTES_MAX = 4 << 20
const WAIT_NOTE_EVERY_MS = 3000

export interface LoadOptions extends DryRunOptions {
  /** Documents in one request. */
  batch: number
  /** Requests under way at once. */
  concurrency: number
  resume: boolean
  dryRun: boolean
  /** Where the state of an unfinished load is kept. */
  stateFolder: string
  giveUpMs?: number
}

/**
 * Loads files and folders over HTTP. At most `concurrency` batches are under way, so that a slow
 * server slows the reading down. Each refused line is noted as `file:line: reason` and the rest is
 * loaded. What is settled is kept in a state file until the end, for `resume`.
 */
export async function load(
  terminal: Terminal,
  paths: readonly string[],
  options: LoadOptions,
): Promise<LoadReport> {
  const problem = options.index === undefined ? undefined : nameProblem(options.index)
  if (problem !== undefined) throw commandError(`--index ${problem}.`)
  const files = await findFiles(paths, options.folder)
  if (files.length === 0)
    throw commandError(
      `There is nothing to load in ${paths.join(', ')}; these can be read: ${READABLE}.`,
    )
  if (options.dryRun) return dryRun(terminal, files, options)
  const client = openClient(options.url, options.key)
  await openClient(options.url, options.key, terminal.signal).get('/livez')
  const totalBytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const progress = openProgress(terminal, totalBytes)
  const { stateFolder: folder, resume: go } = options
  const state = { folder, go, key: keyOf(client, paths, options) }
  const resume = await openResume(state, progress.note)
  const warn = openWarnings(progress.note)
  const shown = { terminal, progress, resume, warn }
  const run = openRun(client, options, shown)
  try {
    const types = await mappedTypes(client, bulkOptions(options, shown))
    const mapping = { ...options.mapping, types }
    for (const file of files) await run.take(file, mapping)
    await run.settle()
    await resume.remove()
  } catch (error) {
    await run.abandon()
    const isKept = await resume.save()
    const next = isKept ? `The same command with --resume goes on from ${resume.path}.` : undefined
    if (terminal.signal.aborted)
      throw commandError(`Stopped. ${next ?? 'The same command begins anew.'}`)
    // What ends a load, such as a full disk, may be over soon.
    if (next !== undefined) progress.note(`What came before was loaded. ${next}`)
    throw error
  } finally {
    progress.stop()
  }
  tellUnmet(terminal, options.mapping)
  return printReport(terminal, { files: files.length, ...run.totals() })
}

type Warn = ReturnType<typeof openWarnings>
type Shown = { terminal: Terminal; progress: Progress; resume: Resume; warn: Warn }

/** One load under way: reads files, fills batches and counts what becomes of them. */
function openRun(client: Client, options: LoadOptions, shown: Shown) {
  const { progress, resume, warn } = shown
  const started = performance.now()
  const { totals, store } = openTally()
  let bytes = 0
  let taken = 0
  let batch: FoundDocument[] = []
  let batchBytes = 0
  let marks: Mark[] = []

  const show = () => {
    const { accepted, deleted, absent, refused, skipped } = totals
    const settled = accepted + deleted + absent + refused + skipped
    // reading runs ahead of the server: a byte counts once its documents are settled
    progress.update(taken === 0 ? bytes : (bytes * settled) / taken, settled)
  }
  const refuse = (place: Unreadable) => {
    totals.refused += 1
    if (isTextless(place)) totals.textless += 1
    progress.note(refusal(place))
  }
  const sender = openSender(client, bulkOptions(options, shown), {
    onOutcome: ({ accepted, deleted, absent, refused, warned }) => {
      store(accepted)
      totals.deleted += deleted
      totals.absent += absent
      refused.forEach(refuse)
      warn(warned)
      show()
    },
    onMarks: async (reached) => {
      for (const { file, records } of reached) await resume.advance(file, records)
    },
  })
  const flush = async (file?: SourceFile, records = 0) => {
    const sent = batch
    const reached = file === undefined ? marks : [...marks, { file, records }]
    batch = []
    batchBytes = 0
    marks = []
    await sender.send(sent, reached)
  }
  const add = async (found: FoundDocument, file: SourceFile, records: number) => {
    const length = lineOf(found).length
    if (batch.length > 0 && batchBytes + length > BATCH_BYTES_MAX) await flush(file, records - 1)
    if (mayMove(found)) totals.placed += 1
    batch.push(found)
    batchBytes += length
    if (batch.length >= options.batch) await flush(file, records)
  }
  return {
    take: async (file: SourceFile, mapping: Mapping) => {
      const onBytes = (read: number) => {
        bytes += read
      }
      const done = resume.done(file)
      let records = 0
      for await (const found of readDocuments(file, { ...options, mapping, onBytes })) {
        shown.terminal.signal.throwIfAborted()
        records += 1
        taken += 1
        if (records <= done) totals.skipped += 1
        else if ('reason' in found) refuse(found)
        else await add(found, file, records)
        show()
      }
      marks.push({ file, records })
    },
    settle: async () => {
      await flush()
      await sender.drain()
    },
    abandon: sender.abandon,
    totals: () => ({ ...totals, tookS: (performance.now() - started) / 1000 }),
  }
}

function bulkOptions(options: LoadOptions, { terminal, progress }: Shown) {
  const { index, giveUpMs, concurrency } = options
  let noted = Number.NEGATIVE_INFINITY
  return {
    concurrency,
    signal: terminal.signal,
    ...(index !== undefined && { index }),
    ...(giveUpMs !== undefined && { giveUpMs }),
    onWait: (ms: number, why: string) => {
      if (performance.now() - noted < WAIT_NOTE_EVERY_MS) return
      noted = performance.now()
      progress.note(`waiting ${duration(ms / 1000)} for the server (${printable(why)})`)
    },
  }
}

/** What makes two runs the same load: files may have come or changed, paths be spelled differently. */
function keyOf(client: Client, paths: readonly string[], options: LoadOptions): string {
  const { index, mapping, keepStrings } = options
  const names = paths.map((path) => resolve(options.folder, path))
  const rename = [...mapping.rename]
  const html = [...(mapping.html ?? [])]
  return JSON.stringify([client.url, index, mapping.idField, rename, keepStrings, names, ...html])
}
