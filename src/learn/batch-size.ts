/** How many of what comes again and again are taken at a time. */
export interface BatchSize {
  now: () => number
  /** Hears whether some were left when as many had been taken. */
  end: (areLeft: boolean) => void
}

/**
 * Begins with `first` and never takes more than `most`. Where some are left there are twice as many the next time, as what is
 * due must not grow without end; else half as many, as most of the time little is due.
 */
export function openBatchSize({ first, most }: { first: number; most: number }): BatchSize {
  let size = first
  return {
    now: () => size,
    end: (areLeft) => {
      size = areLeft ? Math.min(most, size * 2) : Math.max(first, Math.floor(size / 2))
    },
  }
}
