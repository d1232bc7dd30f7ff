import type { RootDatabase } from 'lmdb'
import { bytesOf, type Databases, statsOf } from './table.ts'

/** What the store occupies and who reads it, as the engine reports it. */
export interface SpaceFigures {
  /** Reader slots: in the middle of a read, and held ready for the next one. */
  connections: { active: number; idle: number }
  /** Bytes of the file in use, free pages included. */
  fileBytes: number
  /** Bytes of the pages that hold rows. */
  liveBytes: number
  mapBytes: number
  /** Transactions committed since the store was made. */
  transactions: number
}

export interface Space {
  /** False when live rows have reached the size that the store may have. */
  hasRoom(): boolean
  figures(): SpaceFigures
}

const MEASURE_MS = 1000
/** A write is taken for this large when it is decided how many may pass before measuring again. */
const WRITE_BYTES = 1 << 20

/**
 * Watches the size of the store. LMDB's own limit can't serve: this binding enlarges the map by itself.
 * Live pages count, not the file, so that deleting makes room at once. Near the limit every write is measured;
 * the last one may pass it by its own size.
 */
export function openSpace(root: RootDatabase, databases: Databases, bytesMax: number): Space {
  let passes = 0
  let measuredMs = 0

  function liveBytes(): number {
    return Object.values(databases).reduce((sum, database) => sum + bytesOf(database), 0)
  }
  return {
    hasRoom: () => {
      const now = performance.now()
      if (passes > 0 && now - measuredMs < MEASURE_MS) {
        passes -= 1
        return true
      }
      const room = bytesMax - liveBytes()
      measuredMs = now
      passes = Math.max(0, Math.floor(room / WRITE_BYTES))
      return room > 0
    },
    figures: () => {
      const { pageSize, lastPageNumber, mapSize, lastTxnId } = statsOf(root)
      return {
        connections: countReaders(root.readerList()),
        fileBytes: (lastPageNumber + 1) * pageSize,
        liveBytes: liveBytes(),
        mapBytes: mapSize,
        transactions: lastTxnId,
      }
    },
  }
}

/** Each line after the heading is "pid thread transaction"; a reader between two reads shows "-". */
function countReaders(list: string): { active: number; idle: number } {
  const slots = list
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns.length === 3 && /^\d+$/.test(columns[0] ?? ''))
  const idle = slots.filter((columns) => columns[2] === '-').length
  return { active: slots.length - idle, idle }
}
