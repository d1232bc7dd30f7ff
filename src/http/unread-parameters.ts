import { nearestName } from '../nearest-name.ts'
import { shownName, TOLD_MAX } from '../word.ts'
import { type Bytes, isBytes } from './bytes.ts'
import type { Answer, AnyCall, Reply, Route, StreamReply } from './route.ts'
import { commentOf } from './sent-events.ts'

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

/** Adds to an answer what of its request's address nobody reads, or is doubtful. */
export type TellUnread = (call: Pick<AnyCall, 'named' | 'query'>, reply: Reply) => Reply

/**
 * What adds the unread parameters to a route's answer; undefined for a route whose answer has no place for them. Who
 * filters a list by a misspelt name takes all of it for what was asked for, and whoever misspells the index of a document
 * writes it to another one.
 */
export function unreadTelling({ query, reply, doubts = NO_DOUBTS }: Route): TellUnread | undefined {
  const { properties = {} } = reply as { properties?: object }
  if (query === undefined || !('warnings' in properties)) return undefined
  const known = new Set(Object.keys(query.properties))
  return ({ named, query: read }, value) => {
    const unread = named.filter((name) => !known.has(name))
    if (unread.length === 0 && doubts === NO_DOUBTS) return value
    const warnings = [
      ...unread.slice(0, TOLD_MAX).map((name) => ignored(name, known)),
      ...doubts(read),
    ]
    return warnings.length === 0 ? value : withWarnings(value, warnings.slice(0, TOLD_MAX))
  }
}

function withWarnings(reply: Reply, warnings: string[]): Reply {
  if (!('kind' in reply)) return besideOthers(reply, warnings)
  if (reply.kind === 'stream') return remarked(reply as StreamReply, warnings)
  if (reply.kind !== 'answer') return reply
  const answer = reply as Answer
  const { data } = answer
  return { ...answer, data: isBytes(data) ? widened(data, warnings) : besideOthers(data, warnings) }
}

/** Who follows a stream by hand sees comments; those who read it by a program skip them. */
function remarked(reply: StreamReply, warnings: string[]): StreamReply {
  return {
    ...reply,
    pieces: async function* (signal) {
      for (const warning of warnings) yield commentOf(warning)
      yield* reply.pieces(signal)
    },
  }
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

const NO_DOUBTS = () => []
const BRACE = '}'.charCodeAt(0)

function ignored(name: string, known: ReadonlySet<string>): string {
  const same = SAME.find((names) => names.includes(name))?.find((other) => known.has(other))
  const nearest = same ?? nearestName(shownName(name), known)
  const instead = nearest === undefined ? '.' : `; "${nearest}" is.`
  return `"${shownName(name)}" is not read in this address and was ignored${instead}`
}
