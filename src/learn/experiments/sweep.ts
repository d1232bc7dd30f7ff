import { firstIdOf } from '../../ids.ts'
import type { ExperimentRecord } from '../../schema/experiment-record.ts'
import type { Store } from '../../store/store.ts'
import type { Sweep } from '../round.ts'
import type { Ledger } from './ledger.ts'
import { EXPERIMENTS_MAX, type Register } from './register.ts'
import type { Reported } from './reported.ts'
import { CHARACTERS_KEPT } from './size-limit.ts'
import { hasEnded } from './transitions.ts'

interface SweepParts {
  store: Store
  config: { retentionMs: number }
  register: Register
  ledger: Ledger
  reported: Reported
}

/** Rows removed in one transaction. */
const SLICE_ROWS = 500
/** Experiments that one transaction takes a unit out of. */
const FORGET_RECORDS = 200

/** Forgetting: a unit by its name, and what ended long ago. */
export interface ExperimentSweep {
  /** Takes a unit out of all evidence; returns in how many experiments it was. */
  forget: (unit: string) => Promise<number>
  /** Removes rows of what ended long ago. */
  sweep: Sweep
}

export function openSweep(parts: SweepParts): ExperimentSweep {
  const { store, register, ledger } = parts
  // Experiments whose units are all gone; a restart looks through them once more. What the register drops goes from here, too.
  const cleared = new WeakSet<ExperimentRecord>()
  return {
    forget: async (unit) => {
      const records = [...register.all()]
      let count = 0
      try {
        for (let from = 0; from < records.length; from += FORGET_RECORDS)
          count += await store.release(() =>
            forgetWithin(parts, records.slice(from, from + FORGET_RECORDS), unit),
          )
      } catch (cause) {
        ledger.drop()
        throw cause
      }
      return count
    },
    sweep: async (nowMs) => {
      const beforeMs = nowMs - parts.config.retentionMs
      for (const record of register.all())
        if (!cleared.has(record) && (record.endedMs ?? Infinity) < beforeMs) {
          const removed = await clearUnits(parts, record)
          if (removed > 0) return removed
          cleared.add(record)
        }
      return (await clearOutcomes(store, beforeMs)) + (await removeOldest(parts))
    },
  }
}

function forgetWithin({ ledger, reported }: SweepParts, records: ExperimentRecord[], unit: string) {
  let count = 0
  for (const record of records) {
    const searched = ledger.removeUnitWithin(record, unit)
    const isReported = reported.removeUnitWithin(record.id, unit)
    if (searched || isReported) count += 1
  }
  return count
}

/** The sums stay, so that its figures can still be read. */
function clearUnits(
  { store, ledger, reported }: Pick<SweepParts, 'store' | 'ledger' | 'reported'>,
  { id }: ExperimentRecord,
) {
  return store.release(
    () => ledger.clearUnitsWithin(id, SLICE_ROWS) + reported.clearUnitsWithin(id, SLICE_ROWS),
  )
}

/** Query ids begin with their time: those before it go. */
function clearOutcomes({ tables, release }: Store, beforeMs: number): Promise<number> {
  const { experimentSearches } = tables
  const old = [...experimentSearches.keys({ end: firstIdOf(beforeMs), limit: SLICE_ROWS })]
  if (old.length === 0) return Promise.resolve(0)
  return release(() => {
    experimentSearches.removeAll(old)
    return old.length
  })
}

/** Room for new ones: the oldest that ended goes with all that it counted. */
async function removeOldest({ store, register, ledger, reported }: SweepParts): Promise<number> {
  const all = [...register.all()]
  if (all.length < EXPERIMENTS_MAX && register.characters() <= CHARACTERS_KEPT) return 0
  const [oldest] = all.filter(hasEnded).sort((a, b) => (a.endedMs ?? 0) - (b.endedMs ?? 0))
  if (oldest === undefined) return 0
  const units = await clearUnits({ store, ledger, reported }, oldest)
  if (units > 0) return units
  await store.release(() => {
    ledger.clearArmsWithin(oldest)
    reported.clearSumsWithin(oldest.id)
    register.removeWithin(oldest)
  })
  register.drop(oldest.id)
  return 1
}
