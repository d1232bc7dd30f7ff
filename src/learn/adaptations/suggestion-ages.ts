import { openBreath } from '../../breath.ts'
import type { SuggestionRecord } from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'
import { isFoldedAnew } from '../loop/fold.ts'
import { inPortions } from '../portions.ts'
import { DAY_MS } from '../wire/duration.ts'
import type { Derived } from './derive.ts'
import { EXPIRED, type SuggestionSteps } from './suggestion-steps.ts'

/** What time does to suggestions. */
export interface SuggestionAges {
  /** A new one is on the disk. */
  note: (suggestionId: string) => void
  /** Judges what waited for evidence, expires what is 7 days old, removes what is past its time. */
  tick: (nowMs: number) => Promise<void>
}

interface AgesParts {
  store: Store
  config: { retentionMs: number }
  steps: SuggestionSteps
  derive: (record: SuggestionRecord) => Derived
}

const EXPIRY_MS = 7 * DAY_MS
/** Suggestions that are kept; the oldest go first. */
const SUGGESTIONS_MAX = 10_000
/** Time that a look through those that are due may hold the main thread: thousands may wait for evidence. */
const STRETCH_MS = 2

export function openSuggestionAges({ store, config, steps, derive }: AgesParts): SuggestionAges {
  const { suggestions } = store.tables
  /**
   * When each is to be read next: nothing is to be done with it before. Whatever else happens to it makes that later;
   * it goes only when it is read and gone, so that a transaction that fails loses none.
   */
  const due = new Map(Array.from(suggestions.keys(), (id) => [id, 0]))

  function nextMs(record: SuggestionRecord, nowMs: number): number {
    const { createdMs, updatedMs } = record
    if (!isOpen(record)) return updatedMs + config.retentionMs
    // Others may end it at any time from now on, and it is kept so long from then on.
    return waits(record) ? nowMs : Math.min(createdMs + EXPIRY_MS, nowMs + config.retentionMs)
  }
  async function* dueNow(nowMs: number): AsyncGenerator<SuggestionRecord> {
    const breathe = openBreath(STRETCH_MS)
    for (const [suggestionId, dueMs] of due) {
      if (dueMs > nowMs) continue
      const record = suggestions.get(suggestionId)
      if (record === undefined) due.delete(suggestionId)
      else {
        due.set(suggestionId, nextMs(record, nowMs))
        yield record
      }
      const pause = breathe()
      if (pause === undefined) continue
      await pause
      // Meanwhile: what the others are judged by may be counted anew by now, and is only a part. They stay due.
      if (isFoldedAnew(store)) return
    }
  }
  async function look(nowMs: number): Promise<Aged> {
    const excess = suggestions.count() - SUGGESTIONS_MAX
    const first = excess > 0 ? suggestions.range({ limit: excess }) : []
    const old = new Map(Array.from(first, ({ key, value }) => [key, value]))
    const aged: Aged = { old: [], expired: [], judged: [] }
    for await (const record of dueNow(nowMs)) {
      if (old.has(record.suggestionId)) continue
      if (hasExpired(record, nowMs)) aged.expired.push(record)
      else if (!isOpen(record)) {
        if (nowMs - record.updatedMs > config.retentionMs) old.set(record.suggestionId, record)
      } else if (waits(record)) {
        const derived = derive(record)
        if (derived.changes !== undefined) aged.judged.push({ record, derived })
      }
    }
    return { ...aged, old: [...old.values()] }
  }
  return {
    note: (suggestionId) => void due.set(suggestionId, 0),
    tick: async (nowMs) => {
      const { old, expired, judged } = await look(nowMs)
      const stepsOf = [
        ...old.map((record) => () => steps.remove(record)),
        ...expired.map((record) => () => ifStill(store, record, steps.expire)),
        ...judged.map(({ record, derived }) => () => {
          ifStill(store, record, (now) => steps.decide(now, derived))
        }),
      ]
      await inPortions(stepsOf, (portion) =>
        store.write(() => {
          for (const step of portion) step()
        }),
      )
    },
  }
}

/** Whether nobody applied it in time, whether or not a round has noted that. */
export function hasExpired(record: SuggestionRecord, nowMs: number): boolean {
  return isOpen(record) && nowMs - record.createdMs > EXPIRY_MS
}

/** What it is by now, whether or not a round has noted that. */
export function asOf(nowMs: number, record: SuggestionRecord): SuggestionRecord {
  return hasExpired(record, nowMs)
    ? { ...record, status: 'EXPIRED', reason: EXPIRED, updatedMs: record.createdMs + EXPIRY_MS }
    : record
}

interface Aged {
  old: readonly SuggestionRecord[]
  expired: SuggestionRecord[]
  judged: { record: SuggestionRecord; derived: Derived }[]
}

/** Read before the transaction: what somebody applied meanwhile has moved on, and must not be taken back. */
function ifStill(
  { tables: { suggestions } }: Store,
  { suggestionId, status }: SuggestionRecord,
  step: (now: SuggestionRecord) => unknown,
): void {
  const now = suggestions.get(suggestionId)
  if (now?.status === status) step(now)
}

function isOpen({ status }: SuggestionRecord): boolean {
  return status === 'PENDING' || status === 'ACCEPTED'
}

/** A client's suggestion that nothing was there to judge by. */
function waits({ status, source }: SuggestionRecord): boolean {
  return status === 'PENDING' && source === 'client'
}
