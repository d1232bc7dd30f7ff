import type { Logger } from 'pino'

/** Background work that comes round again: one task after the other, the next round when all are done. */
export function startUpkeep(
  intervalMs: number,
  log: Logger,
  tasks: (() => Promise<unknown>)[],
): { stop: () => Promise<void> } {
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function round(): Promise<void> {
    for (const task of tasks)
      try {
        if (!stopped) await task()
      } catch (err) {
        log.error({ err }, 'background upkeep')
      }
    schedule()
  }

  function schedule(): void {
    if (stopped) return
    timer = setTimeout(() => {
      running = round()
    }, intervalMs)
  }

  schedule()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
