import type { Logger } from 'pino'
import { openLastingFailures } from './lasting-failures.ts'

/**
 * Runs tasks in rounds: one after the other, and the next round an interval after the last is done. A failure is
 * logged when it begins and when it is over.
 */
export function startUpkeep(
  intervalMs: number,
  log: Logger,
  tasks: (() => Promise<unknown>)[],
): { stop: () => Promise<void> } {
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const failures = openLastingFailures<() => Promise<unknown>>(
    (err) => log.error({ err }, 'background upkeep'),
    () => log.info('background upkeep that failed goes on'),
  )

  async function round(): Promise<void> {
    for (const task of tasks) {
      if (stopped) break
      try {
        await task()
        failures.went(task)
      } catch (err) {
        failures.failed(task, err)
      }
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
