import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readConfig } from '../../src/config.ts'
import type { FeedbackBatch, ModelNote } from '../../src/learn/entries.ts'
import { openLearners } from '../../src/learn/learners.ts'
import { openLoop } from '../../src/learn/loop/loop.ts'
import { openSessions } from '../../src/learn/sessions/sessions.ts'
import { openMetrics } from '../../src/metrics/metrics.ts'
import { native } from '../../src/native.ts'
import { recordsDirectory } from '../../src/store/records-file.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { FOLDED, FOLDED_META, isCountedForGood } from './folded.ts'
import type { Promises } from './promises.ts'

/** What a data folder holds, read without its server. `rows` of learned state were folded anew. */
export interface Audit {
  rows: number
  broken: string[]
}

const BYTES_MAX = 64 * 2 ** 30
/** Characters of a value that differs. */
const TOLD_MAX = 200

type Rows = Map<string, unknown>

/**
 * Reads a copy of a data folder whose server was killed: the journal must hold what was acknowledged, each entry once,
 * and the learned state must be the one that a fresh fold of the journal gives.
 */
export function auditJournal(promises: Promises, dataDir: string): Promise<Audit> {
  return withCopy(dataDir, (store, copy) => audit(promises, store, copy))
}

/**
 * Rows of learned state that are others than a fresh fold of the journal gives, in a data folder without its server from
 * whose log, which was whole, somebody was taken out.
 */
export function unlikeFreshFold(dataDir: string): Promise<string[]> {
  return withCopy(dataDir, async (store, copy) => {
    const { broken } = await foldAnew(store, copy)
    return broken.filter((row) => !isCountedForGood(row))
  })
}

async function withCopy<T>(
  dataDir: string,
  work: (store: Store, copy: string) => Promise<T>,
): Promise<T> {
  const copy = mkdtempSync(join(tmpdir(), 'attune-refold-'))
  const log = { warn: () => undefined, error: () => undefined }
  try {
    cpSync(recordsDirectory(dataDir), recordsDirectory(copy), { recursive: true })
    const store = openStore({ dataDir: copy, bytesMax: BYTES_MAX, log })
    try {
      return await work(store, copy)
    } finally {
      await store.close()
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function foldAnew(
  store: Store,
  dataDir: string,
): Promise<{ before: Rows; broken: string[] }> {
  await foldOn(store, dataDir)
  const before = readRows(store)
  await store.write(() => {
    for (const name of FOLDED) store.tables[name].clear()
    for (const name of foldedMeta(store)) store.tables.meta.remove(name)
  })
  await foldOn(store, dataDir)
  return { before, broken: difference(before, readRows(store)) }
}

async function audit(promises: Promises, store: Store, dataDir: string): Promise<Audit> {
  const unread = readJournal(promises, store)
  const { before, broken: unlike } = await foldAnew(store, dataDir)
  const broken = [...unread, ...unlike]
  // The control: rows and entries that are taken away must be missed.
  const [[taken] = ['']] = before
  const fewer = new Map([...before].slice(1))
  if (before.size > 0 && !difference(before, fewer)[0]?.includes(taken))
    broken.push('control: a row that was removed was not missed')
  const lost = [...store.tables.journal.range()].findLast(({ value }) => value.type === 'feedback')
  if (lost !== undefined) {
    await store.write(() => store.tables.journal.remove(lost.key))
    if (readJournal(promises, store).length === 0)
      broken.push('control: an entry that was removed from the journal was not missed')
  }
  return { rows: before.size, broken }
}

/** Each acknowledged request once, whole; unknown ones only where an answer was cut off. */
function readJournal({ sessions, eventIds }: Promises, store: Store): string[] {
  const broken: string[] = []
  const { journal, impressions, events } = store.tables
  const feedback = new Map<string, number>()
  const once = new Set<string>()
  const count = (name: string) => {
    if (once.has(name)) broken.push(`${name} is in the journal twice`)
    once.add(name)
  }
  for (const { value } of journal.range()) {
    if (value.type === 'searches')
      for (const queryId of value.data as string[]) {
        count(queryId)
        if (!impressions.has(queryId)) broken.push(`search ${queryId}: what it showed is missing`)
      }
    else if (value.type === 'analytics') count((value.data as { eventId: string }).eventId)
    else if (value.type === 'model') count((value.data as ModelNote).signalId)
    else if (value.type === 'feedback') {
      const { feedbackId, entries } = value.data as FeedbackBatch
      count(feedbackId)
      for (const { signalId } of entries) count(signalId)
      feedback.set(feedbackId, entries.length)
    }
  }
  for (const eventId of eventIds)
    if (!once.has(eventId)) broken.push(`event ${eventId} is not in the journal`)
  for (const { value } of events.range())
    if (value.source === 'models' && !once.has(value.id))
      broken.push(`${value.type} ${value.id} is not in the journal`)
  const all = [...sessions.values()]
  for (const [feedbackId, entries] of all.flatMap(({ told }) => [...told]))
    if (feedback.get(feedbackId) !== entries)
      broken.push(`feedback ${feedbackId}: ${feedback.get(feedbackId) ?? 0} of ${entries} entries`)
  const known = new Set(all.flatMap(({ told }) => [...told.keys()]))
  const unknown = [...feedback.keys()].filter((feedbackId) => !known.has(feedbackId)).length
  const cutOff = all.filter(({ pending }) => pending !== undefined && 'told' in pending).length
  if (unknown > cutOff) broken.push(`${unknown} feedback requests, of which ${cutOff} were sent`)
  const lines = [...events.range()].filter(({ value }) => value.type === 'FEEDBACK_RECEIVED')
  if (lines.length !== feedback.size)
    broken.push(`${lines.length} lines of history for ${feedback.size} feedback requests`)
  return broken
}

/** Lets the learning side take what the journal holds. */
async function foldOn(store: Store, dataDir: string): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir })
  const never = () => new Promise<never>(() => undefined)
  const lull = async () => undefined
  const sessions = openSessions({ store, config })
  const learners = openLearners(
    {
      ...{ store, config, sessions, clock: Date.now, metrics: openMetrics(config) },
      // Nothing that is folded needs another thread.
      pool: { search: never, run: never, lull, figures: () => [], close: async () => undefined },
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
      engine: {
        ...{
          featureNames: () => native.featureNames(),
          indexName: () => '',
          liveIndex: () => undefined,
        },
        ...{ run: never, opened: () => [], isSearched: () => true },
      },
    },
    () => loop.position(),
  )
  const { log, consumers, signals } = learners
  const failures: unknown[] = []
  const loop = openLoop({
    ...{ store, log, consumers, clock: Date.now, lull, dead: signals.dead },
    onLag: () => undefined,
    onFailure: (cause) => failures.push(cause),
    onEnd: () => undefined,
  })
  await loop.caughtUp()
  await loop.close()
  await sessions.close()
  if (failures.length > 0) throw failures[0]
}

function foldedMeta({ tables }: Pick<Store, 'tables'>): string[] {
  const isFolded = (name: string) => FOLDED_META.some((beginning) => name.startsWith(beginning))
  return [...tables.meta.keys()].filter(isFolded)
}

function readRows({ tables }: Pick<Store, 'tables'>): Rows {
  const rows: Rows = new Map()
  for (const name of FOLDED)
    for (const { key, value } of tables[name].range())
      rows.set(`${name} ${JSON.stringify(key)}`, value)
  for (const name of foldedMeta({ tables })) rows.set(`meta ${name}`, tables.meta.get(name))
  return rows
}

function difference(kept: Rows, fresh: Rows): string[] {
  const names = new Set([...kept.keys(), ...fresh.keys()])
  return [...names].flatMap((name) => unlike(name, kept.get(name), fresh.get(name)))
}

/** Of rows that have parts, those that differ: a row may be of a hundred thousand characters. */
function unlike(name: string, kept: unknown, fresh: unknown): string[] {
  if (isDeepStrictEqual(kept, fresh)) return []
  if (!isParted(kept) || !isParted(fresh))
    return [`${name}: ${told(kept)} was kept, a fresh fold gives ${told(fresh)}`]
  const parts = new Set([...Object.keys(kept), ...Object.keys(fresh)])
  return [...parts].flatMap((part) => unlike(`${name}, ${part}`, kept[part], fresh[part]))
}

function isParted(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

function told(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > TOLD_MAX ? `${text.slice(0, TOLD_MAX)}…` : text
}
