import { vi } from 'vitest'

/** By so much each look at the clock finds it later: longer than any stretch for which work may hold the main thread. */
const LOOK_MS = 10

/**
 * Does some work, and counts how often others have a turn in the middle of it: between two looks at the clock, so that
 * waiting for the disk counts for nothing. Looks take long, as a fast machine would else be through with the work before
 * it is anybody's turn.
 */
export async function countTurns<Value>(
  work: () => Promise<Value>,
): Promise<{ turns: number; value: Value }> {
  let turns = 0
  let ms = performance.now()
  let hasLooked = false
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    hasLooked = true
    ms += LOOK_MS
    return ms
  })
  const count = () => {
    if (hasLooked) turns += 1
    hasLooked = false
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  try {
    return { value: await work(), turns }
  } finally {
    clearImmediate(next)
    clock.mockRestore()
  }
}
