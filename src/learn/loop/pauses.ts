/** When the processor lets others work: between two slices, and until there is enough to take. */
export interface Pauses {
  /** Lets others work for so many milliseconds; for one turn of the event loop while somebody waits for the processor. */
  rest: (ms: number) => Promise<void>
  /** Waits for more to come. */
  gather: () => Promise<void>
  /** Ends the pause under way. */
  stir: () => void
}

/** How long what happens may come together before the first slice. */
const GATHER_MS = 50

/** A pause ends at the next lull behind it, unless somebody waits for the processor. */
export function openPauses(isAwaited: () => boolean, lull: () => Promise<void>): Pauses {
  let stir = () => {}

  async function rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, isAwaited() ? 0 : ms)
      stir = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    if (!isAwaited()) await lull()
  }
  return { rest, gather: () => rest(GATHER_MS), stir: () => stir() }
}
