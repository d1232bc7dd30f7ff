/** How long writes have to find room before that is told: at the limit each deletion makes some, and the next write takes it. */
const LASTS_MS = 10_000

/** Where it is told; pino fits. */
export interface RoomLog {
  warn(fields: object, message: string): void
}

/**
 * Logs once when writes find no room any more, with the figures of then, and once when they have found some for a while.
 * The answer takes what each look at the room found.
 */
export function openRoomReport(
  log: RoomLog,
  figures: () => object,
  now: () => number = () => performance.now(),
): (hasRoom: boolean) => void {
  let refusedMs: number | undefined
  return (hasRoom) => {
    if (!hasRoom) {
      if (refusedMs === undefined)
        log.warn(figures(), 'no room to write: writes are refused until there is some')
      refusedMs = now()
    } else if (refusedMs !== undefined && now() - refusedMs > LASTS_MS) {
      refusedMs = undefined
      log.warn(figures(), 'there is room to write again')
    }
  }
}
