import { nearestName } from '../nearest-name.ts'
import { BASE_PATH, type MountPoint } from './paths.ts'

/** The methods and the pattern of the route that an address without one most likely means, as `POST /api/things/{id}`. */
export type NearestRoute = (method: string, path: string) => string | undefined

/** A letter or two of the path may be wrong, and its beginning may be missing; slashes may be too many. */
export function openNearestRoute(points: readonly MountPoint[]): NearestRoute {
  const patterns = [...new Set(points.map(({ pattern }) => pattern))]
  const beginnings = [[BASE_PATH.slice(1)], ...foldersOf(patterns)]
  return (method, path) => {
    const sent = path.split('/').filter((part) => part !== '')
    const unbased = `/${sent[0]}` === BASE_PATH ? sent.slice(1) : sent
    for (const parts of [sent, ...beginnings.map((beginning) => [...beginning, ...unbased])]) {
      const nearest = nearestPattern(parts, patterns)
      if (nearest !== undefined) return `${methodsFor(method, nearest, points)} ${nearest}`
    }
    return undefined
  }
}

/** Folders of routes, such as api and cortex; none in which any word names a thing. */
function foldersOf(patterns: readonly string[]): string[][] {
  const within = patterns.map((pattern) => pattern.split('/').slice(1))
  const folders = new Map<string, string[]>()
  for (const [first = '', second = '', third] of within)
    if (third !== undefined) folders.set(`${first}/${second}`, [first, second])
  for (const [first, second, third] of within)
    if (third?.startsWith('{') === true) folders.delete(`${first}/${second}`)
  return [...folders.values()]
}

function nearestPattern(sent: readonly string[], patterns: readonly string[]): string | undefined {
  const likened = new Map<string, string>()
  for (const pattern of patterns) {
    const parts = pattern.split('/').slice(1)
    const values = parts.map((part, at) => (part.startsWith('{') ? sent[at] : part))
    const fits =
      parts.length === sent.length &&
      parts.every((_, at) => nearestName(sent[at] ?? '', [values[at] ?? '']) !== undefined)
    if (fits) likened.set(values.join('/'), pattern)
  }
  return likened.get(nearestName(sent.join('/'), likened.keys()) ?? '')
}

function methodsFor(method: string, pattern: string, points: readonly MountPoint[]): string {
  const methods = points.filter((point) => point.pattern === pattern).map((point) => point.method)
  const asked = methods.find((each) => each === method)
  return asked ?? methods.sort().join(' or ')
}
