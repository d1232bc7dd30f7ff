import type { SignalRow } from '../../schema/signal.ts'
import type { Store } from '../../store/store.ts'
import { beginningOf } from '../../word.ts'
import type { Fact } from '../facts.ts'
import type { Events } from '../history/events.ts'
import type { Sweep } from '../round.ts'
import { isSignal } from './signal-sources.ts'
import { typeOfAction } from './signal-words.ts'

/** Facts that could not be learned: tried again a few times, then left out, so that the others go on. */
export interface DeadSignals {
  /** Whether a fact was given up; the processor leaves it out. */
  isDead: (fact: Fact) => boolean
  /** Counts an attempt that threw; the last one gives the fact up, with an event. */
  failed: (fact: Fact, cause: unknown) => Promise<void>
  of: (signalId: string) => Pick<SignalRow, 'status' | 'attemptCount'> | undefined
  /** Facts given up, by their names among the signals. */
  ids: () => string[]
  sweep: Sweep
}

const SIGNAL_ATTEMPTS_MAX = 5
const REASON_CHARACTERS_MAX = 256

interface DeadSignalParts {
  store: Store
  events: Pick<Events, 'recordWithin'>
  config: { retentionMs: number }
  clock: () => number
}

export function openDeadSignals(parts: DeadSignalParts): DeadSignals {
  const { store, events, clock } = parts
  const { retentionMs } = parts.config
  const { deadSignals } = store.tables
  const dead = new Set<string>()
  for (const { key, value } of deadSignals.range()) if (value.status === 'FAILED') dead.add(key)

  return {
    isDead: (fact) => dead.size > 0 && dead.has(signalIdOf(fact)),
    failed: async (fact, cause) => {
      const signalId = signalIdOf(fact)
      const type = typeOf(fact)
      const failureReason = String(cause instanceof Error ? cause.message : cause)
      const gaveUp = await store.write(() => {
        const attemptCount = (deadSignals.get(signalId)?.attemptCount ?? 0) + 1
        const status = attemptCount >= SIGNAL_ATTEMPTS_MAX ? 'FAILED' : 'PENDING'
        deadSignals.put(signalId, {
          type,
          status,
          attemptCount,
          failedMs: clock(),
          failureReason: beginningOf(failureReason, REASON_CHARACTERS_MAX),
        })
        if (status === 'FAILED')
          events.recordWithin({
            type: 'SIGNAL_FAILED',
            status,
            source: 'signals',
            priority: 'HIGH',
            correlationId: signalId,
            data: { type, attemptCount },
          })
        return status === 'FAILED'
      })
      if (gaveUp) dead.add(signalId)
    },
    of: (signalId) => deadSignals.get(signalId),
    ids: () => [...dead],
    sweep: async (nowMs) => {
      const beforeMs = nowMs - retentionMs
      const old = [...deadSignals.range()].filter(({ value }) => value.failedMs < beforeMs)
      if (old.length === 0) return 0
      await store.release(() => {
        deadSignals.removeAll(old.map(({ key }) => key))
      })
      for (const { key } of old) dead.delete(key)
      return old.length
    },
  }
}

/** The name of a fact among the signals; an event without figures is none of them, and goes by its place. */
function signalIdOf(fact: Fact): string {
  if (fact.kind === 'search') return fact.impression.queryId
  if (fact.kind === 'feedback') return fact.entry.signalId
  if (fact.kind === 'model') return fact.signalId
  return isSignal(fact) ? String(fact.data.eventId) : `journal/${fact.sequence}`
}

function typeOf(fact: Fact): string {
  if (fact.kind === 'search') return 'SEARCH'
  if (fact.kind === 'feedback') return typeOfAction(fact.entry.action)
  if (fact.kind === 'model') return 'MODEL_PERFORMANCE'
  return isSignal(fact) ? 'PERFORMANCE' : 'ANALYTICS'
}
