/** Time for which work of many small steps may hold the main thread. */
const SLICE_MS = 5

/** To be awaited between steps that wait for nothing else: whoever came meanwhile has a turn when it is time. */
export function openBreath(): () => Promise<void> {
  let sinceMs = performance.now()
  return async () => {
    if (performance.now() - sinceMs < SLICE_MS) return
    await new Promise(setImmediate)
    sinceMs = performance.now()
  }
}
