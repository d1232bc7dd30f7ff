/** Whether it is a JSON object: no list, and not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * What an object itself holds under a name that a client chose: every object inherits something under `constructor`,
 * `toString` and some more.
 */
export function ownValue<Value>(object: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** What was sent where an object belongs; undefined for anything else. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? value : undefined
}
