import type { LearningEvent } from '../../schema/event.ts'
import type { Store } from '../../store/store.ts'

/** Tells whoever reads the log of the few events that they would want to hear of without asking for the history. */
export interface LoggedEvents {
  /** Inside the transaction that stores an event. */
  noteWithin: (event: LearningEvent, sequence: number) => void
  /** Logs what was stored since. */
  tick: () => void
}

export interface EventsLogger {
  warn: (fields: object, message: string) => void
  info: (fields: object, message: string) => void
}

interface Noted {
  sequence: number
  id: string
  notedMs: number
}

/** What ranks for everybody from now on, or was kept from it; what is HIGH is told anyway. */
const TOLD = new Set(['MODEL_ACTIVATED', 'MODEL_REJECTED'])
/** A training that made nothing: `have` of the pages that it `needed`. */
const LACKED = 'NOT_ENOUGH_DATA'
/** Events between two ticks that get lines of their own. */
const LINES_MAX = 20
/** How long a transaction may take: what is not stored by then never will be. */
const COMMIT_MS_MAX = 60_000

export function openLoggedEvents(
  { tables }: Pick<Store, 'tables'>,
  logger: EventsLogger,
): LoggedEvents {
  let waiting: Noted[] = []
  let left = 0

  /** Whether it was logged. */
  function tell({ sequence, id }: Noted): boolean {
    const stored = tables.events.get(sequence)
    if (stored?.id !== id) return false
    const { type, status, priority, modelId, adaptationId, source, correlationId } = stored
    const { version, needed, have } = stored.data as Record<string, unknown>
    const grave = priority === 'HIGH' || priority === 'CRITICAL'
    const about = {
      ...{ event: id, status, modelId, adaptationId },
      ...(source === 'experiments' && { experimentId: correlationId }),
      ...(typeof version === 'number' && { version }),
      ...(status === LACKED && { needed, have }),
    }
    logger[grave ? 'warn' : 'info'](about, `learning: ${type.toLowerCase().replaceAll('_', ' ')}`)
    return true
  }
  return {
    noteWithin: ({ id, type, status, priority }, sequence) => {
      const isTold = TOLD.has(type) || status === LACKED
      if (priority !== 'HIGH' && priority !== 'CRITICAL' && !isTold) return
      // What had its number was not stored after all.
      waiting = waiting.filter((noted) => noted.sequence !== sequence)
      if (waiting.length < LINES_MAX) waiting.push({ sequence, id, notedMs: performance.now() })
      else left += 1
    },
    tick: () => {
      const sinceMs = performance.now() - COMMIT_MS_MAX
      waiting = waiting.filter((noted) => !tell(noted) && noted.notedMs > sinceMs)
      if (left > 0)
        logger.warn({ events: left }, 'learning: more such events at once; the history has them')
      left = 0
    },
  }
}
