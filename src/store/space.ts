import { statfsSync } from 'node:fs'
import type { RootDatabase } from 'lmdb'
import type { Databases } from './databases.ts'
import { fileBytesMax } from './process-limits.ts'
import { openRoomReport, type RoomLog } from './room-report.ts'
import { bytesOf, statsOf } from './table.ts'

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
  /** Bytes that may be written before writes are refused with DISK_FULL; 0 while they are. */
  roomBytes: number
}

export interface Space {
  /** False when live rows have reached the size that the store may have, or the disk is nearly full. */
  hasRoom(): boolean
  /** Whether the disk itself is nearly full. */
  diskIsFull(): boolean
  /** False when so little is left of the disk that not even removals may write. */
  mayRemove(): boolean
  figures(): SpaceFigures
}

const MEASURE_MS = 1000
/** A write is taken for this large when it is decided how many may pass before measuring again: lines of a bulk request are. */
const WRITE_BYTES = 16 << 20
/**
 * Left free on the disk, so that removals still find pages: this much, or a share of a small disk. The files of indices
 * may use half of it (native/src/engine/room.rs, which has the same numbers).
 */
const RESERVE_BYTES = 32 << 20
const RESERVE_SHARE = 0.05
/** Others may fill the disk beyond it; what of the reserve has to be free for a removal. */
const REMOVAL_SHARE = 0.25

/**
 * Watches the size of the store. LMDB's own limit can't serve: this binding enlarges the map by itself.
 * Live pages count, not the file, so that deleting makes room at once. Near the limit every write is measured;
 * the last one may pass it by its own size.
 *
 * The disk is watched too, because a write should fail before it reaches LMDB: on a write error of many bytes
 * lmdb 3.5.6 formats a message into 100 bytes that do not hold it, and the process may abort.
 */
export function openSpace(
  root: RootDatabase,
  databases: Databases,
  { directory, bytesMax, log }: { directory: string; bytesMax: number; log: RoomLog },
): Space {
  let passes = 0
  let measuredMs = 0
  const endBytes = fileBytesMax()

  function liveBytes(): number {
    return Object.values(databases).reduce((sum, database) => sum + bytesOf(database), 0)
  }
  function fileBytes(): number {
    const { lastPageNumber, pageSize } = statsOf(root)
    return (lastPageNumber + 1) * pageSize
  }
  function roomBytes(): number {
    const live = liveBytes()
    const reusable = Math.max(0, fileBytes() - live)
    return Math.min(bytesMax - live, newRoom() + reusable)
  }
  /** Bytes that the file may still grow by; as `diskRoom`. */
  function newRoom(usable = 0): number {
    // Growing beyond its end would break the store: LMDB takes a write that is cut short for a broken disk.
    const reserve = Math.min(RESERVE_BYTES, endBytes * RESERVE_SHARE)
    const ownRoom = endBytes - fileBytes() - (1 - usable) * reserve
    return Math.min(diskRoom(directory, usable), ownRoom)
  }
  const report = openRoomReport(log, () => ({
    liveBytes: liveBytes(),
    bytesMax,
    diskRoomBytes: diskRoom(directory),
    ...(endBytes === Number.POSITIVE_INFINITY
      ? {}
      : { fileBytes: fileBytes(), fileBytesMax: endBytes }),
  }))
  return {
    hasRoom: () => {
      const now = performance.now()
      if (passes > 0 && now - measuredMs < MEASURE_MS) {
        passes -= 1
        return true
      }
      const room = roomBytes()
      measuredMs = now
      passes = Math.max(0, Math.floor(room / WRITE_BYTES))
      report(room > 0)
      return room > 0
    },
    // A write of many documents may meet the end of a file from far below it.
    diskIsFull: () => newRoom() <= 0 || endBytes - fileBytes() < 2 * WRITE_BYTES,
    mayRemove: () => {
      const may = newRoom(1 - REMOVAL_SHARE) > 0
      // After a start on a full disk removals may be refused before anybody writes.
      if (!may) report(roomBytes() > 0)
      return may
    },
    figures: () => {
      const { mapSize, lastTxnId } = statsOf(root)
      return {
        connections: countReaders(root.readerList()),
        fileBytes: fileBytes(),
        liveBytes: liveBytes(),
        mapBytes: mapSize,
        transactions: lastTxnId,
        roomBytes: Math.max(0, roomBytes()),
      }
    },
  }
}

/** Bytes that may still be written to the disk; negative when even the reserve, or more of it than `usable`, is touched. */
function diskRoom(directory: string, usable = 0): number {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory)
    const reserve = Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE)
    return bavail * bsize - (1 - usable) * reserve
  } catch {
    // A file system that doesn't say is left to speak for itself.
    return Number.MAX_SAFE_INTEGER
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
