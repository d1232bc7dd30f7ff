/** What is tried again and again: which of it fails at the moment. */
export interface LastingFailures<Thing> {
  failed: (thing: Thing, err: unknown) => void
  went: (thing: Thing) => void
  /** Nobody tries it any more. */
  drop: (thing: Thing) => void
}

/**
 * Reports a failure when it begins and when its text changes, not again each time that the same thing is tried in
 * vain; and when it is over.
 */
export function openLastingFailures<Thing>(
  onFailure: (err: unknown, thing: Thing) => void,
  onEnd: (thing: Thing) => void,
): LastingFailures<Thing> {
  const failing = new Map<Thing, string>()
  return {
    failed: (thing, err) => {
      const text = String(err)
      if (failing.get(thing) !== text) onFailure(err, thing)
      failing.set(thing, text)
    },
    went: (thing) => {
      if (failing.delete(thing)) onEnd(thing)
    },
    drop: (thing) => void failing.delete(thing),
  }
}
