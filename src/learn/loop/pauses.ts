/** When the processor lets others work: between two slices, and until there is enough to take. */
export interface Pauses {
  /** Lets others work for so many milliseconds; for one turn of the event loop while somebody waits for the processor. */
  rest: (ms: number) => Promise<void>
  /** Waits for more to come. */
  gather: () => Promise<void>
  /** Waits until a slice disturbs searches least; for nothing while somebody waits for the processor. */
  lull: () => Promise<void>
  /** Ends the pause under way. */
  stir: () => void
}

/** How long what happens may come together before the first slice. */
const GATHER_MS = 50

export function openPauses(isAwaited: () => boolean, lull: () => Promise<void>): Pauses {
  let stir = () => {}

  function rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, isAwaited() ? 0 : ms)
      stir = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
  return {
    rest,
    gather: () => rest(GATHER_MS),
    lull: async () => {
      if (!isAwaited()) await lull()
    },
    stir: () => stir(),
  }
}
