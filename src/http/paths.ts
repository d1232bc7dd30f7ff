import type { Method, Route } from './route.ts'

/** Path segment of the service's base address. */
export const BASE_PATH = '/api'

/** One pattern that a route answers at; parameters as {name}. */
export interface MountPoint {
  method: Method
  pattern: string
  route: Route
}

/**
 * Every method and full path of the routes: under the base address, their aliases too, and those marked
 * `root` at the root as well.
 */
export function mountPoints(routes: readonly Route[]): MountPoint[] {
  return routes.flatMap((route) => {
    const own = [{ method: route.method, path: route.path }, ...aliasesOf(route)]
    return own.flatMap(({ method, path }) => {
      const based = { method, pattern: `${BASE_PATH}${path}`, route }
      return route.root === true ? [based, { method, pattern: path, route }] : [based]
    })
  })
}

/** An alias is a path, or `METHOD path` when its method differs. */
export function aliasesOf(route: Route): { method: Method; path: string }[] {
  return (route.aliases ?? []).map((alias) => {
    const [first = '', second] = alias.split(' ')
    return second === undefined
      ? { method: route.method, path: first }
      : { method: first as Method, path: second }
  })
}

/** For each pattern, the methods that any route has for a path of that shape, as an Allow header lists them. */
export function allowedMethods(points: readonly MountPoint[]): Map<string, string> {
  const allowed = new Map<string, string>()
  for (const { pattern } of points) {
    const methods = new Set<string>()
    for (const other of points)
      if (covers(other.pattern, pattern)) {
        methods.add(other.method)
        if (other.method === 'GET') methods.add('HEAD')
      }
    allowed.set(pattern, [...methods].sort().join(', '))
  }
  return allowed
}

/** True when `pattern` answers a path of the shape `path`. */
function covers(pattern: string, path: string): boolean {
  const segments = pattern.split('/')
  const others = path.split('/')
  return (
    segments.length === others.length &&
    segments.every((segment, at) => segment.startsWith('{') || segment === others[at])
  )
}
