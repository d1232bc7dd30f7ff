import type { AdaptationRecord } from '../../schema/adaptation-record.ts'
import type { Store } from '../../store/store.ts'
import type { Sweep } from '../round.ts'
import { mayMove } from '../states.ts'
import type { CountedRows } from './counted-rows.ts'
import type { RankingVersions } from './versions.ts'
import type { Watch } from './watch.ts'

interface SweepParts {
  store: Store
  rows: CountedRows<AdaptationRecord>
  watch: Pick<Watch, 'dropWithin'>
  versions: Pick<RankingVersions, 'sweepWithin'>
  config: { retentionMs: number }
}

const SWEEP_ROWS = 1000
/** Adaptations that are kept, in force or not; the oldest finished ones go first. */
const ADAPTATIONS_MAX = 2000

/** Removes changes that are past retention or too many, and what was counted of those that are finished. */
export function openAdaptationSweep(parts: SweepParts): Sweep {
  const { store, watch, versions, config } = parts
  return async (nowMs) => {
    const done = finished(store)
    const excess = store.tables.adaptations.count() - ADAPTATIONS_MAX
    const oldestMs = nowMs - config.retentionMs
    const old = done.filter(({ updatedMs }, at) => at < excess || updatedMs < oldestMs)
    return store.release(() => {
      let removed = 0
      for (const { adaptationId } of done) removed += watch.dropWithin(adaptationId, SWEEP_ROWS)
      for (const record of old) removeRecordWithin(parts, record)
      return removed + old.length + versions.sweepWithin(oldestMs)
    })
  }
}

/** Changes that can't come into force any more by a rollback of what is in force now; oldest first. */
function finished({ tables }: Store): Glimpse[] {
  const records = Array.from(tables.adaptations.range(), ({ value }): Glimpse => {
    const { adaptationId, status, supersedes, updatedMs } = value
    return { adaptationId, status, supersedes, updatedMs }
  })
  const open = records.filter(({ status }) => mayMove('adaptation', status, 'ROLLED_BACK'))
  const kept = new Set(open.flatMap((record) => [record.adaptationId, ...record.supersedes]))
  return records.filter(({ adaptationId }) => !kept.has(adaptationId))
}

/** What is sent with one may be long: not all that are kept are in memory at once. */
type Glimpse = Pick<AdaptationRecord, 'adaptationId' | 'status' | 'supersedes' | 'updatedMs'>

function removeRecordWithin({ store, rows }: SweepParts, { adaptationId }: Glimpse): void {
  rows.removeWithin(adaptationId)
  store.tables.adaptationFigures.remove([adaptationId, 0])
}
