import { encodeImpression, type ImpressionParts } from './impression.ts'
import { openShelf } from './shelf.ts'

/**
 * Impressions on their way to the disk, and the last that came there: learning reads each a moment later, and would find
 * it in pages that nobody has touched yet. Each is given to one transaction at a time.
 */
export interface Recent {
  /** Copies the parts. False when there is no room. */
  add: (queryId: string, parts: ImpressionParts) => boolean
  /** All that wait; no other transaction gets them until they are put back. */
  take: () => string[]
  /** The bytes of an impression, valid until the next call that adds one. */
  find: (queryId: string) => Buffer | undefined
  /** They were taken, and are on the disk: the last of them stay. */
  settle: (queryIds: readonly string[]) => void
  /** They were taken, and never came there. */
  lose: (queryIds: readonly string[]) => void
  /** They are on the disk no longer. */
  forget: (queryIds: readonly string[]) => void
  /** Their transaction failed: the next one writes them. */
  putBack: (queryIds: readonly string[]) => void
  /** How many wait or are under way. */
  size: () => number
}

/**
 * Impressions of a shelf; on the disk, those of one to two shelves stay. With some 3 kB each, one holds those of a tenth
 * of a second and more under full load.
 */
const SHELF_MAX = 1024
/** Pages of a thousand hits take two hundred times as much: a shelf of so many bytes is full with fewer of them. */
const SHELF_BYTES_MAX = 8 << 20

export function openRecent(max: number): Recent {
  let young = openShelf()
  let old = openShelf()
  let waiting: string[] = []
  let unsettled = 0
  /** Unsettled impressions of the old shelf, which stays until there are none. */
  let unsettledOld = 0

  function turn(): void {
    const isFull = young.size() >= SHELF_MAX || young.bytes() >= SHELF_BYTES_MAX
    if (!isFull || unsettledOld > 0) return
    old.clear()
    ;[young, old] = [old, young]
    unsettledOld = unsettled
  }
  function settle(queryIds: readonly string[]): void {
    unsettled -= queryIds.length
    if (unsettledOld === 0) return
    for (const queryId of queryIds) if (old.has(queryId)) unsettledOld -= 1
  }
  function forget(queryIds: readonly string[]): void {
    for (const queryId of queryIds) {
      young.remove(queryId)
      old.remove(queryId)
    }
  }
  return {
    add: (queryId, parts) => {
      if (unsettled >= max) return false
      turn()
      unsettled += 1
      encodeImpression(parts, (bytes) => young.room(queryId, bytes))
      waiting.push(queryId)
      return true
    },
    take: () => {
      const taken = waiting
      waiting = []
      return taken
    },
    find: (queryId) => young.find(queryId) ?? old.find(queryId),
    settle,
    lose: (queryIds) => {
      settle(queryIds)
      forget(queryIds)
    },
    forget,
    putBack: (queryIds) => {
      waiting = [...queryIds, ...waiting]
    },
    size: () => unsettled,
  }
}
