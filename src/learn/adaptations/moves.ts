import type { AdaptationRecord } from '../../schema/adaptation-record.ts'
import type { AdaptationStatus } from '../../schema/statuses.ts'
import type { Store } from '../../store/store.ts'
import type { Events } from '../history/events.ts'
import { MACHINES, move } from '../states.ts'
import type { CountedRows } from './counted-rows.ts'

/**
 * Moves records from status to status, and tells the history of learning of it: by calls of their own, since not every
 * move is an event. Inside a transaction.
 */
export interface Moves {
  /** Stores the record in its new status. Throws INVALID_TRANSITION. */
  to: (
    record: AdaptationRecord,
    status: AdaptationStatus,
    reason: string,
    more?: Partial<AdaptationRecord>,
  ) => AdaptationRecord
  /** Without a move, and no event. */
  keep: (record: AdaptationRecord) => void
  /** `told`: what more a client sent, as JSON. */
  report: (
    record: AdaptationRecord,
    type: string,
    data: Record<string, unknown>,
    told?: Record<string, string>,
  ) => void
}

/** Moves that a record tells; the oldest go first. */
const HISTORY_MAX = 50
const URGENT = new Set(['ADAPTATION_ROLLED_BACK', 'ADAPTATION_FAILED'])

export function openMoves(
  store: Store,
  rows: CountedRows<AdaptationRecord>,
  events: Events,
  clock: () => number,
): Moves {
  return {
    to: (record, status, reason, more = {}) => {
      move('adaptation', record.status, status)
      const timeMs = clock()
      const history = [...record.history, { timeMs, status, reason }].slice(-HISTORY_MAX)
      const next = { ...record, ...more, status, updatedMs: timeMs, history }
      rows.putWithin(record.adaptationId, next)
      keepOpenWithin(store, next)
      return next
    },
    keep: (record) => rows.putWithin(record.adaptationId, record),
    report: (record, type, data, told = {}) => {
      const { adaptationId, status, scope, version } = record
      events.recordWithin({
        type,
        status,
        source: 'adaptations',
        adaptationId,
        priority: URGENT.has(type) ? 'HIGH' : 'NORMAL',
        data: { adaptationType: record.type, scope, version, ...data },
        told,
      })
    },
  }
}

/** Whether a change is in force, or may come into force by itself. */
function isOpen(status: AdaptationStatus): boolean {
  return status !== 'SUPERSEDED' && MACHINES.adaptation[status].length > 0
}

/** Keeps the scope's list of open changes, so that nobody has to look through all of them. */
function keepOpenWithin(
  { tables }: Store,
  { scope, adaptationId, status }: AdaptationRecord,
): void {
  const { head, open } = tables.rankingScopes.get(scope) ?? { head: 0, open: [] }
  const stays = isOpen(status)
  const others = open.filter((id) => stays || id !== adaptationId)
  const all = stays && !open.includes(adaptationId) ? [...others, adaptationId] : others
  if (head === 0 && all.length === 0) tables.rankingScopes.remove(scope)
  else tables.rankingScopes.put(scope, { head, open: all })
}
