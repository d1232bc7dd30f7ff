/**
 * The library puts together what is written to one connection, and to one at a time only: while it hands over a
 * request or a piece of its body, that is the request's own. An answer to any other, written in the same turn of the
 * event loop, would leave in some twenty small packets; it waits for the end of the turn.
 */
export interface Turns {
  /** The library hands over something of `owner`. */
  enter: (owner: object) => void
  /** Runs `write` now or at the end of this turn. */
  whenOwn: (owner: object, write: () => void) => void
}

export function openTurns(): Turns {
  let owner: object | undefined
  const waiting: (() => void)[] = []

  function end(): void {
    owner = undefined
    for (const write of waiting.splice(0)) write()
  }
  return {
    enter: (next) => {
      if (owner === undefined) setImmediate(end)
      owner = next
    },
    whenOwn: (own, write) => {
      if (owner === undefined || owner === own) write()
      else waiting.push(write)
    },
  }
}
