import { setTimeout as sleep } from 'node:timers/promises'

/** Far longer than anything takes that tests wait for: the machine may be slow, and busy with others. */
const PATIENCE_MS = 60_000

/** Time between two looks at a condition. */
const PAUSE_MS = 5

/** What a condition gives while it does not hold. */
type Nothing = false | undefined | null | '' | 0

/**
 * Waits until a condition holds, and gives what it then gave, such as the line that was to come. Fails when it does not
 * hold in time, and says which one it was; what a condition throws ends the waiting at once.
 */
export async function waitUntil<Value>(
  condition: () => Value | Promise<Value>,
  withinMs = PATIENCE_MS,
): Promise<Exclude<Value, Nothing>> {
  const deadlineMs = performance.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value) return value as Exclude<Value, Nothing>
    if (performance.now() > deadlineMs)
      throw new Error(`Waited ${withinMs} ms in vain until ${wordsOf(condition)}`)
    await sleep(PAUSE_MS)
  }
}

/** As Vite writes what a test imports: `(0,__vite_ssr_import_1__.call)()`. */
const IMPORTED = /\(0,\s*__vi\w*_import_\d+__\.(\w+)\)|__vi\w*_import_\d+__\.(\w+)/g

/** A condition as the test has it, with the name of one that has one. */
function wordsOf(condition: () => unknown): string {
  const text = String(condition).replaceAll(IMPORTED, (_, called, named) => called ?? named)
  return condition.name === '' ? text : `${condition.name}: ${text}`
}
