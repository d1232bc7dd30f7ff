import { openLastingFailures } from '../lasting-failures.ts'

/** Removes some of what is past its time, given the time now; returns how much. It is called again while it removes. */
export type Sweep = (nowMs: number) => Promise<number>

/**
 * A round over parts that know nothing of each other: one that fails keeps none behind it from its turn. A failure is
 * reported when it begins, not again in every round that it lasts, and when it is over.
 */
export function openRound<Told extends unknown[]>(
  parts: Record<string, (...told: Told) => unknown>,
  onFailure: (err: unknown, part: string) => void,
  onEnd: (part: string) => void,
): (...told: Told) => Promise<void> {
  const failures = openLastingFailures(onFailure, onEnd)
  return async (...told) => {
    for (const [name, part] of Object.entries(parts))
      try {
        await part(...told)
        failures.went(name)
      } catch (err) {
        failures.failed(name, err)
      }
  }
}
