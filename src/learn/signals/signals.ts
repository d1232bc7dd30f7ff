import { newId } from '../../ids.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { NoteDone } from '../../schema/answer.ts'
import { PAGE_ROWS } from '../../schema/page-rows.ts'
import {
  type SignalCounts,
  SignalMetadata,
  type SignalQuery,
  type SignalReceipt,
  type SignalRecord,
  SignalStep,
} from '../../schema/signal.ts'
import { SIGNAL_STATUSES } from '../../schema/statuses.ts'
import type { Store } from '../../store/store.ts'
import type { Consumer } from '../facts.ts'
import type { Events } from '../history/events.ts'
import type { Log } from '../loop/log.ts'
import type { Sweep } from '../round.ts'
import { bodyOf, unreadFields } from '../wire/unread-fields.ts'
import { type DeadSignals, openDeadSignals } from './dead-signals.ts'
import { type JournalCounts, openJournalCounts, type SignalIntake } from './signal-counts.ts'
import { listSignals } from './signal-list.ts'
import { takeStep } from './signal-records.ts'
import { type JournalSignal, type JournalSignals, openJournalSignals } from './signal-sources.ts'
import { openToldCounts, type ToldCounts } from './told-counts.ts'

/**
 * Signals: each search, entry of feedback, event with figures of performance and event of a model is one, PENDING
 * until learning has taken it; others may tell of more, and of the steps in which they are processed.
 */
export interface Signals {
  /**
   * Records a step; a signal that is not known is created. The same step of a signal that has a name may be taken twice,
   * so only one without is noted. Throws VALIDATION_FAILED, INVALID_TRANSITION.
   */
  record: (
    step: Omit<SignalStep, 'signalId'> & { signalId?: string },
    noteDone?: NoteDone,
  ) => Promise<SignalReceipt>
  /** A SignalList in UTF-8 JSON. Throws VALIDATION_FAILED, INVALID_CURSOR. */
  list: (query: SignalQuery) => Promise<Uint8Array>
  counts: () => SignalCounts
  /** Counts what was taken; a fold that is never done anew. */
  consumer: Consumer
  /** What learning could not take; the processor asks and tells it. */
  dead: DeadSignals
  /** Removes signals that were created long ago, or are too many. */
  sweep: Sweep
}

export interface SignalParts {
  store: Store
  log: Log
  events: Pick<Events, 'recordWithin'>
  config: { retentionMs: number }
  clock: () => number
  /** Sequence of the last journal entry that was taken. */
  position: () => number
  intakes: readonly SignalIntake[]
  metrics: Pick<Metrics, 'collect'>
}

/** Signals that others told of; the oldest go first. */
const SIGNALS_MAX = 1_000_000
const SWEEP_ROWS = 1000
/** An id that is not read would be another signal each time. */
const BODY = bodyOf('a signal', SignalStep, {
  id: 'signalId',
  signal: 'signalId',
  signalType: 'type',
  state: 'status',
  ...Object.fromEntries(
    Object.keys(SignalMetadata.properties).map((name) => [name, `metadata.${name}`]),
  ),
})

interface State extends SignalParts {
  dead: DeadSignals
  journal: JournalSignals
  inJournal: JournalCounts
  inTold: ToldCounts
}

export function openSignals(parts: SignalParts): Signals {
  const { store, log } = parts
  const journal = openJournalSignals(log, store)
  const inJournal = openJournalCounts({ ...parts, journal })
  const dead = openDeadSignals(parts)
  const inTold = openToldCounts(store, parts.position)
  const state: State = { ...parts, dead, journal, inJournal, inTold }
  const sources = { store, journal, stateOf: (signal: JournalSignal) => stateOf(state, signal) }
  collect(parts.metrics, () => countAll(state))
  return {
    record: async (sent, noteDone) => {
      const { signalId, ...step } = sent
      // Before the transaction, in which nobody else has a turn. One that was told of needs no look into the journal.
      const isUntold = signalId !== undefined && !store.tables.signals.has(signalId)
      const own = isUntold ? await journal.find(signalId) : undefined
      const taken = await store.write(() => {
        if (signalId === undefined) noteDone?.()
        return recordWithin(state, { sentId: signalId ?? newId(), own }, step)
      })
      const warnings = unreadFields(sent, BODY)
      return warnings.length > 0 ? { ...taken, warnings } : taken
    },
    list: async (query) => {
      // Searches that only wait to be written are counted, and so they are listed.
      await log.flush()
      const { matched, page, ...rest } = await listSignals(sources, query)
      const counts = countAll(state)
      const all = SIGNAL_STATUSES.reduce((sum, status) => sum + counts[status], 0)
      const { total, complete } = matched ?? { total: all, complete: true }
      return page.json('signals', {
        ...rest,
        counts,
        total,
        complete,
        limit: query.limit ?? PAGE_ROWS,
      })
    },
    counts: () => countAll(state),
    consumer: inJournal.consumer,
    dead,
    sweep: async (nowMs) => (await sweep(state, nowMs)) + (await dead.sweep(nowMs)),
  }
}

function stateOf({ dead, position }: State, { signalId, sequence }: JournalSignal) {
  const { status, attemptCount = 0 } = dead.of(signalId) ?? {}
  if (status === 'FAILED') return { status, attemptCount } as const
  if (sequence > position()) return { status: 'PENDING', attemptCount } as const
  return { status: 'COMPLETED', attemptCount: attemptCount + 1 } as const
}

interface Sent {
  sentId: string
  /** The one in the journal that has this id. */
  own: JournalSignal | undefined
}

/** Inside a transaction. */
function recordWithin(state: State, sent: Sent, step: Omit<SignalStep, 'signalId'>): SignalReceipt {
  const { signals, signalOrder } = state.store.tables
  const { signalId, known, told } = find(state, sent)
  const next = takeStep(known, step, state.clock())
  if (next !== known) {
    signals.put(signalId, next)
    if (told === undefined) signalOrder.put([next.createdMs, signalId], true)
    if (told?.status !== next.status) state.inTold.replaceWithin(told, next)
    if (known?.status !== next.status) tellWithin(state.events, signalId, next)
  }
  return receipt(signalId, known, next)
}

interface Known {
  /** In the service's own spelling, if it is one of its own. */
  signalId: string
  /** As others told of it, or as it stands in the journal. */
  known?: SignalRecord
  /** The same if others told of it before. */
  told?: SignalRecord
}

/** What is known of a signal: told of before, or standing in the journal. */
function find(state: State, { sentId, own }: Sent): Known {
  const told = findTold(state, sentId)
  if (told !== undefined) return told
  if (own === undefined) return { signalId: sentId }
  const { signalId, type, timeMs, sequence } = own
  const times = { createdMs: timeMs, updatedMs: timeMs }
  const place = { sequence, isCountedOnce: true } as const
  const known = { type, ...stateOf(state, own), ...times, ...place, metadata: {} }
  return findTold(state, signalId) ?? { signalId, known }
}

function findTold({ store }: State, signalId: string): Known | undefined {
  const told = store.tables.signals.get(signalId)
  return told === undefined ? undefined : { signalId, known: told, told }
}

function countAll({ store, inJournal, inTold, dead }: State): SignalCounts {
  const counts = inTold.all()
  // Given up, and told of since: the journal never counts it as completed.
  const isToldOf = (id: string) => store.tables.signals.get(id)?.isCountedOnce === true
  const toldOf = dead.ids().filter(isToldOf).length
  return {
    ...counts,
    PENDING: Math.max(0, counts.PENDING + inJournal.pending()),
    COMPLETED: Math.max(0, counts.COMPLETED + inJournal.completed() + toldOf),
    FAILED: counts.FAILED + dead.ids().length - toldOf,
  }
}

async function sweep({ store, config, inTold }: State, nowMs: number): Promise<number> {
  const { signals, signalOrder } = store.tables
  const spare = signalOrder.count() - SIGNALS_MAX
  const range =
    spare > 0
      ? { limit: Math.min(spare, SWEEP_ROWS) }
      : { end: [nowMs - config.retentionMs, ''] as [number, string], limit: SWEEP_ROWS }
  const due = [...signalOrder.keys(range)]
  if (due.length === 0) return 0
  await store.release(() => {
    for (const key of due) {
      const told = signals.get(key[1])
      signals.remove(key[1])
      signalOrder.remove(key)
      if (told !== undefined) inTold.replaceWithin(told, undefined)
    }
  })
  return due.length
}

function collect(metrics: Pick<Metrics, 'collect'>, counts: () => SignalCounts): void {
  for (const status of SIGNAL_STATUSES)
    metrics.collect(`svc_signals_${status.toLowerCase()}`, `Signals that are ${status}`, [], () => [
      { value: counts()[status] },
    ])
}

function receipt(
  signalId: string,
  known: SignalRecord | undefined,
  { type, status, attemptCount, updatedMs }: SignalRecord,
): SignalReceipt {
  const updatedAt = new Date(updatedMs).toISOString()
  const previousStatus = known?.status ?? null
  return { signalId, type, status, previousStatus, attemptCount, updatedAt }
}

function tellWithin(
  events: Pick<Events, 'recordWithin'>,
  signalId: string,
  { type, status, attemptCount }: SignalRecord,
): void {
  events.recordWithin({
    type: `SIGNAL_${status}`,
    status,
    source: 'signals',
    correlationId: signalId,
    data: { type, attemptCount },
  })
}
