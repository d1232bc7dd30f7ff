/** A semaphore: lets at most `widthMax` tasks run at once; the others wait in order. */
export function openSemaphore(widthMax: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0

  return async (task) => {
    // A place is handed on, never given back in between: no newcomer slips in before who waits.
    if (running >= widthMax) await new Promise<void>((enter) => waiting.push(enter))
    else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
