import { isObject } from '../object.ts'

/** Names of members, of which each may have its own. */
export interface Members {
  [name: string]: Members
}

/** The members that a schema of an object names, and theirs. */
export function membersOf(schema: object): Members {
  const { properties = {} } = schema as { properties?: Record<string, object> }
  const named = Object.entries(properties).map(([name, inner]) => [name, membersOf(inner)])
  return Object.fromEntries(named) as Members
}

/** Members of an object that are not named, of which an outline has the names. */
const OTHERS_MAX = 16

/**
 * What stands for a large value where it is checked: of objects only the members that are named, of lists none. Right for
 * schemas that ask nothing of the members of lists, and nothing of those that they do not name. Of these, some are there
 * as null, for whoever tells that nobody reads them.
 */
export function outlineOf(value: unknown, members: Members): unknown {
  if (Array.isArray(value)) return []
  if (!isObject(value)) return value
  const kept = Object.keys(members).filter((name) => Object.hasOwn(value, name))
  return Object.fromEntries([
    ...kept.map((name) => [name, outlineOf(value[name], members[name] as Members)]),
    ...othersOf(value, members).map((name) => [name, null]),
  ])
}

function othersOf(value: object, members: Members): string[] {
  const others: string[] = []
  for (const name in value) {
    if (Object.hasOwn(members, name)) continue
    others.push(name)
    if (others.length === OTHERS_MAX) break
  }
  return others
}
