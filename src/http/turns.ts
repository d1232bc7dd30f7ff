/**
 * The library puts together what is written to one connection, and to one at a time only: while it hands over a
 * request or a piece of its body, that is the request's own. An answer to any other, written in the same turn of the
 * event loop, would leave in some twenty small packets; it waits for the end of the turn.
 *
 * All requests that lie in what a connection sent are handed over in one turn: half a megabyte may hold ten thousand, which
 * for some routes is a minute's work. So a turn that lasts begins no more of what can wait, and ends with the answers to the
 * rest: the library closes a connection that asks again before it was answered.
 */
export interface Turns {
  /** The library hands over something of `owner`. */
  enter: (owner: object) => void
  /** Runs `write` now or at the end of this turn. */
  whenOwn: (owner: object, write: () => void) => void
  /**
   * Runs `begin` now, or in another turn where this one lasts already. What comes in a fresh turn goes first; those that
   * wait have their share of each turn, too.
   */
  whenFresh: (begin: () => void) => void
}

/** How long requests are begun in one turn. */
const TURN_MS = 8

export function openTurns(clock: () => number = () => performance.now()): Turns {
  let owner: object | undefined
  let sinceMs = 0
  const waiting: (() => void)[] = []
  const later: (() => void)[] = []
  const lasts = (): boolean => clock() - sinceMs >= TURN_MS

  function end(): void {
    owner = undefined
    for (const write of waiting.splice(0)) write()
    if (later.length === 0) return
    sinceMs = clock()
    let begun = 0
    while (begun < later.length && !lasts()) later[begun++]?.()
    later.splice(0, begun)
    if (later.length > 0) setImmediate(end)
  }
  return {
    enter: (next) => {
      if (owner === undefined) {
        setImmediate(end)
        sinceMs = clock()
      }
      owner = next
    },
    whenOwn: (own, write) => {
      if (owner === undefined || (owner === own && !lasts())) write()
      else waiting.push(write)
    },
    whenFresh: (begin) => {
      if (owner !== undefined && lasts()) later.push(begin)
      else begin()
    },
  }
}
