import { onTestFinished, vi } from 'vitest'

/** Sets the system's clock of this process, until the test is over: `aheadMs` ahead of what it is, or behind. */
export function settableClock(): { aheadMs: number } {
  const clock = { aheadMs: 0 }
  const { now } = Date
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + clock.aheadMs)
  onTestFinished(() => spy.mockRestore())
  return clock
}
