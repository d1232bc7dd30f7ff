import { DAY_MS } from '../wire/duration.ts'

/** Tells whoever reads the log what retention removes: once when the log is cut, and once a day how much of each kind. */
export interface Removals {
  /** So many rows of a kind went. */
  note: (part: string, rows: number) => void
  /** Logs what is due. */
  tick: () => void
}

interface RemovalsParts {
  /** Whether the log no longer goes back to its beginning. */
  isCut: () => boolean
  logger: { info: (fields: object, message: string) => void }
}

export function openRemovals({ isCut, logger }: RemovalsParts): Removals {
  let wasCut = isCut()
  let removed: Record<string, number> = {}
  let sinceMs: number | undefined
  return {
    note: (part, rows) => {
      removed[part] = (removed[part] ?? 0) + rows
      sinceMs ??= performance.now()
      if (wasCut || !isCut()) return
      wasCut = true
      logger.info(
        { part },
        'retention: the log was cut; who is forgotten from now on is taken out of what was learned, which is not learned anew',
      )
    },
    tick: () => {
      if (sinceMs === undefined || performance.now() - sinceMs < DAY_MS) return
      logger.info({ removed }, 'retention: rows that were removed within a day')
      removed = {}
      sinceMs = undefined
    },
  }
}
