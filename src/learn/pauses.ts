/** When the processor lets others work: between two slices, and until there is enough to take. */
export interface Pauses {
  /** Lets others work for so many milliseconds; not at all while somebody waits for the processor. */
  rest: (ms: number) => Promise<void>
  /** Waits for more to come: shortly when something was told that searches should soon know. */
  gather: () => Promise<void>
  /** Something was told. */
  hurry: () => void
  /** What was told is about to be taken. */
  calm: () => void
  /** Ends the pause under way. */
  stir: () => void
}

/**
 * How long what happens may come together before the first slice: feedback changes what the next search finds, what was
 * merely shown does not.
 */
const GATHER_MS = { told: 50, shown: 500 }

export function openPauses(isAwaited: () => boolean): Pauses {
  let isTold = true
  let isGathering = false
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
    gather: async () => {
      isGathering = true
      if (!isTold) await rest(GATHER_MS.shown)
      isGathering = false
      if (isTold) await rest(GATHER_MS.told)
    },
    hurry: () => {
      isTold = true
      if (isGathering) stir()
    },
    calm: () => {
      isTold = false
    },
    stir: () => stir(),
  }
}
