/** Time for which work of many small steps may hold the main thread, if nothing else is said. */
const STRETCH_MS = 4

/** To be awaited between steps that wait for nothing else: whoever came meanwhile has a turn when it is time. */
export function openBreath(stretchMs = STRETCH_MS): () => Promise<void> | undefined {
  let sinceMs = performance.now()

  async function breathe(): Promise<void> {
    await new Promise(setImmediate)
    sinceMs = performance.now()
  }
  return () => (performance.now() - sinceMs < stretchMs ? undefined : breathe())
}
