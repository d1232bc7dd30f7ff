import { asObject } from '../../object.ts'
import type { TargetingCondition } from '../../schema/experiment-record.ts'
import type { SessionGlimpse } from '../sessions/glimpse.ts'

/** Whom a condition is about. */
export type Target = Omit<SessionGlimpse, 'active'>

/** Whether all conditions hold. */
export function isTarget(conditions: readonly TargetingCondition[], target: Target): boolean {
  return conditions.every((condition) => holds(condition, valueIn(condition.field, target)))
}

function holds({ operator, values }: TargetingCondition, actual: unknown): boolean {
  // As in the filters of a search: null is what a field has that has no value.
  const known = actual ?? null
  if (operator === 'exists') return (known !== null) === values[0]
  const held = Array.isArray(known) ? known : [known]
  if (operator === 'none') return !held.some((each) => values.includes(each))
  return held.some((each) =>
    operator === 'any'
      ? values.includes(each)
      : values.some((value) => compares(operator, each, value)),
  )
}

function compares(
  operator: TargetingCondition['operator'],
  actual: unknown,
  value: unknown,
): boolean {
  if (typeof actual === 'string' && typeof value === 'string') {
    if (operator === 'contains') return actual.includes(value)
    if (operator === 'startsWith') return actual.startsWith(value)
    if (operator === 'endsWith') return actual.endsWith(value)
  } else if (operator === 'contains') return actual === value
  if (typeof actual !== typeof value || (typeof actual !== 'number' && typeof actual !== 'string'))
    return false
  const [left, right] = [actual, value as typeof actual]
  if (operator === 'gt') return left > right
  if (operator === 'gte') return left >= right
  if (operator === 'lt') return left < right
  return operator === 'lte' && left <= right
}

function valueIn(field: string, target: Target): unknown {
  if (field === 'userId' || field === 'clientId' || field === 'sessionId') return target[field]
  const path = field.replace(/^(session\.)?metadata\./, '')
  if (Object.hasOwn(target.metadata, path)) return target.metadata[path]
  let value: unknown = target.metadata
  for (const key of path.split('.')) {
    const object = asObject(value)
    if (object === undefined || !Object.hasOwn(object, key)) return undefined
    value = object[key]
  }
  return value
}
