import { setTimeout as sleep } from 'node:timers/promises'

/** What a test waits for; its text is what the failure says. */
export type Condition = () => boolean | Promise<boolean>

/** Time between two looks at a condition, unless told. */
const PAUSE_MS = 5

/** Waits until a condition holds; fails, with the condition, when it does not in time. */
export async function waitUntil(
  condition: Condition,
  withinMs: number,
  pause: () => Promise<unknown> = () => sleep(PAUSE_MS),
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not true within ${withinMs} ms: ${condition}`)
    await pause()
  }
}
