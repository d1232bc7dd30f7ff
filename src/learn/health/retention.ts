import { setTimeout as rest } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { firstIdOf } from '../../ids.ts'
import type { Store } from '../../store/store.ts'
import { openBatchSize } from '../batch-size.ts'
import { asLogEntry } from '../entries.ts'
import type { Log } from '../loop/log.ts'
import { openRound, type Sweep } from '../round.ts'
import { DAY_MS } from '../wire/duration.ts'

export interface RetentionOptions {
  store: Store
  log: Log
  config: Pick<Config, 'retentionMs' | 'impressionsMax' | 'journalBytesMax'>
  /** Number of the last journal entry that learning won't read again, also after a crash. */
  kept: () => number
  /** What the parts of learning remove themselves, by what it is. */
  sweeps: Readonly<Record<string, Sweep>>
  onFailure: (err: unknown, part: string) => void
  onEnd: (part: string) => void
  onRemoved: (part: string, rows: number) => void
}

/** Rows of one table that go in one transaction. */
const SLICE_ROWS = 1000
/** Entries that are looked through for what learning still needs: some hundred come between two times that it is saved. */
const HELD_ENTRIES_MAX = 1000
const ANY_AGE = { beforeMs: Number.POSITIVE_INFINITY, nowMs: Number.POSITIVE_INFINITY }
/** Slices of one table in one round, so that no round takes long; more where people do more than was reckoned with. */
const SLICES = { first: 10, most: 320 }
/** What others have the main thread for between two of them. */
const REST_MS = 4

/**
 * Everything that has an end: one round removes some of what is due of each kind, and leaves the rest to the next. One
 * that fails keeps none behind it from its turn.
 */
export function openRetention(options: RetentionOptions): (nowMs: number) => Promise<void> {
  const sweeps: Record<string, Sweep> = {
    ...options.sweeps,
    journal: (nowMs) => sweepJournal(options, nowMs),
    impressions: (nowMs) => sweepImpressions(options, nowMs),
  }
  const parts = Object.entries(sweeps).map(([name, sweep]) => {
    const onRemoved = (rows: number) => options.onRemoved(name, rows)
    return [name, inSlices(sweep, onRemoved)] as const
  })
  return openRound(Object.fromEntries(parts), options.onFailure, options.onEnd)
}

function inSlices(
  sweep: Sweep,
  onRemoved: (rows: number) => void,
): (nowMs: number) => Promise<void> {
  const slices = openBatchSize(SLICES)
  return async (nowMs) => {
    for (let slice = 0; slice < slices.now(); slice += 1) {
      const rows = await sweep(nowMs)
      if (rows === 0) return slices.end(false)
      onRemoved(rows)
      await rest(REST_MS)
    }
    slices.end(true)
  }
}

/** What learning has yet to take, or would read again after a crash, stays, whatever its age. */
function sweepJournal(options: RetentionOptions, nowMs: number): Promise<number> {
  const { log, config, kept } = options
  const spare = spareEntries(options)
  const age =
    spare > 0 ? { ...ANY_AGE, rowsMax: spare } : { beforeMs: nowMs - config.retentionMs, nowMs }
  return log.journal.sweep({ ...age, until: kept() }, log.cutWithin)
}

/** How many entries of the mean size there are too many. */
function spareEntries({ store, config }: RetentionOptions): number {
  const { journal } = store.tables
  const bytes = journal.bytes()
  return Math.ceil(journal.count() * Math.max(0, 1 - config.journalBytesMax / bytes))
}

async function sweepImpressions(options: RetentionOptions, nowMs: number): Promise<number> {
  const { store, log, config } = options
  const { impressions } = store.tables
  const spare = impressions.count() - config.impressionsMax
  // What was shown while the clock was ahead sorts as the newest, and what is shown now would make room for it.
  const [ahead] = spare > 0 ? impressions.keys({ start: firstIdOf(nowMs + DAY_MS), limit: 1 }) : []
  const range =
    spare > 0
      ? { ...(ahead !== undefined && { start: ahead }), limit: Math.min(spare, SLICE_ROWS) }
      : { end: firstIdOf(nowMs - config.retentionMs), limit: SLICE_ROWS }
  const due = [...impressions.keys(range)]
  if (due.length === 0) return 0
  const held = await heldBy(options)
  const old = due.filter((queryId) => !held.has(queryId))
  if (old.length === 0) return 0
  return store.release(() => {
    if (!log.cutWithin()) return 0
    log.removeWithin(old)
    return old.length
  })
}

/** Searches that learning would look up again after a crash: the entries that name them are not behind it for good. */
async function heldBy({ log, kept }: RetentionOptions): Promise<ReadonlySet<string>> {
  const held = new Set<string>()
  let looked = 0
  for await (const { entry } of log.journal.stroll(kept())) {
    if (looked++ === HELD_ENTRIES_MAX) break
    const { type, data } = asLogEntry(entry)
    if (type === 'searches') for (const queryId of data) held.add(queryId)
    else if (type === 'feedback') for (const { queryId } of data.entries) held.add(queryId)
  }
  return held
}
