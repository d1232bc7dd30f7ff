import { nearestName } from '../nearest-name.ts'
import { shownName, TOLD_MAX } from '../word.ts'
import { type Bytes, isBytes } from './bytes.ts'
import type { Answer, Reply, Route } from './route.ts'

/**
 * In each row, names of one thing: ours, and those that other services have. A list of ours reads at most one of a row, but
 * not every list the same one.
 */
const SAME: readonly (readonly string[])[] = [
  ['limit', 'size', 'count', 'pageSize', 'perPage', 'per_page'],
  ['cursor', 'page', 'offset', 'after', 'skip'],
  ['startDate', 'since', 'from', 'start', 'start_date'],
  ['endDate', 'until', 'to', 'end', 'end_date'],
  ['timeWindow', 'timeframe', 'window', 'period', 'range', 'days'],
]

/** Adds to an answer what of its request's address nobody reads. */
export type TellUnread = (names: readonly string[], reply: Reply) => Reply

/**
 * What adds the unread parameters to a route's answer; undefined for a route whose answer has no place for them. Who
 * filters a list by a misspelt name takes all of it for what was asked for, and whoever misspells the index of a document
 * writes it to another one.
 */
export function unreadTelling({ query, reply }: Route): TellUnread | undefined {
  const { properties = {} } = reply as { properties?: object }
  if (query === undefined || !('warnings' in properties)) return undefined
  const known = new Set(Object.keys(query.properties))
  return (names, value) => {
    const unread = names.filter((name) => !known.has(name)).slice(0, TOLD_MAX)
    if (unread.length === 0) return value
    return withWarnings(
      value,
      unread.map((name) => ignored(name, known)),
    )
  }
}

function withWarnings(reply: Reply, warnings: string[]): Reply {
  if (!('kind' in reply)) return besideOthers(reply, warnings)
  if (reply.kind !== 'answer') return reply
  const answer = reply as Answer
  const { data } = answer
  return { ...answer, data: isBytes(data) ? widened(data, warnings) : besideOthers(data, warnings) }
}

/** These warnings come first: a parameter that is not read may have made the whole request another one. */
function besideOthers(data: object, warnings: string[]): object {
  const others = (data as { warnings?: readonly string[] }).warnings ?? []
  return { ...data, warnings: [...warnings, ...others] }
}

/** The JSON of an object, which has a brace at its end and other members before, of which none is `warnings`. */
function widened(data: Bytes, warnings: string[]): Bytes {
  const pieces = data instanceof Uint8Array ? [data] : data
  const last = pieces.at(-1)
  if (last?.at(-1) !== BRACE) return data
  const end = Buffer.from(`,"warnings":${JSON.stringify(warnings)}}`)
  return [...pieces.slice(0, -1), last.subarray(0, -1), end]
}

const BRACE = '}'.charCodeAt(0)

function ignored(name: string, known: ReadonlySet<string>): string {
  const same = SAME.find((names) => names.includes(name))?.find((other) => known.has(other))
  const nearest = same ?? nearestName(shownName(name), known)
  const instead = nearest === undefined ? '.' : `; "${nearest}" is.`
  return `"${shownName(name)}" is not read in this address and was ignored${instead}`
}
