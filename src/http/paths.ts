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

/** What else than its own methods there is to say about a pattern. */
export interface Methods {
  /** The methods that a path of this shape has, as an Allow header lists them. */
  allow: string
  /** Methods that only another pattern has for such a path, whose last word is no id there (`reserved`). */
  refused: Method[]
}

/** The methods that any route has for paths of each pattern's shape. */
export function methodsOf(points: readonly MountPoint[]): Map<string, Methods> {
  return new Map(points.map(({ pattern }) => [pattern, methodsAt(pattern, points)]))
}

function methodsAt(pattern: string, points: readonly MountPoint[]): Methods {
  const all = points.filter((other) => covers(other.pattern, pattern))
  const own = all.filter((other) => other.pattern === pattern)
  const isReserved = own.some(({ route }) => route.reserved === true)
  const methods = new Set((isReserved ? own : all).map(({ method }) => method))
  const refused = new Set(all.map(({ method }) => method).filter((method) => !methods.has(method)))
  const listed = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])]
  return { allow: listed.sort().join(', '), refused: [...refused] }
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

/** A pattern of what no route answers, and what is said there when the path is most like that of `nearest`. */
type Unanswered = [pattern: string, sentence: (nearest: string | undefined) => string]

/**
 * Patterns of all that no route answers: who left the base address out should know, who sent an id whose slashes part the
 * path, and who mistyped it.
 */
export function unansweredPaths(points: readonly MountPoint[]): Unanswered[] {
  const based = points.filter(({ route }) => route.root !== true)
  const firsts = new Set(based.map(({ route }) => route.path.split('/')[1]))
  const withIds = points.flatMap(({ pattern }) => /^(.*\/)\{id\}$/.exec(pattern)?.[1] ?? [])
  const unbased = `: paths of the API begin with ${BASE_PATH}; see /docs.`
  return [
    ...[...firsts].map((first): Unanswered => [`/${first}/*`, (near) => nothing(near) + unbased]),
    ...[...new Set(withIds)].map(
      (path): Unanswered => [
        `${path}*`,
        (near) => `${nothing(near)}${near === undefined ? UNENCODED : ''}; see /docs.`,
      ],
    ),
    ...OF_OTHERS.map(
      ([path, here]): Unanswered => [
        path,
        () => `${nothing(undefined)}, which other servers have: here it is ${here}; see /docs.`,
      ],
    ),
    ['/*', (near) => `${nothing(near)}; see /docs.`],
  ]
}

const UNENCODED = ': an id with "/" in it is percent-encoded, as in a%2Fb'

function nothing(nearest: string | undefined): string {
  return `There is nothing at this path${nearest === undefined ? '' : `, but there is ${nearest}`}`
}

/** Paths of other search servers that people try first, and what stands for them. */
const OF_OTHERS: readonly (readonly [path: string, here: string])[] = [
  ...['/_search', '/:index/_search', '/indexes/:index/search'].map(
    (path) => [path, `POST ${BASE_PATH}/cortex/search`] as const,
  ),
  ...['/_bulk', '/:index/_bulk', '/indexes/:index/documents'].map(
    (path) => [path, `POST ${BASE_PATH}/cortex/documents/bulk`] as const,
  ),
  ['/:index/_doc/:id', `PUT ${BASE_PATH}/cortex/documents/{id}?index=`],
  ['/indexes', `${BASE_PATH}/cortex/indices`],
  ['/health', `${BASE_PATH}/livez, or ${BASE_PATH}/cortex/health`],
]
